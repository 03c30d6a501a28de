#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/validation_values.h"
#include "core/session/preparation_parts.h"
#include "core/session/shared_features.h"
#include "core/space/compiled_constraints.h"
#include "core/task/catalogue.h"

namespace kernelscape::session {
namespace {

/** Parsed texts of a recording's header. */
struct RecordedSetup {
  task::Task task;
  schedule::TargetDescription target;
  trial::MeasureOptions options;
};

/** Errors say which recorded space: it may be one of a study's many. */
template <typename T>
Result<T> of_recording(const trial::Recording& recording, Result<T> read) {
  if (read) return read;
  Error error = read.error();
  error.message =
      fmt::format("the recorded space {}: {}", base::quoted_line(recording.header().name), error.message);
  return std::unexpected(std::move(error));
}

Result<RecordedSetup> read_header(const trial::Recording& recording) {
  const trial::RecordingHeader& header = recording.header();
  task::Task task = TRY(of_recording(recording, task::task_from_json(header.task_json)));
  schedule::TargetDescription target =
      TRY(of_recording(recording, schedule::target_from_json(header.target_json)));
  RecordedSetup setup{std::move(task), std::move(target), {}};
  if (header.options_json.empty()) return setup;
  setup.options = TRY(of_recording(recording, trial::stored_measure_options(header.options_json)));
  setup.options.replay_samples = false;  // of the file of a replay: its samples are all that there are
  return setup;
}

Status check_same_task(const TuningRequest& request, const trial::Recording& recording,
                       const task::Task& recorded) {
  if (request.task.empty() || request.task == recorded.name || request.task == recorded.text) return {};
  const task::Catalogue catalogue = TRY(task::Catalogue::load_default());
  const task::Task asked = TRY(catalogue.find(request.task));
  if (asked.definition == recorded.definition && asked.op == recorded.op) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the recorded space \"{}\" is of the task {} ({}), not of {}",
                          recording.header().name, recorded.name, recorded.text, request.task),
              "leave the task out, or choose another recorded space");
}

Status check_same_template(const TuningRequest& request, const trial::RecordingHeader& header) {
  if (request.template_name.empty() || request.template_name == header.template_name) return {};
  const std::string recorded = header.template_name.empty()
                                   ? std::string("of no template")
                                   : fmt::format("of the template {}", header.template_name);
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("the recorded space \"{}\" is {}, not of {}", header.name, recorded, request.template_name),
      "leave --template out, or choose another recorded space");
}

/**
 * Returns the template that made the recorded knobs if it still makes equal knobs; the error says why not.
 */
Result<schedule::ScheduledKernel> recorded_kernel(const trial::Recording& recording,
                                                  const RecordedSetup& recorded) {
  const trial::RecordingHeader& header = recording.header();
  if (header.template_name.empty()) return fail(ErrorCode::InvalidArgument, "it comes from another program");
  schedule::ScheduledKernel kernel =
      TRY(schedule::apply_template(recorded.task, recorded.target, header.template_name));
  if (kernel.space().knobs() != recording.space().knobs())
    return fail(ErrorCode::InvalidArgument, fmt::format("the template {} has changed", header.template_name));
  return kernel;
}

/**
 * Returns the features that a surrogate may learn from; the loop nests of other programs' spaces are unknown.
 */
space::FeatureSets features_of(const Result<schedule::ScheduledKernel>& kernel) {
  return kernel ? shared_features(*kernel) : space::FeatureSets{};
}

/** Returns true if a recorded configuration exceeds the limits. */
bool exceeds_limits(const trial::Recording& recording, const space::ConstraintSystem& limits) {
  const space::CompiledConstraints compiled(limits);
  for (std::uint32_t row = 0; row < recording.size(); ++row)
    if (!compiled.satisfied(recording.space().knobs(), recording.configuration(row))) return true;
  return false;
}

/**
 * Returns true if the limits are to be constraints of a replay. What a tuner has by default applies only
 * where the limits are known, a kernel beyond them was refused, and such a kernel was recorded.
 */
bool restricts_replay(const TuningRequest& request, const trial::Recording& recording,
                      const trial::MeasureOptions& recorded,
                      const Result<schedule::ScheduledKernel>& kernel) {
  if (request.respect_limits) return *request.respect_limits;
  return enforces_limits(request) && kernel && !recorded.beyond_limits &&
         exceeds_limits(recording, kernel->limits());
}

/** The recorded space within the target's limits. */
Result<space::SearchSpace> respect_limits(const trial::Recording& recording,
                                          const Result<schedule::ScheduledKernel>& kernel) {
  if (kernel) return recording.space().restricted_by(kernel->limits());
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the limits of the recorded space \"{}\" are not known: {}",
                          recording.header().name, describe(kernel.error())),
              "leave --respect-limits out");
}

/** The stored space of a replay; the recording's own is shared. */
Result<space::SearchSpace> stored_space(const store::SessionRecord& record,
                                        const trial::Recording& recording) {
  if (record.space_fingerprint == recording.space().fingerprint()) return recording.space();
  return space::space_from_json(record.space_json);
}

