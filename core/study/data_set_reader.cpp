#include "core/study/data_set_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/base/quantile.h"
#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/schedule/template.h"
#include "core/session/recording_cache.h"
#include "core/study/tasks.h"

namespace kernelscape::study {
namespace {

constexpr std::string_view study_prefix = "study ";
constexpr std::string_view session_prefix = "session ";

/** The trials of one task: a session or a recorded space. */
struct TrialSource {
  std::string label;  ///< for errors: "session 5", "recorded:x.ksrec"
  std::optional<store::SessionId> session;
  std::shared_ptr<const trial::Recording> recording;  ///< for a source that is not a session
  std::string template_name;
};

/** The sources, resolved to sessions and recorded spaces. */
struct FoundSources {
  std::vector<TrialSource> trials;
  std::vector<std::string> labels;  ///< a line for each source, for users
};

/** Facts from a session's row or a recording's header. */
struct SourceFacts {
  int template_version = 0;
  std::string task_json;
  std::string target_json;
  std::vector<space::Knob> knobs;
};

std::unexpected<Error> of_data_source(const TrialSource& source, Error error) {
  error.message = fmt::format("{}: {}", source.label, error.message);
  return std::unexpected(std::move(error));
}

Status refuse_running(std::string_view what, bool running) {
  if (!running) return {};
  return fail(ErrorCode::Refused, fmt::format("{} still runs, so its trials are incomplete", what),
              "wait until it ends, or stop it");
}

bool has_ended(store::SessionState state) {
  return state == store::SessionState::Done || state == store::SessionState::Interrupted;
}

Result<TrialSource> session_source(const store::Store& store, store::SessionId id) {
  const store::SessionSummary session = TRY(store.sessions().get(id));
  TrialSource source;
  source.label = fmt::format("session {}", id);
  source.session = id;
  source.template_name = session.record.template_name;
  return source;
}

Status find_study_trials(const store::Store& store, std::string_view wanted, FoundSources& found) {
  const store::StudyId id = TRY(store.studies().find(wanted));
  const store::StudySummary study = TRY(store.studies().get(id));
  TRY(refuse_running(fmt::format("study {}", id), study.owner && study.owner->alive()));
  const std::vector<store::StudyRun> runs = TRY(store.studies().runs(id));
  for (const store::StudyRun& run : runs) {
    if (!run.started() || !run.error.empty() || !has_ended(run.status.state)) continue;
    const store::SessionSummary session = TRY(store.sessions().get(*run.session));
    if (session.annotation.trashed) continue;
    found.trials.push_back(
        {fmt::format("session {}", *run.session), run.session, nullptr, session.record.template_name});
  }
  found.labels.push_back(fmt::format("study {} ({})", id, study.record.name));
  return {};
}

Status find_session_trials(const store::Store& store, std::string_view wanted, FoundSources& found) {
  const store::SessionId id = TRY(store.sessions().find(wanted));
  const store::SessionSummary session = TRY(store.sessions().get(id));
  TRY(refuse_running(fmt::format("session {}", id), session.status.state == store::SessionState::Running));
  found.trials.push_back(TRY(session_source(store, id)));
  found.labels.push_back(fmt::format("session {} ({})", id, session.record.name));
  return {};
}

Status find_recorded_trials(const store::Store& store, const std::string& target, FoundSources& found) {
  const std::filesystem::path file = target.substr(session::recorded_target_prefix.size());
  TrialSource source;
  source.recording =
      TRY(file.is_absolute() ? open_recorded_file(file) : session::open_recorded_target(target, store));
  source.label = std::string(session::recorded_target_prefix) + file.filename().string();
  source.template_name = source.recording->header().template_name;
  found.labels.push_back(source.label);
  found.trials.push_back(std::move(source));
  return {};
}

Result<FoundSources> find_trials(const store::Store& store, const std::vector<std::string>& sources) {
  FoundSources found;
  for (const std::string& source : sources) {
    if (session::is_recorded_target(source)) {
      TRY(find_recorded_trials(store, source, found));
    } else if (source.starts_with(session_prefix)) {
      TRY(find_session_trials(store, source.substr(session_prefix.size()), found));
    } else {
      TRY(find_study_trials(store, source.substr(study_prefix.size()), found));
    }
  }
  return found;
}

std::unexpected<Error> no_such_template(std::string_view wanted, const std::vector<std::string>& known) {
  return fail(
      ErrorCode::NotFound,
      fmt::format("the sources of the data set have no trials of the template {}", base::quoted_line(wanted)),
      base::suggest(wanted, known));
}

Result<SourceFacts> read_facts(const store::Store& store, const TrialSource& source) {
  if (source.recording) {
    const trial::RecordingHeader& header = source.recording->header();
    return SourceFacts{header.template_version, header.task_json, header.target_json,
                       source.recording->whole_space().knobs()};
  }
  const store::SessionSummary session = TRY(store.sessions().get(*source.session));
  const store::SessionRecord& record = session.record;
  SourceFacts facts{record.template_version, record.task_json, record.target_json, {}};
  if (record.recording != 0) {
    const std::shared_ptr<const trial::Recording> recording = TRY(store.recordings().get(record.recording));
    facts.knobs = recording->whole_space().knobs();
  } else {
    const space::SearchSpace space = TRY(space::space_from_json(record.space_json));
    facts.knobs = space.knobs();
  }
  return facts;
}

/** Which sources a data set is made of. */
struct ChosenSources {
  std::vector<std::string> templates;
  std::string operation = {};  ///< empty: tasks of any operation
};

Result<bool> is_chosen(const store::Store& store, const TrialSource& source, const ChosenSources& chosen) {
  if (std::ranges::find(chosen.templates, source.template_name) == chosen.templates.end()) return false;
  if (chosen.operation.empty()) return true;
  const SourceFacts facts = TRY(read_facts(store, source));
  const Result<task::Task> task = task::task_from_json(facts.task_json);
  return task && predictor::operation_of(*task) == chosen.operation;
}

/** Returns the templates with which the sources have tasks of an operation. */
Result<std::vector<std::string>> templates_of_operation(const store::Store& store,
                                                        const std::vector<TrialSource>& sources,
                                                        std::string_view operation) {
  std::set<std::string> found;
  for (const TrialSource& source : sources) {
    if (source.template_name.empty() || found.contains(source.template_name)) continue;
    const ChosenSources own{.templates = {source.template_name}, .operation = std::string(operation)};
    if (TRY(is_chosen(store, source, own))) found.insert(source.template_name);
  }
  return std::vector<std::string>(found.begin(), found.end());
}

/** Chooses the single template that all sources have, the requested ones, or those of an operation. */
Result<ChosenSources> choose_sources(const store::Store& store, const std::vector<TrialSource>& sources,
                                     std::string_view wanted, AbsentTemplates absent) {
  std::set<std::string> known;
  for (const TrialSource& source : sources)
    if (!source.template_name.empty()) known.insert(source.template_name);
  const std::vector<std::string> names(known.begin(), known.end());
  if (names.empty()) {
    return fail(ErrorCode::InvalidArgument, "the sources of the data set have no trials of a template",
                "name studies, sessions or recorded spaces that Kernelscape measured; logs of other programs "
                "have no loop nests to learn from");
  }
  if (wanted.empty() && names.size() > 1) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("the sources of the data set have several templates: {}", base::join(names, ", ")),
        "a predictor is for one template: choose it with --template, or name an operation there, such as "
        "conv2d, for one predictor of all its templates");
  }
  if (wanted.empty()) return ChosenSources{.templates = names};
  std::vector<std::string> chosen = predictor::template_names(wanted);
  const auto is_absent = [&](const std::string& name) { return !known.contains(name); };
  if (absent == AbsentTemplates::LeftOut && !std::ranges::all_of(chosen, is_absent))
    std::erase_if(chosen, is_absent);
  const auto unknown = std::ranges::find_if(chosen, is_absent);
  if (unknown == chosen.end()) return ChosenSources{.templates = chosen};
  const std::vector<std::string> of_operation = TRY(templates_of_operation(store, sources, wanted));
  if (of_operation.empty()) return no_such_template(*unknown, names);
  return ChosenSources{.templates = of_operation, .operation = std::string(wanted)};
}

