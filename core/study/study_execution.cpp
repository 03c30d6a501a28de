#include "core/study/study_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "core/base/memory.h"
#include "core/fleet/fleet_target.h"
#include "core/study/arm_settings.h"
#include "core/study/shared_budget.h"
#include "core/study/study_queue.h"
#include "core/study/study_tasks.h"

namespace kernelscape {
namespace {

/** Releases the study, however its execution ends. */
class StudyOwnership {
 public:
  StudyOwnership(Store& store, StudyId id) : store_(store), id_(id) {}
  ~StudyOwnership() {
    [[maybe_unused]] const Status released = store_.release_study(id_, Owner::this_process());
  }
  StudyOwnership(const StudyOwnership&) = delete;
  StudyOwnership& operator=(const StudyOwnership&) = delete;

 private:
  Store& store_;
  StudyId id_;
};

/** A run that is missing, with its stored state. */
struct MissingRun {
  PlannedRun plan;
  StudyRun stored;
};

/**
 * The state that the threads of a study share: counts, the observer, the first error that ends the whole
 * study.
 */
class StudyLedger {
 public:
  StudyLedger(StudyObserver& observer, StudyProgress progress) : observer_(observer), progress_(progress) {}

  void begin_run() {
    const std::lock_guard lock(mutex_);
    ++progress_.running;
    report();
  }
  void started(const PlannedRun& run, SessionId id) {
    const std::lock_guard lock(mutex_);
    observer_.run_started(run, id);
  }
  void trial(const PlannedRun& run, const Trial& trial, const SessionStatus& status) {
    const std::lock_guard lock(mutex_);
    observer_.trial_finished(run, trial, status);
  }
  void message(const SessionMessage& message) {
    const std::lock_guard lock(mutex_);
    observer_.message(message);
  }
  void ended(const PlannedRun& run, const SessionOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome.status.state == SessionState::Done) ++progress_.done;
    if (outcome.status.state == SessionState::Failed) ++progress_.failed;
    observer_.run_ended(run, outcome.id, outcome.status);
    end_run();
  }
  void failed(const PlannedRun& run, const Error& error) {
    const std::lock_guard lock(mutex_);
    ++progress_.failed;
    observer_.run_failed(run, error);
    end_run();
  }
  /** Counts a run that was stopped before it started. */
  void postponed() {
    const std::lock_guard lock(mutex_);
    end_run();
  }
  /** Ends the study because of an error that affects all runs. */
  void give_up(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!fatal_) fatal_ = error;
    given_up_ = true;
  }
  bool given_up() const { return given_up_; }
  std::optional<Error> fatal() const { return fatal_; }
  StudyProgress progress() {
    const std::lock_guard lock(mutex_);
    update();
    return progress_;
  }

 private:
  void end_run() {
    --progress_.running;
    ++ended_;
    report();
  }
  void report() {
    update();
    observer_.progress(progress_);
  }
  void update() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
    progress_.elapsed_seconds = elapsed.count();
    const auto left = static_cast<double>(progress_.runs - progress_.done - progress_.failed);
    progress_.seconds_left = ended_ > 0 ? elapsed.count() / static_cast<double>(ended_) * left : -1;
  }

  StudyObserver& observer_;
  StudyProgress progress_;
  std::mutex mutex_;
  std::int64_t ended_ = 0;
  std::atomic<bool> given_up_ = false;
  std::optional<Error> fatal_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/** Reports the events of a session as events of its run. */
class RunNews final : public SessionObserver {
 public:
  RunNews(StudyLedger& ledger, const PlannedRun& run, bool replayed)
      : ledger_(ledger), run_(run), replayed_(replayed) {}
  void started(SessionId id, const SessionRecord&) override { ledger_.started(run_, id); }
  void trial_finished(const Trial& trial, const SessionStatus& status) override {
    if (!replayed_) ledger_.trial(run_, trial, status);
  }
  void message(const SessionMessage& message) override { ledger_.message(message); }

 private:
  StudyLedger& ledger_;
  const PlannedRun& run_;
  bool replayed_;
};

/** Marks a taken run as ended, whatever its result, since other runs may wait for it. */
class StudyTurn {
 public:
  StudyTurn(StudyQueue& queue, std::size_t position) : queue_(queue), position_(position) {}
  ~StudyTurn() { queue_.end(position_, done); }
  StudyTurn(const StudyTurn&) = delete;
  StudyTurn& operator=(const StudyTurn&) = delete;

  std::optional<SessionId> done;  ///< its session if it is done

 private:
  StudyQueue& queue_;
  std::size_t position_;
};

