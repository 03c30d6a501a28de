#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/cpu_target.h"
#include "core/measure/kernel_family.h"
#include "core/session/session.h"

namespace kernelscape {

/** The values of a knob's element that a user allows. */
struct KnobRestriction {
  std::string knob;
  int position = 0;  ///< factor or place; 0 for ordinals and categoricals
  std::vector<std::int64_t> values;

  bool operator==(const KnobRestriction&) const = default;
};

/** The reason that the constraints made of restrictions carry: how a stored session's are told from others.
 */
inline constexpr std::string_view user_restriction_reason = "the user's restriction";

/** "tile_oc[3]=16,32" or "unroll=1": as `--restrict` takes it. */
Result<KnobRestriction> parse_restriction(std::string_view text);

/** What a user asks for: names and texts, unchecked. */
struct TuningRequest {
  std::string task;  ///< a catalogue name, a JSON file, or a task written out
  std::string target = "cpu";
  std::string template_name;  ///< empty: the first that fits
  std::string tuner = "nose";
  std::map<std::string, std::string> settings;
  Budget budget;
  std::optional<std::uint64_t> seed;  ///< none: drawn
  MeasureOptions measuring;
  bool respect_limits = false;
  std::vector<KnobRestriction> restrictions;
  std::string warm_start;  ///< a session by number or name; empty: none
  std::string name;
};

/** A session that is ready to run on this machine. */
struct PreparedTuning {
  SessionSetup setup;
  std::shared_ptr<const ScheduleFamily> family;
};

/** "cpu": this machine; "cuda": a device as the papers assume it, which needs no GPU. */
Result<TargetDescription> resolve_target(const std::string& name, CompilerNeed need);

/** The names that resolve_target() knows. */
std::vector<std::string> target_names();

/** The space with its limits and the user's restrictions as membership. Errors name the knob, or say that
 * nothing is left. */
Result<SearchSpace> restrict_space(const ScheduledKernel& kernel, bool respect_limits,
                                   const std::vector<KnobRestriction>& restrictions);

/** Looks everything up and checks it; the errors are the user's input but for a missing compiler. */
Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const Store& store);

/** A stored session made ready to go on with a budget that may be higher; none: its own. */
Result<PreparedTuning> prepare_resume(const Store& store, SessionId id);

/**
 * The request that made a stored session, for running it again as a new one: seed and name included,
 * restrictions and respected limits as far as they can be told from the space.
 */
Result<TuningRequest> request_of(const SessionRecord& record);

/** `kernelscape tune ...` that asks for the same: only what differs from the defaults. */
std::string command_line_of(const TuningRequest& request);

}  // namespace kernelscape
