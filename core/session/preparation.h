#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/kernel_family.h"
#include "core/session/recording_cache.h"
#include "core/session/session.h"
#include "core/session/targets.h"

namespace kernelscape {

/** The values of a knob's element that a user allows: `values` and `texts` together. */
struct KnobRestriction {
  std::string knob;
  int position = 0;                     ///< factor or place; 0 for ordinals and categoricals
  std::vector<std::int64_t> values;     ///< elements, see Knob::element()
  std::vector<std::string> texts = {};  ///< as values are written: "true", "rows", "0.5"; items of an order

  bool operator==(const KnobRestriction&) const = default;
};

/** The reason that the constraints made of restrictions carry: how a stored session's are told from others.
 */
inline constexpr std::string_view user_restriction_reason = "the user's restriction";

/** "tile_oc[3]=16,32", "unroll_kw=true" or "order=rows": as `--restrict` takes it. Whole numbers are
 * elements. */
Result<KnobRestriction> parse_restriction(std::string_view text);

/** What a user asks for: names and texts, unchecked. */
struct TuningRequest {
  /** A catalogue name, a JSON file of a task or of a project, "project:" with a session of one, or a task
   * written out; empty: the recorded space's. */
  std::string task;
  /** As resolve_target() takes it, a fleet's among them, or "recorded:" with a file or a recorded space of
   * the database. */
  std::string target = "cpu";
  std::string template_name;  ///< empty: the first that fits
  std::string tuner{default_tuner};
  std::map<std::string, std::string> settings;
  Budget budget;
  std::optional<std::uint64_t> seed;  ///< none: drawn
  MeasureOptions measuring;
  bool respect_limits = false;
  std::vector<KnobRestriction> restrictions;
  std::string warm_start;  ///< a session by number or name; empty: none
  std::string name;
  std::string architecture = {};  ///< of CUDA: "sm_80", built for without a device; empty: the device's own
  /** Of a project of the user's own kernel: its content may be compiled and run from now on. */
  bool trust = false;
  bool outside_files = false;  ///< files that such a project names may lie outside its folder
};

/** A session that is ready to run on this machine. */
struct PreparedTuning {
  SessionSetup setup;
  std::shared_ptr<const KernelFamily> family;       ///< null where a recorded space is replayed
  std::shared_ptr<const Recording> recording = {};  ///< what is replayed; null where kernels are measured
  std::vector<std::string> notices = {};            ///< what its user should hear when it begins
  KeptSearch* kept = nullptr;                       ///< see SessionTools; of measured sessions
};

/** What the targets that stand for recorded spaces begin with. */
inline constexpr std::string_view recorded_target_prefix = "recorded:";

/** Whether the name is "recorded:" with a file or a recorded space of the database. */
inline bool is_recorded_target(std::string_view name) { return name.starts_with(recorded_target_prefix); }

/** The space with its limits and the user's restrictions as membership. Errors name the knob, or say that
 * nothing is left. */
Result<SearchSpace> restrict_space(const ScheduledKernel& kernel, bool respect_limits,
                                   const std::vector<KnobRestriction>& restrictions);

/**
 * The space with the user's restrictions as membership. Errors name the knob, or say that nothing is left,
 * and which values are possible.
 */
Result<SearchSpace> restrict_space(const SearchSpace& space,
                                   const std::vector<KnobRestriction>& restrictions);

/** What the setup's tuner lacks in its space, features and settings; told before a session is made. */
Status check_tuner(const SessionSetup& setup);

/** What the setup's tuner has to say of its run, though nothing is wrong; empty: nothing. */
std::string tuner_notice(const SessionSetup& setup);

/**
 * Looks everything up and checks it; the errors are the user's input but for a missing compiler.
 * @param recordings where many runs on the same recorded spaces share them; null: opened anew
 */
Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const Store& store,
                                      RecordingCache* recordings = nullptr);

/**
 * The same on a recording that is open already. Task, template and measuring options are the recording's: a
 * request that names others is refused.
 */
Result<PreparedTuning> prepare_replay(const TuningRequest& request, const Store& store,
                                      std::shared_ptr<const Recording> recording);

/**
 * Gives the tuner of a prepared session the predictor that its settings name, where it uses one, and writes
 * which one that is into the settings: for a tuner that came into the setup after it was prepared. Errors: as
 * choose_predictor(), and Refused where the session's kernels are not known.
 */
Status take_predictor(const Store& store, PreparedTuning& tuning);

/**
 * Where the setup's options ask for it (beyond_limits), its family makes what the limits of a CPU's template
 * refuse. Errors: the target is no CPU.
 */
Status lift_limits(PreparedTuning& tuning);

/**
 * Where `asked` asks for it (replay_samples), `options`, the recording's, become those of a replay that takes
 * fewer of its samples: repeats, at most as many as were recorded, give-up factor and adaptive evaluator are
 * those asked for. Errors: a configuration that worked has no samples; an evaluator that can end nothing.
 */
Status take_recorded_samples(const MeasureOptions& asked, const Recording& recording,
                             MeasureOptions& options);

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
