#include "core/study/shared_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "core/base/memory.h"
#include "core/session/warm_start.h"
#include "core/study/layer_scheduler.h"
#include "core/study/next_rounds.h"
#include "core/study/study_tasks.h"

namespace kernelscape {
namespace {

/** A layer, with what is stored of it. */
struct SharedLayer {
  PlannedRun plan;
  std::optional<SessionId> session;
  std::vector<std::int64_t> limits;  ///< trials of its session, with each of its rounds
  SessionStatus status;
  LayerProgress progress;
  bool confirmed = false;
  std::string error;
  std::unique_ptr<KeptSearch> kept = std::make_unique<KeptSearch>();  ///< between its rounds

  std::int64_t allotted() const { return limits.empty() ? 0 : limits.back(); }

  /** What says which rounds are due. */
  StoredRounds stored() const {
    StoredRounds rounds{
        .progress = progress,
        .limits = limits,
        .in_round = session && error.empty() && !progress.ended && status.trial_count < allotted(),
        .trials = status.trial_count,
        .session_seconds = status.session_seconds};
    if (rounds.in_round) rounds.progress.best_seconds.pop_back();
    return rounds;
  }
};

/** What the threads of a network tell, one after the other. */
class NetworkLedger {
 public:
  explicit NetworkLedger(StudyObserver& observer) : observer_(observer) {}

  void begin(std::int64_t runs, std::int64_t most_trials) {
    progress_.runs = runs;
    progress_.most_trials = most_trials;
  }
  void started(const PlannedRun& run, SessionId id) {
    const std::scoped_lock lock(mutex_);
    observer_.run_started(run, id);
  }
  void trial(const PlannedRun& run, const Trial& trial, const SessionStatus& status) {
    const std::scoped_lock lock(mutex_);
    ++progress_.trials;
    observer_.trial_finished(run, trial, status);
  }
  void message(const SessionMessage& message) {
    const std::scoped_lock lock(mutex_);
    observer_.message(message);
  }
  /** A round begins (1) or ends (-1). */
  void count_running(int change) {
    const std::scoped_lock lock(mutex_);
    progress_.running += change;
  }
  void failed(const PlannedRun& run, const Error& error) {
    const std::scoped_lock lock(mutex_);
    observer_.run_failed(run, error);
  }
  /** A layer has its end. */
  void ended(const PlannedRun& run, std::optional<SessionId> session, const SessionStatus& status,
             bool failed) {
    const std::scoped_lock lock(mutex_);
    ++(failed ? progress_.failed : progress_.done);
    if (session) observer_.run_ended(run, *session, status);
    tell();
  }
  /** Replays do not tell every trial. */
  void report(std::int64_t trials) {
    const std::scoped_lock lock(mutex_);
    progress_.trials = trials;
    tell();
  }
  StudyProgress progress() const {
    const std::scoped_lock lock(mutex_);
    return progress_;
  }

 private:
  void tell() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
    progress_.elapsed_seconds = elapsed.count();
    observer_.progress(progress_);
  }

  StudyObserver& observer_;
  mutable std::mutex mutex_;
  StudyProgress progress_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/** What a round tells, as news of its layer. */
class RoundNews final : public SessionObserver {
 public:
  RoundNews(NetworkLedger& ledger, const PlannedRun& run) : ledger_(ledger), run_(run) {}
  void started(SessionId id, const SessionRecord&) override {
    session = id;
    ledger_.started(run_, id);
  }
  void trial_finished(const Trial& trial, const SessionStatus& status) override {
    ledger_.trial(run_, trial, status);
  }
  void message(const SessionMessage& message) override { ledger_.message(message); }

  std::optional<SessionId> session;  ///< that was made or claimed

 private:
  NetworkLedger& ledger_;
  const PlannedRun& run_;
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
        ledger_(observer),
        stop_(stop),
        recorded_(study.tasks.front().recorded()) {}

  Result<StudyOutcome> run() {
    const LayerScheduler scheduler = TRY(parse_layer_scheduler(study_.scheduler));
    TRY(load());
    ledger_.begin(std::ssize(layers_), study_.budget.trials);
    report();
    while (stop_.level() == 0) {
      const std::vector<DueRound> rounds = due_rounds(study_, scheduler, stored());
      if (rounds.empty()) break;
      TRY(together(rounds.size(), [&](Store& store, std::size_t i) {
        return go_on(store, layers_[rounds[i].layer], rounds[i].limit, /*goes_on=*/true);
      }));
      report();
    }
    if (stop_.level() == 0)
      TRY(together(layers_.size(), [&](Store& store, std::size_t i) { return finish(store, layers_[i]); }));
    report();
    StudyOutcome outcome{id_, ledger_.progress(), false};
    outcome.interrupted =
        stop_.level() > 0 && outcome.progress.done + outcome.progress.failed < outcome.progress.runs;
    return outcome;
  }

 private:
  std::vector<StoredRounds> stored() const {
    std::vector<StoredRounds> rounds;
    rounds.reserve(layers_.size());
    for (const SharedLayer& layer : layers_) rounds.push_back(layer.stored());
    return rounds;
  }

