#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop_nest/traffic.h"
#include "core/machine_code/loop_bound.h"
#include "core/measure/kernel_insight.h"
#include "core/measure/line_shares.h"
#include "core/schedule/loop_touches.h"
#include "core/schedule/template.h"
#include "core/store/records.h"
#include "core/trial/counter_reading.h"

namespace kernelscape::session {

/** How a loop steps through a tensor, in bytes of its stored layout. */
struct AdviceStep {
  std::string tensor;
  std::int64_t element_bytes = 4;
  std::int64_t stride_bytes = 0;  ///< from one iteration to the next; 0: the loop does not index the tensor
  double bytes = 0;               ///< of the tensor that one iteration touches
  bool written = false;           ///< the tensor is the output
};

/** A loop of a kernel's sums. */
struct AdviceLoop {
  std::string name;
  std::string knob{};  ///< the knob that sets its length, with its value: "tile_ow=15"; empty: none does
  std::int64_t length = 1;
  schedule::LoopAnnotation annotation = schedule::LoopAnnotation::Serial;
  double bytes = 0;  ///< of all tensors that one run of the whole loop touches
  std::vector<AdviceStep> steps{};
  std::int64_t tile_remainder = 0;  ///< iterations of its last tile if the tile does not divide the loop
};

/** What of a kernel's schedule and of its machine the rules use. A plain value. */
struct ScheduleFacts {
  std::vector<AdviceLoop> loops{};                      ///< in nesting order, outermost first
  std::optional<loop_nest::TrafficEstimate> traffic{};  ///< nullopt: it could not be estimated
  schedule::TargetDescription target{};
  const machine_code::PortModel* processor = nullptr;  ///< null: not known
  int threads = 1;
};

/** Everything that the rules may use. The pointers must outlive the facts. */
struct AdviceFacts {
  const measure::KernelInsight* insight = nullptr;  ///< never null
  const ScheduleFacts* schedule = nullptr;          ///< never null
  const trial::CounterReading* counters = nullptr;  ///< null: the kernel was not counted
};

/** What a rule found. */
struct Advice {
  std::string rule{};      ///< name of the rule: "spills"
  std::string sentence{};  ///< the evidence with its numbers, then what to change
  /// estimated share of the time that the change can save at most, 0 to 1; the order of the advice
  double effect = 0;
  std::string source{};  ///< where the rule is described
};

/** A rule: a function from facts to an optional advice, whose rule and source are left empty. */
struct AdviceRule {
  std::string_view name;
  std::string_view source;
  std::optional<Advice> (*apply)(const AdviceFacts& facts);
};

/** Returns all rules. */
std::span<const AdviceRule> advice_rules();

/**
 * Applies all rules to a CPU kernel and returns what they found, the largest estimated effect first. Returns
 * nothing for a GPU kernel and for a code without a loop.
 */
std::vector<Advice> advise(const AdviceFacts& facts);

/**
 * Returns what is said if no rule found anything: which rules were applied, and which could not be because
 * the kernel was not counted.
 */
std::string no_advice_text(const AdviceFacts& facts);

/**
 * Gathers the facts of a configuration of a stored session and of this machine's processor. Errors: as
 * session_kernels().
 */
Result<ScheduleFacts> schedule_facts(const store::SessionRecord& record,
                                     const space::Configuration& configuration);

/** Gathers the facts of a kernel. @param threads of the kernel */
ScheduleFacts schedule_facts(const schedule::ScheduledKernel& kernel,
                             const space::Configuration& configuration, int threads);

}  // namespace kernelscape::session
