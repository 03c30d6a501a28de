#include "core/study/shared_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/base/memory.h"
#include "core/session/warm_start.h"
#include "core/study/layer_scheduler.h"
#include "core/study/study_tasks.h"

namespace kernelscape {
namespace {

constexpr std::int64_t most_round_trials = 16;
constexpr std::int64_t least_rounds = 2;  // of every layer, where the budget has so many
constexpr double seconds_per_minute = 60;

/** A layer, with what is stored of it. */
struct SharedLayer {
  PlannedRun plan;
  std::optional<SessionId> session;
  std::int64_t allotted = 0;  ///< trials: the limit of its session
  SessionStatus status;
  LayerProgress progress;
  bool confirmed = false;
  std::string error;
  std::unique_ptr<KeptSearch> kept = std::make_unique<KeptSearch>();  ///< between its rounds

  /** A round was broken off. */
  bool in_round() const {
    return session && error.empty() && !progress.ended && status.trial_count < allotted;
  }
};

/** What a round tells, as news of its layer. */
class RoundNews final : public SessionObserver {
 public:
  RoundNews(StudyObserver& observer, const PlannedRun& run, StudyProgress& progress)
      : observer_(observer), run_(run), progress_(progress) {}
  void started(SessionId id, const SessionRecord&) override {
    session = id;
    observer_.run_started(run_, id);
  }
  void trial_finished(const Trial& trial, const SessionStatus& status) override {
    ++progress_.trials;
    observer_.trial_finished(run_, trial, status);
  }
  void message(const SessionMessage& message) override { observer_.message(message); }

  std::optional<SessionId> session;  ///< that was made or claimed

 private:
  StudyObserver& observer_;
  const PlannedRun& run_;
  StudyProgress& progress_;
};

class SharedBudgetRun {
 public:
  SharedBudgetRun(Store& store, StudyId id, const StudyDefinition& study, const StudyOptions& options,
                  StudyObserver& observer, const StopRequest& stop)
      : store_(store),
        id_(id),
        study_(study),
        tasks_(study),
        options_(options),
        observer_(observer),
        stop_(stop),
        recorded_(study.tasks.front().recorded()) {}

  Result<StudyOutcome> run() {
    const LayerScheduler scheduler = TRY(parse_layer_scheduler(study_.scheduler));
    TRY(load());
    progress_.runs = std::ssize(layers_);
    progress_.most_trials = study_.budget.trials;
    report();
    while (stop_.level() == 0) {
      const std::optional<std::size_t> next = choose(scheduler);
      if (!next) break;
      TRY(tune(layers_[*next]));
      report();
    }
    for (SharedLayer& layer : layers_) {
      if (stop_.level() > 0) break;
      TRY(finish(layer));
      report();
    }
    StudyOutcome outcome{id_, progress_, false};
    outcome.interrupted = stop_.level() > 0 && progress_.done + progress_.failed < progress_.runs;
    return outcome;
  }

 private:
  Status load() {
    const std::vector<PlannedRun> plan = plan_runs(study_);
    const std::vector<StudyRun> stored = TRY(store_.study_runs(id_));
    if (plan.size() != stored.size())
      return fail(ErrorCode::Corrupt,
                  fmt::format("study {} has {} runs stored, and {} planned", id_, stored.size(), plan.size()),
                  "make the study anew");
    for (std::size_t i = 0; i < plan.size(); ++i) {
      SharedLayer& layer = layers_.emplace_back();
      layer.plan = plan[i];
      layer.session = stored[i].session;
      TRY(forget_failure(layer, stored[i]));
      layer.progress.weight = static_cast<double>(study_.tasks[plan[i].task].multiplicity);
      TRY(describe_layer(layer));
      TRY(refresh(layer));
    }
    return {};
  }

  /** What failed is made anew, as in every study. */
  Status forget_failure(SharedLayer& layer, const StudyRun& stored) {
    if (!stored.error.empty()) TRY(store_.set_study_run_error(id_, layer.plan.run, ""));
    if (!layer.session || stored.status.state != SessionState::Failed) return {};
    TRY(store_.delete_session(*layer.session));
    layer.session.reset();
    return {};
  }

  /** Its task and its template: as they are stored, else of what it would be tuned with. */
  Status describe_layer(SharedLayer& layer) {
    if (layer.session) {
      const SessionRecord record = TRY(store_.session(*layer.session)).record;
      if (const Result<Task> task = task_from_json(record.task_json)) {
        layer.progress.flops = task->flops();
        layer.progress.kind = record.template_name;
        return {};
      }
    }
    const Result<PreparedRun> prepared = tasks_.prepare(store_, layer.plan, {});
    if (!prepared) {
      layer.error = describe(prepared.error());
      layer.progress.ended = true;
      return store_.set_study_run_error(id_, layer.plan.run, layer.error);
    }
    layer.progress.flops = prepared->tuning.setup.task.flops();
    layer.progress.kind = prepared->tuning.setup.template_name;
    return {};
  }

