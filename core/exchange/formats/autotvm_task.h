#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/formats/autotvm_record.h"
#include "core/schedule/target.h"
#include "core/task/task.h"

namespace kernelscape::exchange {

/** The task of a log, mapped to a task and a template of this program. */
struct AutotvmTask {
  task::Task task;  ///< generic if this program has no such operator
  schedule::TargetDescription target{};
  std::string template_name{};  ///< the template with the knobs of the log; empty: this program has no such
                                ///< template
  bool plain_loops = false;     ///< tile_f, tile_y, ... split the loops of the convolution itself
  std::string not_mapped{};     ///< why the task is generic
};

/**
 * Parses a target such as "cuda -model=titanx": kind, device and options. Missing options have the defaults
 * of AutoTVM.
 */
schedule::TargetDescription autotvm_target(std::string_view text, std::string_view tvm_version);

/**
 * Maps conv2d_nchw.cuda, depthwise_conv2d_nchw.cuda, conv2d_NCHWc.x86, dense and their names of version 0.1,
 * and "kernelscape.TEMPLATE" of this program's logs; other tasks become generic tasks. Returns an error for a
 * name from which no task can be made.
 */
Result<AutotvmTask> autotvm_task(const AutotvmRecord& record);

/** Returns the extent that a knob of this name splits, if the loops are those of the convolution itself. */
std::optional<std::int64_t> split_extent(const task::Task& task, std::string_view knob);

/** The name of a template's tasks in logs, and their arguments as JSON. */
struct AutotvmName {
  std::string task;
  std::string args_json;
};

/**
 * Returns AutoTVM's name and arguments if AutoTVM has this template, else "kernelscape.TEMPLATE". @param
 * same_template true if the template is unchanged since it was tuned
 */
AutotvmName autotvm_name(const task::Task& task, const schedule::TargetDescription& target,
                         std::string_view template_name, bool same_template);

/** Returns a target of TVM: "cuda -model=NVIDIA-H200", "llvm -mcpu=...". */
std::string autotvm_target_text(const schedule::TargetDescription& target);

}  // namespace kernelscape::exchange
