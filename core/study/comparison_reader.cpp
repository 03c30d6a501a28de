#include "core/study/comparison_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/exchange/stored_best.h"
#include "core/session/setup.h"
#include "core/study/arm_settings.h"
#include "core/study/compared_task.h"
#include "core/study/execution.h"
#include "core/trial/budget.h"
#include "core/trial/measure_options.h"
#include "core/trial/table.h"
#include "core/tuner/member_share.h"

namespace kernelscape::study {
namespace {

/** A run, and how far its session was read. */
struct ReadRun {
  analysis::ComparedRun compared;
  std::optional<store::SessionId> session;
  std::string error;
  trial::Table table{0};  ///< of sessions that may continue; empty once the session was read to its end
  /** The recording of a replay that took fewer samples than were recorded; null for others. */
  std::shared_ptr<const trial::Recording> recording;
  std::vector<double> whole_seconds;  ///< by row of `table`: the time from its recording; empty without one
  std::int64_t trials = 0;            ///< read so far
  bool ended = false;                 ///< read to its end
  /** Of the trials whose values were read; kept as long as `table`. */
  std::vector<analysis::ReportedValue> member_shares;
  std::int64_t shares_end = 0;  ///< one past the last trial whose values were read
  std::vector<double> noises;   ///< of measured trials near its best

  /** Discards the rows, so that the session is read again from its beginning. */
  void let_go() {
    table = trial::Table(0);
    whole_seconds.clear();
    member_shares.clear();
    shares_end = 0;
  }
};

/**
 * Returns the tuner of a chosen session as an arm: its settings that differ from the defaults, and its batch
 * if it differs.
 */
analysis::ComparedArm arm_of_session(const store::SessionRecord& record) {
  const std::string name = record.tuner.empty() ? std::string(store::to_string(record.kind)) : record.tuner;
  // An imported session of a tuner is not averaged with its sessions here.
  const std::string_view imported = record.kind == store::SessionKind::Imported ? " (imported)" : "";
  analysis::ComparedArm arm;
  std::map<std::string, std::string> changed;
  const Result<const tuner::Declaration*> tuner = tuner::find_tuner(record.tuner);
  // A batch that equals the number of builders differs between machines.
  if (tuner && record.batch_size != (*tuner)->default_batch) arm.batch = record.batch_size;
  if (const Result<tuner::SettingValues> settings =
          tuner ? session::settings_from_json(**tuner, record.settings_json)
                : Result<tuner::SettingValues>(tuner::SettingValues());
      tuner && settings) {
    for (const tuner::HyperparameterDeclaration& declaration : (*tuner)->hyperparameters) {
      const tuner::SettingValue& value = settings->at(declaration.name);
      if (value != declaration.default_value) changed[declaration.name] = space::to_string(value);
    }
    const Result<trial::BudgetPlan> budget = trial::budget_plan_from_json(record.budget_json);
    if ((*tuner)->random_phase)
      arm.random_phase = (*tuner)->random_phase(*settings, budget ? budget->limits.front().trials : 0);
  }
  // Its first proposals follow the sources, and it is not averaged with runs that learn from nothing else.
  std::string learning;
  const Result<std::vector<session::LearntSource>> sources =
      session::learnt_sources_from_json(record.history_json);
  if (sources && !sources->empty()) {
    arm.random_phase = 0;
    learning = fmt::format(" (learns from {})", sources->size());
  }
  arm.name = fmt::format("{}{}{}", default_arm_name(name, changed, arm.batch), learning, imported);
  arm.settings = settings_text(name, changed);
  return arm;
}

/**
 * Returns the session's best performance as measured again at its end at the machine's usual speed, or 0 if
 * it was not.
 */
Result<double> confirmed_performance(const store::Store& store, store::SessionId id, double flops) {
  const analysis::BestResult best = TRY(exchange::read_best(store, TRY(store.sessions().get(id))));
  return best.confirmed() && best.value.seconds > 0 ? performance_of(flops, best.value.seconds) : 0;
}

/**
 * Returns the recording of a replay that took fewer samples than were recorded, or null if it took them all.
 */
Result<std::shared_ptr<const trial::Recording>> recording_of_samples(const store::Store& store,
                                                                     store::SessionId id) {
  const store::SessionSummary session = TRY(store.sessions().get(id));
  if (session.record.kind != store::SessionKind::Replayed) return nullptr;
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(session.record.options_json);
  if (!options || !options->replay_samples) return nullptr;
  return store.recordings().get(session.record.recording);
}

/** Returns the time of a trial from all recorded samples instead of those that the replay took. */
double whole_seconds_of(const trial::Recording& recording, const store::ArrivedRow& trial) {
  const std::optional<std::uint32_t> row = recording.find(trial.configuration);
  return row ? recording.seconds(*row) : trial.median_seconds;
}

/** Returns the noises of the trials that are nearly as fast as the run's best. */
std::vector<double> noises_near_best(const trial::Snapshot& trials, double best_seconds) {
  std::vector<double> noises;
  for (std::int64_t trial = 0; trial < trials.size(); ++trial) {
    const trial::Row row = trials.row(trial);
    if (row.category != trial::ErrorCategory::NoError ||
        row.median_seconds * (1 - near_optimum) > best_seconds)
      continue;
    const analysis::Quartiles samples{.count = row.sample_count,
                                      .first = row.first_quartile_seconds,
                                      .median = row.sample_median_seconds,
                                      .third = row.third_quartile_seconds};
    if (const std::optional<double> noise = relative_noise(samples)) noises.push_back(*noise);
  }
  return noises;
}

}  // namespace

struct ComparisonReader::Data {
  Data(const store::Store& store_of, std::optional<store::StudyId> study_id,
       std::vector<store::SessionId> session_ids)
      : store(store_of), study(study_id), sessions(std::move(session_ids)) {}