class StudyExecution {
 public:
  StudyExecution(const std::filesystem::path& database, StudyId id, const StudyDefinition& study,
                 const StudyOptions& options, const StopRequest& stop, StudyLedger& ledger,
                 std::map<std::int64_t, SessionId> done)
      : database_(database),
        id_(id),
        study_(study),
        tasks_(study),
        options_(options),
        stop_(stop),
        ledger_(ledger),
        queue_(std::move(done)) {}

  void run(const std::vector<MissingRun>& missing) {
    std::vector<MissingRun> replays;
    std::vector<MissingRun> real;
    std::vector<MissingRun> on_fleets;
    for (const MissingRun& run : missing) {
      const StudyTask& task = study_.tasks[run.plan.task];
      (task.recorded() ? replays : is_fleet_target(task.target) ? on_fleets : real).push_back(run);
    }
    run_all(replays, std::min(replays_at_once(study_, options_.jobs), replays.size()));
    run_all(real, std::min<std::size_t>(1, real.size()));
    run_all(on_fleets, std::min(devices_of_fleets(on_fleets), on_fleets.size()));
  }

 private:
  /**
   * Counts one session per device, which keeps all devices busy. A fleet that is not available now has one
   * session, which reports that.
   */
  std::size_t devices_of_fleets(const std::vector<MissingRun>& runs) const {
    std::set<std::string> names;
    for (const MissingRun& run : runs) names.insert(study_.tasks[run.plan.task].target);
    std::size_t devices = 1;
    for (const std::string& name : names) devices = std::max(devices, count_devices(name).value_or(1));
    return devices;
  }

  void run_all(const std::vector<MissingRun>& runs, std::size_t threads) {
    std::vector<std::int64_t> numbers;
    std::vector<std::optional<std::int64_t>> before;
    for (const MissingRun& run : runs) {
      numbers.push_back(run.plan.run);
      before.push_back(chained_run(study_, run.plan));
    }
    queue_.fill(std::move(numbers), std::move(before));
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker)
      workers.emplace_back([&] {
        const Status worked = guarded("the study", [&] { return run_some(runs); });
        if (worked) return;
        ledger_.give_up(worked.error());
        queue_.close();
      });
  }

  Status run_some(const std::vector<MissingRun>& runs) {
    Store store = TRY(Store::open(database_));
    while (stop_.level() == 0 && !ledger_.given_up()) {
      const std::optional<std::size_t> position = queue_.take();
      if (!position) break;
      StudyTurn turn(queue_, *position);
      // The study may have been stopped while this run waited for another.
      if (stop_.level() > 0 || ledger_.given_up()) break;
      turn.done = run_one(store, runs[*position]);
    }
    return {};
  }

  /** @return its session if it is done */
  std::optional<SessionId> run_one(Store& store, const MissingRun& run) {
    ledger_.begin_run();
    const Result<SessionOutcome> outcome =
        guarded("a run of the study", [&] { return make_session(store, run); });
    if (outcome) {
      ledger_.ended(run.plan, *outcome);
      return outcome->status.state == SessionState::Done ? std::optional(outcome->id) : std::nullopt;
    }
    if (stop_.level() > 0 && outcome.error().code == ErrorCode::Refused) {
      ledger_.postponed();
      return std::nullopt;
    }
    ledger_.failed(run.plan, outcome.error());
    const Status marked = store.set_study_run_error(id_, run.plan.run, describe(outcome.error()));
    if (!marked) ledger_.give_up(marked.error());
    return std::nullopt;
  }

  /** Returns the session whose trials the run starts with, or nullopt if it starts without earlier trials. */
  Result<std::optional<SessionId>> chained_session(const PlannedRun& run) const {
    const std::optional<std::int64_t> before = chained_run(study_, run);
    if (!before) return std::nullopt;
    if (const std::optional<SessionId> session = queue_.session_of(*before)) return session;
    return fail(ErrorCode::NotFound,
                fmt::format("it starts with the trials of run {}, which is not done", *before),
                "run the study again: failed runs are repeated in order");
  }

  Result<PreparedTuning> prepare_run(Store& store, const PlannedRun& run, RunNews& news) {
    PreparedRun prepared = TRY(tasks_.prepare(store, run, TRY(chained_session(run))));
    // Every repeat of a tuner and task would report the same notice.
    if (!prepared.notice.empty() && run.repeat == 0) {
      news.message({MessageKind::Note,
                    fmt::format("{} starts without earlier trials on {}: {}", study_.arms[run.arm].name,
                                task_labels(study_)[run.task], prepared.notice)});
    }
    return std::move(prepared.tuning);
  }

  Result<SessionOutcome> make_session(Store& store, const MissingRun& run) {
    std::optional<SessionId> resumed = run.stored.session;
    if (!run.stored.error.empty()) TRY(store.set_study_run_error(id_, run.plan.run, ""));
    // Resuming would fail with the same error.
    if (resumed && run.stored.status.state == SessionState::Failed) {
      TRY(store.delete_session(*resumed));
      resumed.reset();
    }
    RunNews news(ledger_, run.plan, study_.tasks[run.plan.task].recorded());
    PreparedTuning tuning =
        TRY(resumed ? prepare_resume(store, *resumed) : prepare_run(store, run.plan, news));
    if (!resumed) tuning.setup.study = StudyPlace{id_, run.plan.run};
    tuning.setup.trials_alone = study_.purpose == StudyPurpose::DataSet;
    return options_.runner(store, tuning, resumed, news, stop_);
  }

  const std::filesystem::path& database_;
  StudyId id_;
  const StudyDefinition& study_;
  StudyTasks tasks_;
  const StudyOptions& options_;
  const StopRequest& stop_;
  StudyLedger& ledger_;
  StudyQueue queue_;
};