/** Describes a recorded space and its origin: the requested file or session, and its description. */
std::string origin_of_replay(const TuningRequest& request, const store::Store& store,
                             const trial::RecordingHeader& header) {
  const std::string asked =
      is_recorded_target(request.target) ? request.target.substr(recorded_target_prefix.size()) : "";
  std::string from = header.origin;
  std::error_code error;
  if (std::filesystem::is_regular_file(asked, error)) {
    from = exchange::origin_of_recording(asked, header.origin);
  } else if (const Result<store::SessionId> id = store.sessions().find(asked); id && !asked.empty()) {
    const Result<store::SessionSummary> session = store.sessions().get(*id);
    const bool known = session && session->record.recording != 0 && !session->record.origin.empty();
    // Another replay of it says the same.
    if (known && session->record.kind == store::SessionKind::Replayed) return session->record.origin;
    if (known) from = session->record.origin;
  }
  return exchange::kept_origin(header.name + (header.name.empty() || from.empty() ? "" : ", ") + from);
}

/**
 * Returns the largest number of samples of a configuration; an error if a valid configuration has no samples.
 */
Result<std::size_t> recorded_samples(const trial::Recording& recording) {
  std::size_t most = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    const std::size_t samples = recording.samples(row).size();
    most = std::max(most, samples);
    if (recording.category(row) != trial::ErrorCategory::NoError) continue;
    if (samples > 0 && !recording.has_own_objective(row)) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the recorded space {} cannot be replayed with fewer samples: it has one number "
                            "per configuration, not the samples",
                            base::quoted_line(recording.header().name)),
                "keep the recorded samples, adaptive evaluator and give-up factor");
  }
  return most;
}

}  // namespace

Status take_recorded_samples(const trial::MeasureOptions& asked, const trial::Recording& recording,
                             trial::MeasureOptions& options) {
  if (!asked.replay_samples) return {};
  const auto most = static_cast<int>(TRY(recorded_samples(recording)));
  // Of another program's samples nothing is known but their seconds.
  if (recording.header().options_json.empty()) options.min_repeat_seconds = 0;
  options.replay_samples = true;
  options.repeats = std::clamp(asked.repeats, 1, std::max(1, most));
  options.give_up_factor = asked.give_up_factor;
  options.adaptive_batch = asked.adaptive_batch;
  options.adaptive_threshold = asked.adaptive_threshold;
  options.adaptive_minimum = asked.adaptive_minimum;
  options.adaptive_performance = asked.adaptive_performance;
  return of_recording(recording, trial::check_measure_options(options));
}

Result<PreparedTuning> prepare_replay(const TuningRequest& request, const store::Store& store,
                                      std::shared_ptr<const trial::Recording> recording) {
  const tuner::SettingValues settings = TRY(requested_settings(request));
  const RecordedSetup recorded = TRY(read_header(*recording));
  const trial::RecordingHeader& header = recording->header();
  TRY(check_same_task(request, *recording, recorded.task));
  TRY(check_same_template(request, header));
  const Result<schedule::ScheduledKernel> kernel = recorded_kernel(*recording, recorded);
  space::SearchSpace space = restricts_replay(request, *recording, recorded.options, kernel)
                                 ? TRY(respect_limits(*recording, kernel))
                                 : recording->space();
  space = TRY(restrict_space(space, request.restrictions));
  Setup setup{.space = std::move(space)};
  setup.task = recorded.task;
  setup.target = recorded.target;
  setup.template_name = header.template_name;
  setup.template_version = header.template_version;
  setup.settings = settings;
  setup.options = recorded.options;
  TRY(take_recorded_samples(request.measuring, *recording, setup.options));
  setup.options.search_time = request.measuring.search_time;
  setup.options.clock = request.measuring.clock;  // whatever the recorded session's was
  setup.features = features_of(kernel);
  setup.real_measurements = false;
  setup.origin = origin_of_replay(request, store, header);
  TRY(apply_request(request, store, setup));
  setup.budget.identical_failures = 0;  // of a recorded space failures are data
  PreparedTuning tuning{std::move(setup), nullptr, std::move(recording)};
  TRY(take_predictor(store, tuning));
  TRY(check_tuner(tuning.setup));
  return tuning;
}

Result<PreparedTuning> prepare_replay_resume(const store::Store& store, const store::SessionRecord& record) {
  const std::shared_ptr<const trial::Recording> recording = TRY(store.recordings().get(record.recording));
  const Result<RecordedSetup> recorded = read_header(*recording);
  if (!recorded) return only_viewed(record.id, describe(recorded.error()));
  Result<space::SearchSpace> space = stored_space(record, *recording);
  if (!space) return only_viewed(record.id, describe(space.error()));
  Setup setup{.space = std::move(*space)};
  setup.name = record.name;
  setup.task = recorded->task;
  setup.target = recorded->target;
  setup.template_name = record.template_name;
  setup.template_version = record.template_version;
  setup.tuner = record.tuner;
  setup.batch_size = record.batch_size;
  setup.seed = record.seed;
  setup.features = features_of(recorded_kernel(*recording, *recorded));
  setup.real_measurements = record.real_measurements;
  setup.origin = record.origin;
  if (const Status values = restore_values(store, record, setup); !values)
    return only_viewed(record.id, describe(values.error()));
  return PreparedTuning{std::move(setup), nullptr, recording};
}

}  // namespace kernelscape::session
