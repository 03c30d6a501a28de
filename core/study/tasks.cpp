#include "core/study/tasks.h"

#include <fmt/format.h>

#include "core/exchange/importer.h"
#include "core/exchange/validation.h"
#include "core/session/shared_features.h"
#include "core/session/warm_start.h"
#include "core/study/arm_settings.h"

namespace kernelscape::study {

Result<std::shared_ptr<const trial::Recording>> open_recorded_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return fail(ErrorCode::NotFound, fmt::format("there is no file {} with a recorded space", file.string()),
                "name a file written by `kernelscape export --format recorded` or by another tuner");
  }
  if (exchange::is_recording_file(file)) {
    exchange::ValidatedRecording passed = TRY(exchange::open_recording(file));
    return std::move(passed.recording);
  }
  const exchange::ImportedFile imported = TRY(exchange::read_import(file));
  if (imported.parts.size() == 1) return exchange::recording_of(imported.parts.front());
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} contains {} spaces, but a task of a study is a single space", file.string(),
                  imported.parts.size()),
      "`import the file with `kernelscape import`, and name a recorded space by its number: recorded:NUMBER");
}

Tasks::Tasks(Definition study) : study_(std::move(study)) {
  for (std::size_t task = 0; task < study_.tasks.size(); ++task) tasks_.push_back(std::make_unique<Lookup>());
}

Tasks::Variant& Tasks::variant_of(const PlannedRun& run) {
  const session::TuningRequest request = request_of(study_, run);
  Lookup& lookup = *tasks_[run.task];
  if (!session::enforces_limits(request)) return lookup.unrestricted;
  return request.respect_limits ? lookup.limited : lookup.limited_if_known;
}

Result<session::PreparedTuning> Tasks::look_up(const store::Store& store, const PlannedRun& run) const {
  // All arms with the same limits share what is looked up here; the tuner is set later.
  session::TuningRequest request = request_of(study_, run);
  const bool by_default = session::enforces_limits(request) && !request.respect_limits;
  if (!by_default) request.tuner = tuner::sampling_tuner;
  request.settings.clear();
  request.warm_start.clear();
  request.learn_from.clear();
  request.measuring.replay_samples = false;
  request.measuring.beyond_limits = false;
  if (!study_.tasks[run.task].recorded()) return session::prepare_tuning(request, store);
  const std::filesystem::path file = request.target.substr(session::recorded_target_prefix.size());
  // A name that is not a file is a recorded space of the database.
  if (!file.is_absolute()) return session::prepare_tuning(request, store);
  std::shared_ptr<const trial::Recording> recording = TRY(open_recorded_file(file));
  return session::prepare_replay(request, store, std::move(recording));
}

Result<std::vector<session::ReadSource>> Tasks::sources_of(const store::Store& store, const PlannedRun& run,
                                                           const space::SearchSpace& space) {
  const std::vector<std::string> names = request_of(study_, run).learn_from;
  if (names.empty()) return std::vector<session::ReadSource>();
  Lookup& lookup = *tasks_[run.task];
  const std::scoped_lock lock(lookup.sources_mutex);
  if (const auto known = lookup.sources.find(run.arm); known != lookup.sources.end()) return known->second;
  std::vector<session::ReadSource> sources = TRY(session::usable_sources(store, names, space));
  lookup.sources.emplace(run.arm, sources);
  return sources;
}

Result<PreparedRun> Tasks::prepare(const store::Store& store, const PlannedRun& run,
                                   std::optional<store::SessionId> chained) {
  Variant& variant = variant_of(run);
  std::call_once(variant.once, [&] { variant.tuning = look_up(store, run); });
  if (!variant.tuning) return std::unexpected(variant.tuning.error());
  const Arm& arm = study_.arms[run.arm];
  tuner::SettingValues settings = TRY(checked_arm_settings(study_, arm));
  PreparedRun prepared{*variant.tuning, {}};
  session::PreparedTuning& tuning = prepared.tuning;
  tuning.setup.tuner = arm.tuner;
  tuning.setup.settings = std::move(settings);
  tuning.setup.batch_size = batch_run_with(study_, arm);
  tuning.setup.seed = run.seed;
  tuning.setup.name = request_of(study_, run).name;
  const trial::MeasureOptions measuring = measuring_of(study_, arm);
  if (!study_.tasks[run.task].recorded()) {
    tuning.setup.options = measuring;
    // Each run computes its own features, so that its search time is that of a separate run.
    if (tuning.family && tuning.family->scheduled() != nullptr)
      tuning.setup.features = session::own_features(*tuning.family->scheduled());
    TRY(session::lift_limits(tuning));
  } else {
    // Measuring options are those of the recording, except those that affect only the clock or take fewer
    // samples.
    TRY(session::take_recorded_samples(measuring, *tuning.recording, tuning.setup.options));
    tuning.setup.options.search_time = measuring.search_time;
    tuning.setup.options.clock = measuring.clock;
  }
  if (chained) {
    const Status carried = session::take_warm_start(store, *chained, tuning.setup);
    if (!carried && carried.error().code != ErrorCode::Refused) return std::unexpected(carried.error());
    if (!carried) prepared.notice = carried.error().message;
  } else if (arm.warm_start > 0) {
    TRY(session::take_warm_start(store, arm.warm_start, tuning.setup));
  }
  TRY(session::take_sources(TRY(sources_of(store, run, tuning.setup.space)), tuning.setup));
  TRY(session::take_predictor(store, tuning));
  TRY(session::check_tuner(tuning.setup));
  return prepared;
}

}  // namespace kernelscape::study