/** Calls `visit` with the configuration and the seconds of each valid trial, in order of arrival. */
Status visit_valid(const store::Store& store, const TrialSource& source,
                   const std::function<void(const space::Configuration&, double)>& visit) {
  if (!source.recording) {
    return store.trials().visit_rows(*source.session, 0, [&](const store::ArrivedRow& row) {
      // A kernel that was only built has no measured speed.
      if (row.category == trial::ErrorCategory::NoError && row.median_seconds > 0)
        visit(row.configuration, row.median_seconds);
    });
  }
  const trial::Recording& recording = *source.recording;
  for (std::uint32_t row = 0; row < recording.size(); ++row) {
    if (recording.category(row) == trial::ErrorCategory::NoError && recording.seconds(row) > 0)
      visit(recording.configuration(row), recording.seconds(row));
  }
  return {};
}

/** The samples of one task read so far. */
struct GatheredTask {
  GatheredTask(schedule::ScheduledKernel of_task, task::Task task) : kernel(std::move(of_task)) {
    samples.task = std::move(task);
  }

  schedule::ScheduledKernel kernel;
  predictor::TaskSamples samples;
  std::unordered_map<space::Configuration, std::size_t> positions;  ///< in samples
  std::map<std::size_t, std::vector<double>>
      repeated;  ///< by position: fitness values of repeated measurements

