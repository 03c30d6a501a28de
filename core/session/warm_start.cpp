#include "core/session/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/schedule/loop_features.h"
#include "core/schedule/template.h"
#include "core/space/csp_features.h"
#include "core/store/stored_speeds.h"
#include "core/trial/observed_row.h"
#include "core/tuner/encoded_tuner.h"
#include "core/tuner/feature_choice.h"

namespace kernelscape::session {
namespace {

/** "session 3 (resnet18/C2, template conv2d-packed)". */
std::string describe_source(const store::SessionRecord& record) {
  return fmt::format("session {} ({}, template {})", record.id, record.task_name,
                     record.template_name.empty() ? "unknown" : record.template_name);
}

std::unexpected<Error> refuse_other_knobs(const store::SessionRecord& source) {
  std::vector<std::string> learners;
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    if (tuner.learns_from_features) learners.push_back(tuner.name);
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} has other knobs than this search space", describe_source(source)),
      fmt::format("warm-start from a session of the same task, target and template, or choose a tuner "
                  "that learns from features: {}",
                  base::join(learners, ", ")));
}

/**
 * Returns the template application that generates the kernels of a stored session, if it still generates the
 * same kernels.
 */
Result<schedule::ScheduledKernel> kernel_of_source(const store::SessionRecord& record,
                                                   const space::SearchSpace& space) {
  if (record.template_name.empty()) return fail(ErrorCode::Refused, "it comes from another program");
  const task::Task task = TRY(task::task_from_json(record.task_json));
  const schedule::TargetDescription target = TRY(schedule::target_from_json(record.target_json));
  schedule::ScheduledKernel kernel = TRY(schedule::apply_template(task, target, record.template_name));
  if (kernel.template_version() != record.template_version || kernel.space().knobs() != space.knobs())
    return fail(ErrorCode::Refused, fmt::format("the template {} has changed", record.template_name));
  return kernel;
}

/**
 * Returns true if both have kernels of templates; for spaces of other programs only the knobs can be
 * compared.
 */
bool is_of_another_task(const store::SessionRecord& source, const Setup& setup) {
  if (source.template_name.empty() || setup.template_name.empty()) return false;
  const Result<task::Task> task = task::task_from_json(source.task_json);
  return task && (task->op != setup.task.op || task->definition != setup.task.definition);
}

/** Returns the features of a set by its name, not cached. */
std::shared_ptr<const space::FeatureExtractor> features_named(std::string_view set,
                                                              const schedule::ScheduledKernel& kernel) {
  if (set == "itervar") return schedule::itervar_features(kernel);
  if (set == "curve") return schedule::curve_features(kernel);
  if (set == "csp") return std::make_shared<space::CspFeatures>(kernel.space(), kernel.limits());
  return std::make_shared<space::KnobFeatures>(kernel.space());
}

bool offers_features_of_loops(const tuner::Declaration& tuner) {
  const auto setting =
      std::ranges::find(tuner.hyperparameters, "features", &tuner::HyperparameterDeclaration::name);
  return setting != tuner.hyperparameters.end() &&
         std::ranges::find(setting->choices, "itervar") != setting->choices.end();
}

/** Returns the features that the setup's tuner learns from, for the kernels of another session. */
Result<std::shared_ptr<const space::FeatureExtractor>> features_of_source(const store::SessionRecord& source,
                                                                          const space::SearchSpace& space,
                                                                          const Setup& setup,
                                                                          const tuner::Declaration& tuner) {
  const tuner::Context context{.space = setup.space,
                               .task = setup.task,
                               .features = setup.features,
                               .history = {},
                               .trial_budget = 0,
                               .settings = setup.settings};
  const std::shared_ptr<const space::FeatureExtractor> own = TRY(tuner::chosen_features(context, tuner.name));
  const Result<schedule::ScheduledKernel> kernel = kernel_of_source(source, space);
  if (!kernel) {
    return fail(
        ErrorCode::Refused,
        fmt::format("{} has another task or space, and the features of its kernels cannot be computed: {}",
                    describe_source(source), describe(kernel.error())),
        "warm-start from a session of a template of this program");
  }
  const std::string set = own->name();
  const bool of_loops = set == "itervar" || set == "curve";
  // Levels have separate knobs and variables, which the configurations of the other session do not have.
  const bool reported = of_loops || !tuner::read_settings<tuner::EncodingSettings>(setup.settings).levels;
  std::shared_ptr<const space::FeatureExtractor> others = features_named(set, *kernel);
  if (reported && others->names() == own->names()) return others;
  return fail(ErrorCode::Refused,
              fmt::format("{} has another task or space, and other {} features than this session: a model "
                          "cannot learn from both",
                          describe_source(source), set),
              of_loops || !offers_features_of_loops(tuner)
                  ? "warm-start from a session of the same template and loop nest: pointwise convolutions "
                    "have another loop nest"
                  : "set features to itervar or curve, which are the same for tasks of one loop nest");
}