/** The planned runs that are not done, with their stored state, and the sessions of those that are. */
struct StoredRuns {
  std::vector<MissingRun> missing;
  std::map<std::int64_t, SessionId> done;
};

Result<StoredRuns> stored_runs(const Store& store, StudyId id, const StudyDefinition& study) {
  std::vector<StudyRun> stored = TRY(store.study_runs(id));
  StoredRuns runs;
  const std::vector<PlannedRun> plan = plan_runs(study);
  if (plan.size() != stored.size()) {
    return fail(
        ErrorCode::Corrupt,
        fmt::format("study {} has {} stored runs, but its plan has {}", id, stored.size(), plan.size()),
        "create the study again");
  }
  for (std::size_t run = 0; run < plan.size(); ++run) {
    StudyRun& known = stored[run];
    if (known.started() && known.status.state == SessionState::Done) {
      runs.done.emplace(plan[run].run, *known.session);
    } else {
      runs.missing.push_back({plan[run], std::move(known)});
    }
  }
  return runs;
}

/** Runs every run separately, with its own budget. */
Result<StudyOutcome> run_apart(Store& store, StudyId id, const StudyDefinition& study,
                               const StudyOptions& options, StudyObserver& observer,
                               const StopRequest& stop) {
  TRY(add_analysed_sessions(store, study));
  StoredRuns runs = TRY(stored_runs(store, id, study));
  StudyProgress progress;
  progress.done = std::ssize(runs.done);
  progress.runs = progress.done + std::ssize(runs.missing);
  StudyLedger ledger(observer, progress);
  StudyExecution(store.path(), id, study, options, stop, ledger, std::move(runs.done)).run(runs.missing);
  if (const std::optional<Error> fatal = ledger.fatal()) return std::unexpected(*fatal);
  StudyOutcome outcome{id, ledger.progress(), false};
  outcome.interrupted = stop.level() > 0 && outcome.progress.done + outcome.progress.failed < progress.runs;
  return outcome;
}

/**
 * There is no pass for recorded layers and for kernels that are only built. The devices of a fleet call one
 * kernel at a time, which is not a pass either.
 */
bool wants_pass(const StudyDefinition& study, const StudyOptions& options, const StudyOutcome& outcome,
                const StopRequest& stop) {
  return study.purpose == StudyPurpose::Network && options.measure_pass && !outcome.interrupted &&
         stop.level() == 0 && !study.measuring.build_only &&
         std::ranges::none_of(study.tasks, [](const StudyTask& task) {
           return task.recorded() || is_fleet_target(task.target);
         });
}

/** A failure leaves the results of the layers unchanged. */
void measure_pass(Store& store, StudyId id, const StudyOptions& options, StudyObserver& observer,
                  const StopRequest& stop) {
  const Result<MeasuredPass> pass =
      guarded("the pass over the network", [&] { return options.measure_pass(store, id, stop); });
  if (pass) {
    observer.pass_measured(*pass);
  } else {
    observer.message({MessageKind::Note,
                      fmt::format("the pass over all layers was not measured: {}", describe(pass.error()))});
  }
}

}  // namespace

Result<StudyOutcome> run_study(const std::filesystem::path& database, StudyId id, const StudyOptions& options,
                               StudyObserver& observer, const StopRequest& stop) {
  Store store = TRY(Store::open(database));
  const StudyDefinition study = TRY(stored_study(store, id));
  TRY(store.claim_study(id, Owner::this_process()));
  const StudyOwnership ownership(store, id);
  StudyOutcome outcome = TRY(study.scheduler.empty() && study.first_trials == 0
                                 ? run_apart(store, id, study, options, observer, stop)
                                 : run_shared_budget(store, id, study, options, observer, stop));
  if (wants_pass(study, options, outcome, stop)) measure_pass(store, id, options, observer, stop);
  return outcome;
}

}  // namespace kernelscape
