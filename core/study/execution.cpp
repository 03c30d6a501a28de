#include "core/study/execution.h"

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
#include "core/fleet/target.h"
#include "core/study/arm_settings.h"
#include "core/study/device_news.h"
#include "core/study/queue.h"
#include "core/study/shared_budget.h"
#include "core/study/tasks.h"

namespace kernelscape::study {
namespace {

/** Releases the study, however its execution ends. */
class StudyOwnership {
 public:
  StudyOwnership(store::Store& store, store::StudyId id) : store_(store), id_(id) {}
  ~StudyOwnership() {
    [[maybe_unused]] const Status released = store_.studies().release(id_, store::Owner::this_process());
  }
  StudyOwnership(const StudyOwnership&) = delete;
  StudyOwnership& operator=(const StudyOwnership&) = delete;

 private:
  store::Store& store_;
  store::StudyId id_;
};

/** A run that is missing, with its stored state. */
struct MissingRun {
  PlannedRun plan;
  store::StudyRun stored;
};

/**
 * The state that the threads of a study share: counts, the observer, the first error that ends the whole
 * study.
 */
class StudyLedger {
 public:
  StudyLedger(Observer& observer, Progress progress) : observer_(observer), progress_(progress) {}

  void begin_run() {
    const std::lock_guard lock(mutex_);
    ++progress_.running;
    report();
  }
  void started(const PlannedRun& run, store::SessionId id) {
    const std::lock_guard lock(mutex_);
    observer_.run_started(run, id);
  }
  void trial(const PlannedRun& run, const trial::Trial& trial, const store::SessionStatus& status) {
    const std::lock_guard lock(mutex_);
    observer_.trial_finished(run, trial, status);
  }
  void message(const session::Message& message) {
    const std::lock_guard lock(mutex_);
    observer_.message(message);
  }
  void device_awaited(const std::string& device, const std::string& text) {
    const std::lock_guard lock(mutex_);
    observer_.device_awaited(device, text);
  }
  void device_used(const std::string& device) {
    const std::lock_guard lock(mutex_);
    observer_.device_used(device);
  }
  void ended(const PlannedRun& run, const session::Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome.status.state == store::SessionState::Done) ++progress_.done;
    if (outcome.status.state == store::SessionState::Failed) ++progress_.failed;
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
  Progress progress() {
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

  Observer& observer_;
  Progress progress_;
  std::mutex mutex_;
  std::int64_t ended_ = 0;
  std::atomic<bool> given_up_ = false;
  std::optional<Error> fatal_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/** Reports the events of a session as events of its run. */
class RunNews final : public session::Observer {
 public:
  RunNews(StudyLedger& ledger, const PlannedRun& run, const Task& task)
      : ledger_(ledger), run_(run), replayed_(task.recorded()), device_(ledger, task) {}
  void started(store::SessionId id, const store::SessionRecord&) override {
    device_.started();
    ledger_.started(run_, id);
  }
  void trial_finished(const trial::Trial& trial, const store::SessionStatus& status) override {
    if (!replayed_) ledger_.trial(run_, trial, status);
  }
  void message(const session::Message& message) override {
    device_.message(message);
    ledger_.message(message);
  }

 private:
  StudyLedger& ledger_;
  const PlannedRun& run_;
  bool replayed_;
  DeviceNews<StudyLedger> device_;
};

/** Marks a taken run as ended, whatever its result, since other runs may wait for it. */
class StudyTurn {
 public:
  StudyTurn(Queue& queue, std::size_t position) : queue_(queue), position_(position) {}
  ~StudyTurn() { queue_.end(position_, done); }
  StudyTurn(const StudyTurn&) = delete;
  StudyTurn& operator=(const StudyTurn&) = delete;

  std::optional<store::SessionId> done;  ///< its session if it is done

 private:
  Queue& queue_;
  std::size_t position_;
};

class StudyExecution {
 public:
  StudyExecution(const std::filesystem::path& database, store::StudyId id, const Definition& study,
                 const Options& options, const session::StopRequest& stop, StudyLedger& ledger,
                 std::map<std::int64_t, store::SessionId> done)
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
      const Task& task = study_.tasks[run.plan.task];
      (task.recorded() ? replays : fleet::is_fleet_target(task.target) ? on_fleets : real).push_back(run);
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
    for (const std::string& name : names) devices = std::max(devices, fleet::count_devices(name).value_or(1));
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
        const Status worked = base::guarded("the study", [&] { return run_some(runs); });
        if (worked) return;
        ledger_.give_up(worked.error());
        queue_.close();
      });
  }