/** Trials of another space, as rows of features. */
Result<WarmStart> warm_start_by_features(const store::Store& store, const store::SessionRecord& source,
                                         const space::SearchSpace& space, const Setup& setup,
                                         std::int64_t trials) {
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(setup.tuner));
  if (!tuner->learns_from_features) return refuse_other_knobs(source);
  const auto features = TRY(features_of_source(source, space, setup, *tuner));
  // The fitness of its trials is computed with the FLOP count of its own task.
  const task::Task task = TRY(task::task_from_json(source.task_json));
  const auto rows = TRY(source_rows(store, source, trials));
  WarmStart warm{{}, {source.id, std::ssize(rows), true}, {}, features->names()};
  for (const store::ArrivedRow& row : rows) {
    if (!has_speed(row) || !space.contains(row.configuration)) continue;
    // Its indices mean other values in this space, so the configuration is removed.
    warm.observations.push_back(trial::observe_row(row, {}, task.flops()));
    warm.features.push_back(features->compute(row.configuration));
  }
  return warm;
}

}  // namespace

Result<std::vector<store::ArrivedRow>> source_rows(const store::Store& store,
                                                   const store::SessionRecord& source, std::int64_t trials) {
  const store::SessionId id = source.id;
  std::vector<store::ArrivedRow> rows = TRY(store.trials().rows(id));
  if (trials > std::ssize(rows)) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} has {} trials, but had {} when it was used", id, rows.size(), trials),
                "start a new session");
  }
  if (trials >= 0) rows.resize(static_cast<std::size_t>(trials));
  // Only readings of these trials: later ones would change the history of a session that is resumed.
  trial::SessionSpeedReader reader = store::speed_reader_of(source);
  for (const store::ArrivedRow& row : rows) reader.add(row);
  if (const auto speeds = reader.speeds()) {
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].machine = speeds->trials[row];
  }
  std::ranges::sort(rows, {}, &store::ArrivedRow::number);
  return rows;
}

bool has_speed(const store::ArrivedRow& row) {
  return row.category != trial::ErrorCategory::NoError || row.median_seconds > 0;
}

Result<WarmStart> warm_start_from(const store::Store& store, store::SessionId id,
                                  const space::SearchSpace& space, double flops, std::int64_t trials) {
  const store::SessionSummary source = TRY(store.sessions().get(id));
  const space::SearchSpace source_space = TRY(space::space_from_json(source.record.space_json));
  if (source_space.knobs() != space.knobs()) return refuse_other_knobs(source.record);
  const auto rows = TRY(source_rows(store, source.record, trials));
  WarmStart warm{{}, {id, std::ssize(rows)}};
  for (const store::ArrivedRow& row : rows) {
    if (has_speed(row) && space.contains(row.configuration))
      warm.observations.push_back(trial::observe_row(row, row.configuration, flops));
  }
  return warm;
}

Result<HistorySource> warm_start_source(const store::Store& store, store::SessionId id, const Setup& setup) {
  const store::SessionSummary source = TRY(store.sessions().get(id));
  const space::SearchSpace space = TRY(space::space_from_json(source.record.space_json));
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(setup.tuner));
  const bool other_kernels = tuner->learns_from_features && is_of_another_task(source.record, setup);
  const auto rows = TRY(store.trials().rows(id));
  return HistorySource{id, std::ssize(rows), space.knobs() != setup.space.knobs() || other_kernels};
}

Result<WarmStart> warm_start_for(const store::Store& store, const HistorySource& source, const Setup& setup) {
  if (!source.by_features)
    return warm_start_from(store, source.session, setup.space, setup.task.flops(), source.trials);
  const store::SessionSummary stored = TRY(store.sessions().get(source.session));
  const space::SearchSpace space = TRY(space::space_from_json(stored.record.space_json));
  return warm_start_by_features(store, stored.record, space, setup, source.trials);
}

Status take_history(const store::Store& store, const std::vector<HistorySource>& sources, Setup& setup) {
  std::vector<trial::Observation> members;
  setup.history.clear();
  setup.history_features.clear();
  setup.history_columns.clear();
  setup.history_sources.clear();
  for (const HistorySource& wanted : sources) {
    WarmStart warm = TRY(warm_start_for(store, wanted, setup));
    setup.history_sources.push_back(warm.source);
    // Those with features come first: a row for each of the first so many.
    std::ranges::move(warm.observations, std::back_inserter(warm.columns.empty() ? members : setup.history));
    std::ranges::move(warm.features, std::back_inserter(setup.history_features));
    if (!warm.columns.empty()) setup.history_columns = std::move(warm.columns);
  }
  std::ranges::move(members, std::back_inserter(setup.history));
  return {};
}

Status take_warm_start(const store::Store& store, store::SessionId id, Setup& setup) {
  const HistorySource source = TRY(warm_start_source(store, id, setup));
  return take_history(store, {source}, setup);
}

}  // namespace kernelscape::session
