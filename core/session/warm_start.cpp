#include "core/session/warm_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/schedule/loop_features.h"
#include "core/schedule/template.h"
#include "core/space/csp_features.h"
#include "core/trial/observed_row.h"
#include "core/tuner/encoded_tuner.h"
#include "core/tuner/feature_choice.h"

namespace kernelscape {
namespace {

/** "session 3 (resnet18/C2, template conv2d-packed)". */
std::string describe_source(const SessionRecord& record) {
  return fmt::format("session {} ({}, template {})", record.id, record.task_name,
                     record.template_name.empty() ? "unknown" : record.template_name);
}

/** The first `trials` that arrived, by number; -1: all. */
Result<std::vector<Store::ArrivedRow>> source_rows(const Store& store, SessionId id, std::int64_t trials) {
  std::vector<Store::ArrivedRow> rows = TRY(store.rows(id));
  if (trials > std::ssize(rows)) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} has {} trials, but had {} when it was used", id, rows.size(), trials),
                "start a new session");
  }
  if (trials >= 0) rows.resize(static_cast<std::size_t>(trials));
  std::ranges::sort(rows, {}, &Store::ArrivedRow::number);
  return rows;
}

/** A kernel that was only built has no known speed. */
bool has_speed(const Store::ArrivedRow& row) {
  return row.category != ErrorCategory::NoError || row.median_seconds > 0;
}

std::unexpected<Error> refuse_other_knobs(const SessionRecord& source) {
  std::vector<std::string> learners;
  for (const TunerDeclaration& tuner : tuner_registry())
    if (tuner.learns_from_features) learners.push_back(tuner.name);
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} has other knobs than this search space", describe_source(source)),
      fmt::format("warm-start from a session of the same task, target and template, or choose a tuner "
                  "that learns from features: {}",
                  join(learners, ", ")));
}

/**
 * Returns the template application that generates the kernels of a stored session, if it still generates the
 * same kernels.
 */
Result<ScheduledKernel> kernel_of_source(const SessionRecord& record, const SearchSpace& space) {
  if (record.template_name.empty()) return fail(ErrorCode::Refused, "it comes from another program");
  const Task task = TRY(task_from_json(record.task_json));
  const TargetDescription target = TRY(target_from_json(record.target_json));
  ScheduledKernel kernel = TRY(apply_template(task, target, record.template_name));
  if (kernel.template_version() != record.template_version || kernel.space().knobs() != space.knobs())
    return fail(ErrorCode::Refused, fmt::format("the template {} has changed", record.template_name));
  return kernel;
}

/**
 * Returns true if both have kernels of templates; for spaces of other programs only the knobs can be
 * compared.
 */
bool is_of_another_task(const SessionRecord& source, const SessionSetup& setup) {
  if (source.template_name.empty() || setup.template_name.empty()) return false;
  const Result<Task> task = task_from_json(source.task_json);
  return task && (task->op != setup.task.op || task->definition != setup.task.definition);
}

/** Returns the features of a set by its name, not cached. */
std::shared_ptr<const FeatureExtractor> features_named(std::string_view set, const ScheduledKernel& kernel) {
  if (set == "itervar") return itervar_features(kernel);
  if (set == "curve") return curve_features(kernel);
  if (set == "csp") return std::make_shared<CspFeatures>(kernel.space(), kernel.limits());
  return std::make_shared<KnobFeatures>(kernel.space());
}

bool offers_features_of_loops(const TunerDeclaration& tuner) {
  const auto setting = std::ranges::find(tuner.hyperparameters, "features", &HyperparameterDeclaration::name);
  return setting != tuner.hyperparameters.end() &&
         std::ranges::find(setting->choices, "itervar") != setting->choices.end();
}

/** Returns the features that the setup's tuner learns from, for the kernels of another session. */
Result<std::shared_ptr<const FeatureExtractor>> features_of_source(const SessionRecord& source,
                                                                   const SearchSpace& space,
                                                                   const SessionSetup& setup,
                                                                   const TunerDeclaration& tuner) {
  const TunerContext context{.space = setup.space,
                             .task = setup.task,
                             .features = setup.features,
                             .history = {},
                             .trial_budget = 0,
                             .settings = setup.settings};
  const std::shared_ptr<const FeatureExtractor> own = TRY(chosen_features(context, tuner.name));
  const Result<ScheduledKernel> kernel = kernel_of_source(source, space);
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
  const bool reported = of_loops || !read_settings<EncodingSettings>(setup.settings).levels;
  std::shared_ptr<const FeatureExtractor> others = features_named(set, *kernel);
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
Result<WarmStart> warm_start_by_features(const Store& store, const SessionRecord& source,
                                         const SearchSpace& space, const SessionSetup& setup,
                                         std::int64_t trials) {
  const TunerDeclaration* tuner = TRY(find_tuner(setup.tuner));
  if (!tuner->learns_from_features) return refuse_other_knobs(source);
  const auto features = TRY(features_of_source(source, space, setup, *tuner));
  // The fitness of its trials is computed with the FLOP count of its own task.
  const Task task = TRY(task_from_json(source.task_json));
  const auto rows = TRY(source_rows(store, source.id, trials));
  WarmStart warm{{}, {source.id, std::ssize(rows), true}, {}, features->names()};
  for (const Store::ArrivedRow& row : rows) {
    if (!has_speed(row) || !space.contains(row.configuration)) continue;
    // Its indices mean other values in this space, so the configuration is removed.
    warm.observations.push_back(observe_row(row, {}, task.flops()));
    warm.features.push_back(features->compute(row.configuration));
  }
  return warm;
}

}  // namespace

Result<WarmStart> warm_start_from(const Store& store, SessionId id, const SearchSpace& space, double flops,
                                  std::int64_t trials) {
  const SessionSummary source = TRY(store.session(id));
  const SearchSpace source_space = TRY(space_from_json(source.record.space_json));
  if (source_space.knobs() != space.knobs()) return refuse_other_knobs(source.record);
  const auto rows = TRY(source_rows(store, id, trials));
  WarmStart warm{{}, {id, std::ssize(rows)}};
  for (const Store::ArrivedRow& row : rows) {
    if (has_speed(row) && space.contains(row.configuration))
      warm.observations.push_back(observe_row(row, row.configuration, flops));
  }
  return warm;
}

Result<HistorySource> warm_start_source(const Store& store, SessionId id, const SessionSetup& setup) {
  const SessionSummary source = TRY(store.session(id));
  const SearchSpace space = TRY(space_from_json(source.record.space_json));
  const TunerDeclaration* tuner = TRY(find_tuner(setup.tuner));
  const bool other_kernels = tuner->learns_from_features && is_of_another_task(source.record, setup);
  const auto rows = TRY(store.rows(id));
  return HistorySource{id, std::ssize(rows), space.knobs() != setup.space.knobs() || other_kernels};
}

Result<WarmStart> warm_start_for(const Store& store, const HistorySource& source, const SessionSetup& setup) {
  if (!source.by_features)
    return warm_start_from(store, source.session, setup.space, setup.task.flops(), source.trials);
  const SessionSummary stored = TRY(store.session(source.session));
  const SearchSpace space = TRY(space_from_json(stored.record.space_json));
  return warm_start_by_features(store, stored.record, space, setup, source.trials);
}

Status take_history(const Store& store, const std::vector<HistorySource>& sources, SessionSetup& setup) {
  std::vector<Observation> members;
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

Status take_warm_start(const Store& store, SessionId id, SessionSetup& setup) {
  const HistorySource source = TRY(warm_start_source(store, id, setup));
  return take_history(store, {source}, setup);
}

}  // namespace kernelscape
