#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/family.h"
#include "core/session/recording_cache.h"
#include "core/session/session.h"
#include "core/session/targets.h"

namespace kernelscape::session {

/** The values that a user allows for an element of a knob: the union of `values` and `texts`. */
struct KnobRestriction {
  std::string knob;
  int position = 0;                     ///< factor or place; 0 for ordinals and categoricals
  std::vector<std::int64_t> values;     ///< elements, see Knob::element()
  std::vector<std::string> texts = {};  ///< texts of values: "true", "rows", "0.5"; items of an order

  bool operator==(const KnobRestriction&) const = default;
};

/**
 * Reason given to the constraints made from restrictions, by which they are recognised in a stored session.
 */
inline constexpr std::string_view user_restriction_reason = "the user's restriction";

/**
 * Parses the argument of `--restrict`: "tile_oc[3]=16,32", "unroll_kw=true" or "order=rows". Integers are
 * elements.
 */
Result<KnobRestriction> parse_restriction(std::string_view text);

/** The user's input for a session: names and texts, unchecked. */
struct TuningRequest {
  /**
   * A catalogue name, a JSON file of a task or of a project, "project:" with a session of a project, or the
   * text of a task; empty: the task of the recorded space.
   */
  std::string task;
  /**
   * A name that resolve_target() accepts, including targets of a fleet, or "recorded:" with a file or a
   * recorded space of the database.
   */
  std::string target = "cpu";
  std::string template_name;  ///< empty: that of schedule::default_template()
  std::string tuner{tuner::default_tuner};
  std::map<std::string, std::string> settings;
  trial::Budget budget;
  std::optional<std::uint64_t> seed;  ///< nullopt: a random seed
  trial::MeasureOptions measuring;
  /** The device limits are constraints of the space, or not; nullopt: as the tuner has it by default. */
  std::optional<bool> respect_limits = {};
  std::vector<KnobRestriction> restrictions;
  std::string warm_start;  ///< a session by number or name; empty: none
  /** Related spaces whose trials the tuner learns from, see read_sources(). */
  std::vector<std::string> learn_from = {};
  std::string name;
  std::string architecture = {};  ///< of CUDA: "sm_80", to build without a device; empty: that of the device
  /** The content of a project of the user's own kernel may be compiled and run from now on. */
  bool trust = false;
  bool outside_files = false;  ///< a project may name files outside its folder
  bool exact = false;          ///< leaves out templates with rounding errors of their own (Winograd)
};

/** A session that is ready to run on this machine. */
struct PreparedTuning {
  Setup setup;
  std::shared_ptr<const kernel::Family> family;  ///< null if a recorded space is replayed
  std::shared_ptr<const trial::Recording> recording =
      {};                                 ///< the recorded space to replay; null if kernels are measured
  std::vector<std::string> notices = {};  ///< notices for the user when the session begins
  TunerCheckpoint* kept = nullptr;        ///< see Tools; for measured sessions
};

/** Prefix of the targets that name recorded spaces. */
inline constexpr std::string_view recorded_target_prefix = "recorded:";

/**
 * Returns true if the name begins with "recorded:", followed by a file or a recorded space of the database.
 */
inline bool is_recorded_target(std::string_view name) { return name.starts_with(recorded_target_prefix); }

/**
 * Returns true if the device limits are to be constraints of the space: as requested, or else as the tuner
 * has it by default (Declaration::enforces_limits), unless what exceeds the limits is to be built.
 */
bool enforces_limits(const TuningRequest& request);

/**
 * Effort of counting the configurations of a space within the device limits, see SearchSpace::member_count():
 * about a second. Limits connect most knobs, so that it is more than for the space without them.
 */
inline constexpr std::uint64_t limited_count_effort = 400'000'000;

/**
 * Returns the space restricted by the user's restrictions and, if `respect_limits`, by the device limits.
 * Errors name the knob, or say that no configuration is left.
 */
Result<space::SearchSpace> restrict_space(const schedule::ScheduledKernel& kernel, bool respect_limits,
                                          const std::vector<KnobRestriction>& restrictions);

/**
 * Returns the space restricted by the user's restrictions. Errors name the knob, or say that no configuration
 * is left, and which values are possible.
 */
Result<space::SearchSpace> restrict_space(const space::SearchSpace& space,
                                          const std::vector<KnobRestriction>& restrictions);

/**
 * Checks that the space, features and settings have what the setup's tuner needs. Called before a session is
 * created.
 */
Status check_tuner(const Setup& setup);

/** Returns a notice of the setup's tuner about the run, which is no error; empty if there is none. */
std::string tuner_notice(const Setup& setup);

/**
 * Looks up and checks everything that a request names. Errors are mistakes in the user's input, except for a
 * missing compiler.
 * @param recordings shared recordings of many runs on the same recorded spaces; null: opened anew
 */
Result<PreparedTuning> prepare_tuning(const TuningRequest& request, const store::Store& store,
                                      RecordingCache* recordings = nullptr);

/**
 * Prepares a replay of a recording that is open already. Task, template and measuring options are those of
 * the recording: a request that names others is refused.
 */
Result<PreparedTuning> prepare_replay(const TuningRequest& request, const store::Store& store,
                                      std::shared_ptr<const trial::Recording> recording);

/**
 * Gives the tuner of a prepared session the predictor that its settings name, if it uses a predictor, and
 * records the chosen predictor in the settings. For a tuner that was put into the setup after its
 * preparation. Errors: as choose_predictor(), and Refused if the session's kernels are not known.
 */
Status take_predictor(const store::Store& store, PreparedTuning& tuning);

/** Returns the error for a template that an exact request leaves out. */
std::unexpected<Error> inexact_template(std::string_view name);

/**
 * Applies the requested template, or the default one if the request names none. A request with restrictions
 * or a warm start names knobs of the first template that fits, and gets that one. Errors: as
 * schedule::apply_template(), and InvalidArgument if the named template is not exact and the request is.
 */
Result<schedule::ScheduledKernel> apply_requested_template(const TuningRequest& request,
                                                           const task::Task& task,
                                                           const schedule::TargetDescription& target);

/**
 * If the setup's options request it (beyond_limits), makes the kernel family generate kernels that the limits
 * of a CPU template would refuse. Errors: the target is not a CPU.
 */
Status lift_limits(PreparedTuning& tuning);

/**
 * If `asked` requests it (replay_samples), changes `options`, those of the recording, to a replay that takes
 * fewer of its samples: repeats (at most as many as were recorded), give-up factor and adaptive evaluator are
 * taken from `asked`. Errors: a valid configuration has no samples; an evaluator that can never end a trial
 * early.
 */
Status take_recorded_samples(const trial::MeasureOptions& asked, const trial::Recording& recording,
                             trial::MeasureOptions& options);

/** Prepares a stored session to be resumed with its stored budget, which the caller may raise. */
Result<PreparedTuning> prepare_resume(const store::Store& store, store::SessionId id);

/**
 * Returns the request that created a stored session, to run it again as a new session: with seed and name,
 * and with restrictions and enforced limits as far as they can be derived from the space.
 */
Result<TuningRequest> request_of(const store::SessionRecord& record);

/**
 * Returns the command `kernelscape tune ...` for a request, with only the options that differ from the
 * defaults.
 */
std::string command_line_of(const TuningRequest& request);

}  // namespace kernelscape::session