  void add(const space::Configuration& configuration, double fitness) {
    const auto [found, is_new] = positions.emplace(configuration, samples.configurations.size());
    if (is_new) {
      samples.configurations.push_back(configuration);
      samples.fitness.push_back(static_cast<float>(fitness));
      return;
    }
    std::vector<double>& values = repeated[found->second];
    if (values.empty()) values.push_back(static_cast<double>(samples.fitness[found->second]));
    values.push_back(fitness);
  }

  predictor::TaskSamples finished() {
    for (auto& [position, values] : repeated)
      samples.fitness[position] = static_cast<float>(base::quantile(std::move(values), 0.5));
    return std::move(samples);
  }
};

/** Merges the trials of sources by task and template. */
class DataSetBuilder {
 public:
  DataSetBuilder(const store::Store& store, const std::vector<std::string>& templates)
      : store_(store), templates_(base::join(templates, ", ")) {
    data_.template_name = templates.front();
  }

  Status add(const TrialSource& source) {
    const SourceFacts facts = TRY(read_facts(store_, source));
    TRY(take_target(source, facts));
    GatheredTask* task = TRY(find_task(source, facts));
    const double flops = task->samples.task.flops();
    const space::SearchSpace& space = task->kernel.space();
    bool too_many = false;
    TRY(visit_valid(store_, source, [&](const space::Configuration& configuration, double seconds) {
      if (too_many || !space.contains(configuration)) return;
      const std::size_t before = task->samples.configurations.size();
      task->add(configuration, flops / seconds);
      samples_ += task->samples.configurations.size() - before;
      too_many = samples_ > max_data_set_samples;
    }));
    if (!too_many) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the data set has more than {} samples", max_data_set_samples),
                "name fewer sources; instead of a large recorded space, name a session that samples it");
  }

  Result<predictor::DataSet> finish(std::vector<std::string> labels) {
    for (const std::unique_ptr<GatheredTask>& task : tasks_) {
      predictor::TaskSamples samples = task->finished();
      if (!samples.configurations.empty()) data_.tasks.push_back(std::move(samples));
    }
    data_.sources = std::move(labels);
    if (!data_.tasks.empty()) return std::move(data_);
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("the data set has no valid trial of the template {}", templates_),
        "check the error categories of the sessions; measure other configurations, or name other sources");
  }

 private:
  /** Checks that all sources have the ISA of the first source, whose target becomes that of the data set. */
  Status take_target(const TrialSource& source, const SourceFacts& facts) {
    const Result<schedule::TargetDescription> target = schedule::target_from_json(facts.target_json);
    if (!target) return of_data_source(source, target.error());
    if (first_.empty()) {
      first_ = source.label;
      data_.target = *target;
    }
    if (target->kind != data_.target.kind || target->instructions() != data_.target.instructions()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the data set has trials of two ISAs: {} of {} and {} of {}", data_.target.isa,
                              first_, target->isa, source.label),
                  "a predictor is for one ISA: name sources with the same ISA");
    }
    return {};
  }

  Result<GatheredTask*> find_task(const TrialSource& source, const SourceFacts& facts) {
    Result<task::Task> task = task::task_from_json(facts.task_json);
    if (!task) return of_data_source(source, task.error());
    const auto [found, is_new] = known_.emplace(std::pair(source.template_name, task->text), nullptr);
    if (is_new) {
      Result<schedule::ScheduledKernel> kernel =
          schedule::apply_template(*task, data_.target, source.template_name);
      if (!kernel) return of_data_source(source, kernel.error());
      tasks_.push_back(std::make_unique<GatheredTask>(std::move(*kernel), std::move(*task)));
      found->second = tasks_.back().get();
    }
    const int version = found->second->kernel.template_version();
    if (facts.template_version != version)
      return fail(ErrorCode::Refused,
                  fmt::format("{} was measured with version {} of the template {}, which has version {} now",
                              source.label, facts.template_version, source.template_name, version),
                  "remove it, or measure its task again");
    if (source.template_name == data_.template_name)
      data_.template_version = version;
    else
      found->second->samples.other_template = {source.template_name, version};
    // Tasks with equal texts may have different spaces if the values of a knob are part of a task.
    if (found->second->kernel.space().knobs() == facts.knobs) return found->second;
    return fail(ErrorCode::Refused,
                fmt::format("{} has other knobs than the template {} gives its task {} here", source.label,
                            source.template_name, found->second->samples.task.text),
                "remove it, or measure its task again");
  }

  const store::Store& store_;
  std::string templates_;  ///< names, for errors
  predictor::DataSet data_;
  std::string first_;  ///< label of the first source
  std::size_t samples_ = 0;
  std::vector<std::unique_ptr<GatheredTask>> tasks_;
  std::map<std::pair<std::string, std::string>, GatheredTask*> known_;  ///< by template and text of the task
};

