#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/formats/autotvm_record.h"
#include "core/schedule/target.h"
#include "core/task/task.h"

namespace kernelscape {

/** What a log's task, arguments and target are here. */
struct AutotvmTask {
  Task task;  ///< generic where there is no such operator here
  TargetDescription target{};
  std::string template_name{};  ///< whose knobs the log has; empty: none of ours
  bool plain_loops = false;     ///< tile_f, tile_y, ... split the loops of the convolution itself
  std::string not_mapped{};     ///< why the task is generic
};

/** "cuda -model=titanx": kind, device and options. What it does not say are AutoTVM's assumptions. */
TargetDescription autotvm_target(std::string_view text, std::string_view tvm_version);

/**
 * conv2d_nchw.cuda, depthwise_conv2d_nchw.cuda, conv2d_NCHWc.x86, dense and their names of version 0.1, and
 * what our own logs call "kernelscape.TEMPLATE"; other tasks become generic ones. Errors: a name that makes
 * no task at all.
 */
Result<AutotvmTask> autotvm_task(const AutotvmRecord& record);

/** The extent that a knob of this name splits where the loops are the convolution's own. */
std::optional<std::int64_t> split_extent(const Task& task, std::string_view knob);

/** How logs call a template's tasks: the name, and the arguments as JSON. */
struct AutotvmName {
  std::string task;
  std::string args_json;
};

/**
 * The name and arguments of AutoTVM where it has this template, else "kernelscape.TEMPLATE".
 * @param same_template whether the template here still is the one that was tuned
 */
AutotvmName autotvm_name(const Task& task, const TargetDescription& target, std::string_view template_name,
                         bool same_template);

/** "cuda -model=NVIDIA-H200", "llvm -mcpu=...": a target of TVM. */
std::string autotvm_target_text(const TargetDescription& target);

}  // namespace kernelscape