  /** What is stored of it by now. */
  Status refresh(SharedLayer& layer) {
    if (!layer.session) return {};
    const SessionSummary summary = TRY(store_.session(*layer.session));
    const BudgetPlan plan = TRY(budget_plan_from_json(summary.record.budget_json));
    const std::vector<Store::ArrivedRow> rows = TRY(store_.rows(*layer.session));
    layer.status = summary.status;
    layer.allotted = plan.budget.trials;
    layer.progress.best_seconds = best_after_rounds(rows, plan);
    layer.progress.ended = layer.progress.ended || layer_has_ended(summary, layer.allotted);
    if (layer.status.state == SessionState::Failed) layer.error = layer.status.state_reason;
    const std::vector<Confirmation> confirmations = TRY(store_.confirmations(*layer.session));
    layer.confirmed = std::ranges::any_of(
        confirmations, [&](const Confirmation& one) { return one.trial == layer.status.best_trial; });
    return {};
  }

  /** The layer of the next round; none: the budget is used. */
  std::optional<std::size_t> choose(LayerScheduler scheduler) const {
    if (const auto broken = std::ranges::find_if(layers_, &SharedLayer::in_round); broken != layers_.end())
      return static_cast<std::size_t>(broken - layers_.begin());
    if (next_trials() < 1) return std::nullopt;
    std::vector<LayerProgress> progress;
    for (const SharedLayer& layer : layers_) progress.push_back(layer.progress);
    return next_layer(scheduler, progress, study_.seed);
  }

  std::int64_t next_trials() const {
    std::vector<LayerUse> uses;
    for (const SharedLayer& layer : layers_)
      uses.push_back(
          {layer.status.trial_count, layer.allotted, layer.progress.ended, layer.status.session_seconds});
    return next_round_trials(study_, uses);
  }

  Status tune(SharedLayer& layer) {
    const std::int64_t limit = layer.in_round() ? layer.allotted : layer.allotted + next_trials();
    return go_on(layer, limit, /*goes_on=*/true);
  }

  /** Once the budget is used: the best again, beside the vendor's library. What was recorded stands for
   * itself. A session that was killed behind its last trial has no end yet. */
  Status finish(SharedLayer& layer) {
    if (!layer.error.empty()) {
      ++progress_.failed;
      return {};
    }
    const bool unconfirmed = !recorded_ && layer.status.best_trial >= 0 && !layer.confirmed;
    const bool wanted = layer.session && (unconfirmed || layer.status.state != SessionState::Done);
    if (wanted) TRY(go_on(layer, layer.allotted, /*goes_on=*/false));
    if (stop_.level() > 0) return {};
    ++(layer.error.empty() ? progress_.done : progress_.failed);
    if (layer.session) observer_.run_ended(layer.plan, *layer.session, layer.status);
    return {};
  }

  /** Runs its session up to this many trials. What goes wrong ends the layer, not the network. */
  Status go_on(SharedLayer& layer, std::int64_t limit, bool goes_on) {
    RoundNews news(observer_, layer.plan, progress_);
    progress_.running = 1;
    const Result<SessionOutcome> outcome = guarded("a layer of the network", [&]() -> Result<SessionOutcome> {
      PreparedTuning tuning = TRY(prepare(layer, news));
      tuning.setup.budget = {.trials = limit, .patience = study_.budget.patience};
      tuning.setup.goes_on = goes_on;
      tuning.kept = layer.kept.get();
      return options_.runner(store_, tuning, layer.session, news, stop_);
    });
    progress_.running = 0;
    // What it measured counts, however it ended.
    if (news.session) layer.session = news.session;
    TRY(refresh(layer));
    if (outcome) return {};
    if (stop_.level() > 0 && outcome.error().code == ErrorCode::Refused) return {};
    layer.error = describe(outcome.error());
    layer.progress.ended = true;
    observer_.run_failed(layer.plan, outcome.error());
    return store_.set_study_run_error(id_, layer.plan.run, layer.error);
  }

  Result<PreparedTuning> prepare(const SharedLayer& layer, SessionObserver& news) {
    if (layer.session) return prepare_resume(store_, *layer.session);
    PreparedRun prepared = TRY(tasks_.prepare(store_, layer.plan, {}));
    SessionSetup& setup = prepared.tuning.setup;
    setup.study = StudyPlace{id_, layer.plan.run};
    // What was measured here says nothing of a recording, and would leave nothing to find.
    if (recorded_) return std::move(prepared.tuning);
    if (const std::optional<SessionId> earlier = TRY(earlier_session(store_, setup, id_))) {
      const Status taken = take_warm_start(store_, *earlier, setup);
      news.message({MessageKind::Note,
                    taken ? fmt::format("{} begins with the trials of session {}", setup.task.name, *earlier)
                          : fmt::format("{} does not begin with the trials of session {}: {}",
                                        setup.task.name, *earlier, taken.error().message)});
    }
    return std::move(prepared.tuning);
  }