  /** Does `count` things, so many at a time as layers have a round; the first error, after all have ended. */
  template <typename Work>
  Status together(std::size_t count, const Work& work) {
    const std::size_t threads = std::min<std::size_t>(count, static_cast<std::size_t>(study_.layers_at_once));
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> broken = false;
    std::mutex mutex;
    Status all;
    const auto work_on = [&](Store& store) {
      for (std::size_t i = next++; i < count && !broken && stop_.level() == 0; i = next++) {
        const Status done = guarded("a layer of the network", [&] { return work(store, i); });
        if (done) continue;
        broken = true;
        const std::scoped_lock lock(mutex);
        if (all) all = done;
      }
    };
    if (threads < 2) {
      work_on(store_);
      return all;
    }
    std::vector<std::jthread> workers;
    workers.reserve(threads);
    for (std::size_t thread = 0; thread < threads; ++thread)
      workers.emplace_back([&] {
        Result<Store> store = Store::open(store_.path());
        if (store) return work_on(*store);
        broken = true;
        const std::scoped_lock lock(mutex);
        if (all) all = std::unexpected(store.error());
      });
    workers.clear();
    return all;
  }

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
      TRY(refresh(store_, layer));
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
  static Status refresh(const Store& store, SharedLayer& layer) {
    if (!layer.session) return {};
    const SessionSummary summary = TRY(store.session(*layer.session));
    const BudgetPlan plan = TRY(budget_plan_from_json(summary.record.budget_json));
    const std::vector<Store::ArrivedRow> rows = TRY(store.rows(*layer.session));
    layer.status = summary.status;
    layer.limits.clear();
    for (const TrialLimit& limit : plan.limits) layer.limits.push_back(limit.trials);
    layer.progress.best_seconds = best_after_rounds(rows, plan);
    layer.progress.ended = layer.progress.ended || layer_has_ended(summary, layer.allotted());
    if (layer.status.state == SessionState::Failed) layer.error = layer.status.state_reason;
    const std::vector<Confirmation> confirmations = TRY(store.confirmations(*layer.session));
    layer.confirmed = std::ranges::any_of(
        confirmations, [&](const Confirmation& one) { return one.trial == layer.status.best_trial; });
    return {};
  }

  /** Once the budget is used: the best again, beside the vendor's library. What was recorded stands for
   * itself. A session that was killed behind its last trial has no end yet. */
  Status finish(Store& store, SharedLayer& layer) {
    if (!layer.error.empty()) {
      ledger_.ended(layer.plan, {}, layer.status, /*failed=*/true);
      return {};
    }
    const bool unconfirmed = !recorded_ && layer.status.best_trial >= 0 && !layer.confirmed;
    const bool wanted = layer.session && (unconfirmed || layer.status.state != SessionState::Done);
    if (wanted) TRY(go_on(store, layer, layer.allotted(), /*goes_on=*/false));
    if (stop_.level() > 0) return {};
    ledger_.ended(layer.plan, layer.session, layer.status, !layer.error.empty());
    return {};
  }

  /** Runs its session up to this many trials. What goes wrong ends the layer, not the network. */
  Status go_on(Store& store, SharedLayer& layer, std::int64_t limit, bool goes_on) {
    RoundNews news(ledger_, layer.plan);
    ledger_.count_running(1);
    const Result<SessionOutcome> outcome = guarded("a layer of the network", [&]() -> Result<SessionOutcome> {
      PreparedTuning tuning = TRY(prepare(store, layer, news));
      tuning.setup.budget = {.trials = limit, .patience = study_.budget.patience};
      tuning.setup.goes_on = goes_on;
      tuning.kept = layer.kept.get();
      return options_.runner(store, tuning, layer.session, news, stop_);
    });
    ledger_.count_running(-1);
    // What it measured counts, however it ended.
    if (news.session) layer.session = news.session;
    TRY(refresh(store, layer));
    if (outcome) return {};
    if (stop_.level() > 0 && outcome.error().code == ErrorCode::Refused) return {};
    layer.error = describe(outcome.error());
    layer.progress.ended = true;
    ledger_.failed(layer.plan, outcome.error());
    return store.set_study_run_error(id_, layer.plan.run, layer.error);
  }

  Result<PreparedTuning> prepare(Store& store, const SharedLayer& layer, SessionObserver& news) {
    if (layer.session) return prepare_resume(store, *layer.session);
    PreparedRun prepared = TRY(tasks_.prepare(store, layer.plan, {}));
    SessionSetup& setup = prepared.tuning.setup;
    setup.study = StudyPlace{id_, layer.plan.run};
    // What was measured here says nothing of a recording, and would leave nothing to find.
    if (recorded_) return std::move(prepared.tuning);
    if (const std::optional<SessionId> earlier = TRY(earlier_session(store, setup, id_))) {
      const Status taken = take_warm_start(store, *earlier, setup);
      news.message({MessageKind::Note,
                    taken ? fmt::format("{} begins with the trials of session {}", setup.task.name, *earlier)
                          : fmt::format("{} does not begin with the trials of session {}: {}",
                                        setup.task.name, *earlier, taken.error().message)});
    }
    return std::move(prepared.tuning);
  }

  void report() {
    std::int64_t trials = 0;
    for (const SharedLayer& layer : layers_) trials += layer.status.trial_count;
    ledger_.report(trials);
  }

  Store& store_;
  StudyId id_;
  const StudyDefinition& study_;
  StudyTasks tasks_;
  const StudyOptions& options_;
  NetworkLedger ledger_;
  const StopRequest& stop_;
  bool recorded_;  ///< all of its layers, else none
  std::vector<SharedLayer> layers_;
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