Result<std::string> resolve_source(const store::Store& store, const std::string& source) {
  std::error_code unknown;
  if (session::is_recorded_target(source)) {
    std::string target = resolve_recorded_target(source, std::filesystem::current_path(unknown));
    const std::string name = target.substr(session::recorded_target_prefix.size());
    if (std::filesystem::path(name).is_absolute()) return target;
    return fmt::format("{}{}", session::recorded_target_prefix, TRY(store.sessions().find(name)));
  }
  if (source.starts_with(session_prefix))
    return fmt::format("{}{}", session_prefix,
                       TRY(store.sessions().find(source.substr(session_prefix.size()))));
  const bool prefixed = source.starts_with(study_prefix);
  Result<store::StudyId> study = store.studies().find(prefixed ? source.substr(study_prefix.size()) : source);
  if (study) return fmt::format("{}{}", study_prefix, *study);
  // "study of resnet18/C6" may be a name.
  if (const Result<store::StudyId> named = store.studies().find(source); prefixed && named)
    return fmt::format("{}{}", study_prefix, *named);
  Error error = study.error();
  if (std::filesystem::is_regular_file(source, unknown)) {
    error.hint = fmt::format("for a file with a recorded space, write recorded:{}", source);
  } else if (!prefixed && store.sessions().find(source)) {
    error.hint = fmt::format("for the session, write \"session {}\"", source);
  }
  return std::unexpected(std::move(error));
}

}  // namespace

Result<std::vector<std::string>> resolve_data_sources(const store::Store& store,
                                                      const std::vector<std::string>& sources) {
  if (sources.empty()) {
    return fail(ErrorCode::InvalidArgument, "the data set has no sources",
                "name studies, sessions or recorded spaces: \"study 3\", \"session 5\", recorded:FILE");
  }
  std::vector<std::string> resolved;
  for (const std::string& source : sources) {
    std::string one = TRY(resolve_source(store, source));
    // A source that is named twice counts once.
    if (std::ranges::find(resolved, one) == resolved.end()) resolved.push_back(std::move(one));
  }
  return resolved;
}

Result<predictor::DataSet> read_data_set(const store::Store& store, const std::vector<std::string>& sources,
                                         std::string_view templates, AbsentTemplates absent) {
  const std::vector<std::string> resolved = TRY(resolve_data_sources(store, sources));
  FoundSources found = TRY(find_trials(store, resolved));
  const ChosenSources chosen = TRY(choose_sources(store, found.trials, templates, absent));
  DataSetBuilder builder(store, chosen.templates);
  for (TrialSource& source : found.trials) {
    if (TRY(is_chosen(store, source, chosen))) TRY(builder.add(source));
    // Frees the recording of each source as soon as it has been read.
    source.recording.reset();
  }
  return builder.finish(std::move(found.labels));
}

}  // namespace kernelscape::study