  void report() {
    // Replays do not tell every trial.
    progress_.trials = 0;
    for (const SharedLayer& layer : layers_) progress_.trials += layer.status.trial_count;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
    progress_.elapsed_seconds = elapsed.count();
    observer_.progress(progress_);
  }

  Store& store_;
  StudyId id_;
  const StudyDefinition& study_;
  StudyTasks tasks_;
  const StudyOptions& options_;
  StudyObserver& observer_;
  const StopRequest& stop_;
  bool recorded_;  ///< all of its layers, else none
  std::vector<SharedLayer> layers_;
  StudyProgress progress_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/** Of networks too, which lists of sessions leave out. */
Result<std::vector<SessionId>> sessions_of_networks(const Store& store, StudyId without) {
  std::vector<SessionId> sessions;
  for (const StudySummary& study : TRY(store.studies())) {
    if (study.record.id == without || purpose_of(study.record) != StudyPurpose::Network) continue;
    for (const StudyRun& run : TRY(store.study_runs(study.record.id)))
      if (run.session) sessions.push_back(*run.session);
  }
  return sessions;
}

bool is_same_work(const SessionRecord& record, const SessionSetup& setup) {
  if (!measured_here(record) || record.template_name != setup.template_name ||
      record.template_version != setup.template_version || record.target_json != target_to_json(setup.target))
    return false;
  const Result<Task> task = task_from_json(record.task_json);
  return task && task->op == setup.task.op && task->definition == setup.task.definition;
}

}  // namespace

std::vector<double> best_after_rounds(std::span<const Store::ArrivedRow> rows, const BudgetPlan& plan) {
  std::vector<double> best;
  for (const TrialLimit& limit : plan.limits) {
    double seconds = 0;
    for (const Store::ArrivedRow& row : rows) {
      const bool counts = row.number < limit.trials && row.category == ErrorCategory::NoError &&
                          row.median_seconds > 0 && (seconds == 0 || row.median_seconds < seconds);
      if (counts) seconds = row.median_seconds;
    }
    best.push_back(seconds);
  }
  return best;
}

bool layer_has_ended(const SessionSummary& session, std::int64_t allotted) {
  const SessionStatus& status = session.status;
  return status.state == SessionState::Failed ||
         (status.state == SessionState::Done && !session.owner && status.trial_count < allotted);
}

std::int64_t next_round_trials(const StudyDefinition& study, std::span<const LayerUse> layers) {
  std::int64_t left = study.budget.trials;
  double seconds = 0;
  for (const LayerUse& layer : layers) {
    left -= layer.ended ? layer.trials : layer.allotted;
    seconds += layer.session_seconds;
  }
  if (study.budget.minutes > 0 && seconds >= study.budget.minutes * seconds_per_minute) return 0;
  const std::int64_t round = round_trials(study);
  return study.budget.trials == 0 ? round : std::clamp<std::int64_t>(left, 0, round);
}

std::int64_t round_trials(const StudyDefinition& study) {
  if (study.budget.trials == 0) return most_round_trials;
  const std::int64_t share =
      study.budget.trials / (least_rounds * std::max<std::int64_t>(1, std::ssize(study.tasks)));
  return std::clamp<std::int64_t>(share, 1, most_round_trials);
}

Result<std::optional<SessionId>> earlier_session(const Store& store, const SessionSetup& setup,
                                                 StudyId without) {
  std::vector<SessionId> candidates = TRY(sessions_of_networks(store, without));
  std::vector<Error> unreadable;
  for (const SessionSummary& session : TRY(store.session_list(&unreadable)))
    candidates.push_back(session.record.id);
  std::optional<SessionId> best;
  double best_seconds = 0;
  for (const SessionId id : candidates) {
    const Result<SessionSummary> session = store.session(id);
    if (!session || session->status.best_trial < 0 || session->annotation.trashed) continue;
    if (best && session->status.best_seconds >= best_seconds) continue;
    if (!is_same_work(session->record, setup)) continue;
    best = id;
    best_seconds = session->status.best_seconds;
  }
  return best;
}

Result<StudyOutcome> run_shared_budget(Store& store, StudyId id, const StudyDefinition& study,
                                       const StudyOptions& options, StudyObserver& observer,
                                       const StopRequest& stop) {
  return SharedBudgetRun(store, id, study, options, observer, stop).run();
}

}  // namespace kernelscape