  Status run_some(const std::vector<MissingRun>& runs) {
    store::Store store = TRY(store::Store::open(database_));
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
  std::optional<store::SessionId> run_one(store::Store& store, const MissingRun& run) {
    ledger_.begin_run();
    const Result<session::Outcome> outcome =
        base::guarded("a run of the study", [&] { return make_session(store, run); });
    if (outcome) {
      ledger_.ended(run.plan, *outcome);
      return outcome->status.state == store::SessionState::Done ? std::optional(outcome->id) : std::nullopt;
    }
    if (stop_.level() > 0 && outcome.error().code == ErrorCode::Refused) {
      ledger_.postponed();
      return std::nullopt;
    }
    ledger_.failed(run.plan, outcome.error());
    const Status marked = store.studies().set_run_error(id_, run.plan.run, describe(outcome.error()));
    if (!marked) ledger_.give_up(marked.error());
    return std::nullopt;
  }

  /** Returns the session whose trials the run starts with, or nullopt if it starts without earlier trials. */
  Result<std::optional<store::SessionId>> chained_session(const PlannedRun& run) const {
    const std::optional<std::int64_t> before = chained_run(study_, run);
    if (!before) return std::nullopt;
    if (const std::optional<store::SessionId> session = queue_.session_of(*before)) return session;
    return fail(ErrorCode::NotFound,
                fmt::format("it starts with the trials of run {}, which is not done", *before),
                "run the study again: failed runs are repeated in order");
  }

  Result<session::PreparedTuning> prepare_run(store::Store& store, const PlannedRun& run, RunNews& news) {
    PreparedRun prepared = TRY(tasks_.prepare(store, run, TRY(chained_session(run))));
    // Every repeat of a tuner and task would report the same notice.
    if (!prepared.notice.empty() && run.repeat == 0) {
      news.message({session::MessageKind::Note,
                    fmt::format("{} starts without earlier trials on {}: {}", study_.arms[run.arm].name,
                                task_labels(study_)[run.task], prepared.notice)});
    }
    return std::move(prepared.tuning);
  }

  Result<session::Outcome> make_session(store::Store& store, const MissingRun& run) {
    std::optional<store::SessionId> resumed = run.stored.session;
    if (!run.stored.error.empty()) TRY(store.studies().set_run_error(id_, run.plan.run, ""));
    // Resuming would fail with the same error.
    if (resumed && run.stored.status.state == store::SessionState::Failed) {
      TRY(store.sessions().remove(*resumed));
      resumed.reset();
    }
    RunNews news(ledger_, run.plan, study_.tasks[run.plan.task]);
    session::PreparedTuning tuning =
        TRY(resumed ? session::prepare_resume(store, *resumed) : prepare_run(store, run.plan, news));
    if (!resumed) tuning.setup.study = session::StudyPlace{id_, run.plan.run};
    tuning.setup.trials_alone = study_.purpose == Purpose::DataSet;
    return options_.runner(store, tuning, resumed, news, stop_);
  }

  const std::filesystem::path& database_;
  store::StudyId id_;
  const Definition& study_;
  Tasks tasks_;
  const Options& options_;
  const session::StopRequest& stop_;
  StudyLedger& ledger_;
  Queue queue_;
};

/** The planned runs that are not done, with their stored state, and the sessions of those that are. */
struct StoredRuns {
  std::vector<MissingRun> missing;
  std::map<std::int64_t, store::SessionId> done;
};

Result<StoredRuns> stored_runs(const store::Store& store, store::StudyId id, const Definition& study) {
  std::vector<store::StudyRun> stored = TRY(store.studies().runs(id));
  StoredRuns runs;
  const std::vector<PlannedRun> plan = plan_runs(study);
  if (plan.size() != stored.size()) {
    return fail(
        ErrorCode::Corrupt,
        fmt::format("study {} has {} stored runs, but its plan has {}", id, stored.size(), plan.size()),
        "create the study again");
  }
  for (std::size_t run = 0; run < plan.size(); ++run) {
    store::StudyRun& known = stored[run];
    if (known.started() && known.status.state == store::SessionState::Done) {
      runs.done.emplace(plan[run].run, *known.session);
    } else {
      runs.missing.push_back({plan[run], std::move(known)});
    }
  }
  return runs;
}

/** Runs every run separately, with its own budget. */
Result<Outcome> run_apart(store::Store& store, store::StudyId id, const Definition& study,
                          const Options& options, Observer& observer, const session::StopRequest& stop) {
  TRY(add_analysed_sessions(store, study));
  StoredRuns runs = TRY(stored_runs(store, id, study));
  Progress progress;
  progress.done = std::ssize(runs.done);
  progress.runs = progress.done + std::ssize(runs.missing);
  StudyLedger ledger(observer, progress);
  StudyExecution(store.path(), id, study, options, stop, ledger, std::move(runs.done)).run(runs.missing);
  if (const std::optional<Error> fatal = ledger.fatal()) return std::unexpected(*fatal);
  Outcome outcome{id, ledger.progress(), false};
  outcome.interrupted = stop.level() > 0 && outcome.progress.done + outcome.progress.failed < progress.runs;
  return outcome;
}

/**
 * Returns true if a network can be measured as a whole: not if its layers are recorded or only built. The
 * devices of a fleet call one kernel at a time.
 */
bool can_be_measured(const Definition& study, const Outcome& outcome, const session::StopRequest& stop) {
  return study.purpose == Purpose::Network && !outcome.interrupted && stop.level() == 0 &&
         !study.measuring.build_only && std::ranges::none_of(study.tasks, [](const Task& task) {
           return task.recorded() || fleet::is_fleet_target(task.target);
         });
}

/** Measures a network as a whole. A failure leaves the results of the layers unchanged. */
void measure_network(store::Store& store, store::StudyId id, const Definition& study, const Options& options,
                     Observer& observer, const session::StopRequest& stop) {
  const std::string cpu(schedule::to_string(schedule::TargetKind::Cpu));  // where networks run
  const PassDevice device{.awaited = [&](const std::string& text) { observer.device_awaited(cpu, text); },
                          .used = [&] { observer.device_used(cpu); }};
  for (const NetworkMeasurement& measurement : options.network_measurements) {
    if (measurement.models_only && !study.model_source) continue;
    const Status measured =
        base::guarded(measurement.name, [&] { return measurement.measure(store, id, stop, device); });
    if (!measured)
      observer.message({session::MessageKind::Note, fmt::format("{} was not measured: {}", measurement.name,
                                                                describe(measured.error()))});
  }
}

}  // namespace

Result<Outcome> run_study(const std::filesystem::path& database, store::StudyId id, const Options& options,
                          Observer& observer, const session::StopRequest& stop) {
  store::Store store = TRY(store::Store::open(database));
  const Definition study = TRY(stored_study(store, id));
  TRY(store.studies().claim(id, store::Owner::this_process()));
  const StudyOwnership ownership(store, id);
  Outcome outcome = TRY(study.scheduler.empty() && study.first_trials == 0
                            ? run_apart(store, id, study, options, observer, stop)
                            : run_shared_budget(store, id, study, options, observer, stop));
  if (can_be_measured(study, outcome, stop)) measure_network(store, id, study, options, observer, stop);
  return outcome;
}

}  // namespace kernelscape::study