  const store::Store& store;
  std::optional<store::StudyId> study;
  std::vector<store::SessionId> sessions;
  bool planned = false;  ///< arms, tasks and runs are known
  bool member_shares = false;
  bool paired_starts = false;
  std::string title;
  std::vector<analysis::ComparedArm> arms;
  std::vector<std::string> labels;                      ///< of the tasks
  std::vector<std::optional<ComparedTaskFacts>> facts;  ///< by task, once known from a session
  /** Whether `facts` of a task are of a space with the device limits as constraints; by task. */
  std::vector<bool> facts_limited;
  std::vector<bool> arms_limited;  ///< whether the limits are constraints; by arm of a study
  std::vector<ReadRun> runs;

  Status plan_study();
  Status plan_sessions();
  void add_session(const store::SessionSummary& session, std::size_t arm, std::size_t task);
  Status take_facts(const ReadRun& run);
  Status refresh(ReadRun& run, const store::SessionStatus& status);
  Status refresh_member_share(ReadRun& run, const trial::Snapshot& trials) const;
  Status refresh_study();
  Status refresh_sessions();
  void add_measured_noise(analysis::ComparedRuns& compared) const;
  std::shared_ptr<const analysis::ComparedRuns> collect() const;
};

Status ComparisonReader::Data::plan_study() {
  const Definition definition = TRY(stored_study(store, *study));
  for (const Arm& arm : definition.arms) {
    PlannedRun first;
    first.arm = arms.size();
    arms_limited.push_back(!definition.tasks.empty() &&
                           session::enforces_limits(request_of(definition, first)));
    arms.push_back(
        {.name = arm.name,
         .settings = arm_text(definition, arm),
         .batch = std::max<std::int64_t>(0, arm.batch),  // the batch of builders is part of the name
         .control = arm.control,
         .random_phase = random_phase_of(definition, arm)});
  }
  paired_starts = definition.paired_starts;
  labels = task_labels(definition);
  facts.resize(labels.size());
  for (const PlannedRun& planned_run : plan_runs(definition)) {
    ReadRun run;
    run.compared.arm = planned_run.arm;
    run.compared.task = planned_run.task;
    run.compared.repeat = planned_run.repeat;
    run.compared.seed = planned_run.seed;
    runs.push_back(std::move(run));
  }
  return {};
}

void ComparisonReader::Data::add_session(const store::SessionSummary& session, std::size_t arm,
                                         std::size_t task) {
  ReadRun run;
  run.session = session.record.id;
  run.compared.arm = arm;
  run.compared.task = task;
  run.compared.seed = session.record.seed;
  run.compared.repeat = static_cast<int>(std::ranges::count_if(
      runs, [&](const ReadRun& known) { return known.compared.arm == arm && known.compared.task == task; }));
  runs.push_back(std::move(run));
}

Status ComparisonReader::Data::plan_sessions() {
  std::map<std::string, std::size_t> known_arms;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> known_tasks;
  std::vector<store::SessionRecord> firsts;
  for (const store::SessionId id : sessions) {
    const store::SessionSummary session = TRY(store.sessions().get(id));
    const store::SessionRecord& record = session.record;
    analysis::ComparedArm of_session = arm_of_session(record);
    const auto [arm, new_arm] = known_arms.emplace(of_session.name, arms.size());
    if (new_arm) arms.push_back(std::move(of_session));
    const auto [task, new_task] = known_tasks.emplace(
        std::tuple(record.task_json, record.target_name, record.space_fingerprint), firsts.size());
    if (new_task) firsts.push_back(record);
    add_session(session, arm->second, task->second);
  }
  for (const store::SessionRecord& record : firsts) {
    const auto same = std::ranges::count(firsts, record.task_name, &store::SessionRecord::task_name);
    labels.push_back(same == 1
                         ? record.task_name
                         : fmt::format("{} ({}, {})", record.task_name, record.target_name,
                                       record.template_name.empty() ? "generic" : record.template_name));
  }
  facts.resize(labels.size());
  title = fmt::format("{} sessions", sessions.size());
  return {};
}

/**
 * Takes the facts of a task from the session of a run. Arms of a study may differ in whether limits are
 * constraints: then those of the space without limits count, of which the other is a part.
 */
Status ComparisonReader::Data::take_facts(const ReadRun& run) {
  const std::size_t task = run.compared.task;
  const bool limited = run.compared.arm < arms_limited.size() && arms_limited[run.compared.arm];
  facts_limited.resize(facts.size());
  if (facts[task] && (limited || !facts_limited[task])) return {};
  const store::SessionSummary session = TRY(store.sessions().get(*run.session));
  facts[task] = TRY(compared_task_facts(store, session.record));
  facts_limited[task] = limited;
  return {};
}

Status ComparisonReader::Data::refresh(ReadRun& run, const store::SessionStatus& status) {
  if (run.ended && status.trial_count == run.trials && status.state == store::SessionState::Done) return {};
  TRY(take_facts(run));
  std::optional<ComparedTaskFacts>& task = facts[run.compared.task];
  // A session that resumed after its end is read again, since its rows were discarded.
  if (run.ended) run.trials = 0;
  run.ended = false;
  if (run.trials == 0) run.recording = TRY(recording_of_samples(store, *run.session));
  TRY(store.trials().visit_rows(*run.session, run.trials, [&run](const store::ArrivedRow& row) {
    run.table.append(row, {});
    if (run.recording) run.whole_seconds.push_back(whole_seconds_of(*run.recording, row));
  }));
  const trial::Snapshot trials = run.table.snapshot();
  run.trials = trials.size();
  run.compared.session = *run.session;
  run.compared.curve = analysis::best_curve(trials, task->flops, status.session_seconds, run.whole_seconds);
  run.compared.errors = analysis::error_breakdown(trials);
  run.compared.time = {status.session_seconds, status.search_seconds, status.build_seconds,
                       status.run_seconds};
  run.compared.finished = status.state == store::SessionState::Done;
  run.compared.error = status.state == store::SessionState::Failed ? status.state_reason : run.error;
  if (task->member_count && run.trials >= *task->member_count) task->task.optimum_known = true;
  if (task->task.measured) {
    run.noises = noises_near_best(trials, status.best_seconds);
    if (run.compared.finished)
      run.compared.confirmed = TRY(confirmed_performance(store, *run.session, task->flops));
  }
  if (member_shares) TRY(refresh_member_share(run, trials));
  if (run.compared.finished && run.trials == status.trial_count) {
    run.let_go();
    run.ended = true;
  }
  return {};
}

Status ComparisonReader::Data::refresh_member_share(ReadRun& run, const trial::Snapshot& trials) const {
  TRY(store.series().visit(*run.session, run.shares_end, [&run](const store::StoredSeries& value) {
    run.shares_end = value.trial + 1;
    if (value.series == tuner::member_share_name) run.member_shares.push_back({value.trial, value.value});
  }));
  run.compared.member_share = analysis::reported_curve(trials, run.member_shares);
  return {};
}

Status ComparisonReader::Data::refresh_study() {
  const store::StudySummary summary = TRY(store.studies().get(*study));
  title = summary.record.name;
  const std::vector<store::StudyRun> stored = TRY(store.studies().runs(*study));
  for (std::size_t i = 0; i < std::min(stored.size(), runs.size()); ++i) {
    const store::StudyRun& now = stored[i];
    ReadRun& run = runs[i];
    if (run.session != now.session) {
      // The session was restarted.
      ReadRun fresh;
      fresh.session = now.session;
      fresh.compared.arm = run.compared.arm;
      fresh.compared.task = run.compared.task;
      fresh.compared.repeat = run.compared.repeat;
      fresh.compared.seed = run.compared.seed;
      run = std::move(fresh);
    }
    run.error = now.error;
    run.compared.error = now.error;
    if (!run.session) continue;
    const Status read = refresh(run, now.status);
    if (read) continue;
    if (read.error().code != ErrorCode::Corrupt) return read;
    // A damaged session hides no other run; it is read again from its beginning the next time.
    run.let_go();
    run.trials = 0;
    run.compared.error = read.error().message;
  }
  return {};
}

Status ComparisonReader::Data::refresh_sessions() {
  for (ReadRun& run : runs) {
    if (run.ended) continue;
    const store::SessionSummary session = TRY(store.sessions().get(*run.session));
    TRY(refresh(run, session.status));
  }
  return {};
}

/** Adds the noise of measured tasks, from the runs whose best is near the best of all. */
void ComparisonReader::Data::add_measured_noise(analysis::ComparedRuns& compared) const {
  std::vector<std::vector<double>> noises(compared.tasks.size());
  for (const ReadRun& run : runs) {
    const analysis::ComparedTask& task = compared.tasks[run.compared.task];
    if (!task.measured || run.compared.curve.best() < (1 - near_optimum) * task.optimum) continue;
    std::vector<double>& all = noises[run.compared.task];
    all.insert(all.end(), run.noises.begin(), run.noises.end());
  }
  for (std::size_t task = 0; task < noises.size(); ++task)
    if (compared.tasks[task].measured) compared.tasks[task].noise = typical_noise(std::move(noises[task]));
}

std::shared_ptr<const analysis::ComparedRuns> ComparisonReader::Data::collect() const {
  auto compared = std::make_shared<analysis::ComparedRuns>();
  compared->title = title;
  compared->arms = arms;
  compared->planned_runs = runs.size();
  compared->paired_starts = paired_starts;
  for (std::size_t task = 0; task < labels.size(); ++task) {
    compared->tasks.push_back(facts[task] ? facts[task]->task : analysis::ComparedTask{});
    compared->tasks.back().name = labels[task];
  }
  for (const ReadRun& run : runs) {
    if (run.session || !run.error.empty()) compared->runs.push_back(run.compared);
  }
  for (const analysis::ComparedRun& run : compared->runs) {
    analysis::ComparedTask& task = compared->tasks[run.task];
    if (task.members.empty()) task.optimum = std::max(task.optimum, run.curve.best());
  }
  add_measured_noise(*compared);
  return compared;
}

ComparisonReader::ComparisonReader(const store::Store& store, store::StudyId study)
    : data_(std::make_unique<Data>(store, study, std::vector<store::SessionId>())) {}

ComparisonReader::ComparisonReader(const store::Store& store, std::vector<store::SessionId> sessions)
    : data_(std::make_unique<Data>(store, std::nullopt, std::move(sessions))) {}

ComparisonReader::~ComparisonReader() = default;

void ComparisonReader::read_member_shares() { data_->member_shares = true; }

Result<std::shared_ptr<const analysis::ComparedRuns>> ComparisonReader::read() {
  if (!data_->planned) {
    const Status planned = data_->study ? data_->plan_study() : data_->plan_sessions();
    if (!planned) {
      auto fresh = std::make_unique<Data>(data_->store, data_->study, data_->sessions);
      fresh->member_shares = data_->member_shares;
      data_ = std::move(fresh);
      return std::unexpected(planned.error());
    }
    data_->planned = true;
  }
  TRY(data_->study ? data_->refresh_study() : data_->refresh_sessions());
  return data_->collect();
}

}  // namespace kernelscape::study
