#include "core/study/shared_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/base/memory.h"
#include "core/base/numbers.h"
#include "core/session/warm_start.h"
#include "core/study/earlier_session.h"
#include "core/study/layer_scheduler.h"
#include "core/study/layer_starts.h"
#include "core/study/network_ledger.h"
#include "core/study/next_rounds.h"
#include "core/study/tasks.h"

namespace kernelscape::study {
namespace {

/** A layer with its stored state. */
struct SharedLayer {
  PlannedRun plan;
  std::optional<store::SessionId> session;
  std::vector<std::int64_t> limits;  ///< trial limits of its session, by round
  trial::Budget budget;              ///< of its session
  store::SessionStatus status;
  LayerProgress progress;
  bool confirmed = false;
  std::string error;
  std::unique_ptr<session::TunerCheckpoint> kept =
      std::make_unique<session::TunerCheckpoint>();  ///< state of its search between its rounds
  std::vector<KnownLayer> before;                    ///< the layers with whose trials its session may start

  std::int64_t allotted() const { return limits.empty() ? 0 : limits.back(); }
  bool has_whole_budget(const Definition& study) const {
    return !limits.empty() && kernelscape::study::has_whole_budget(study, limits.back());
  }
  bool has_kernel() const { return !progress.best_seconds.empty() && progress.best_seconds.back() > 0; }

  /** Returns the state from which the due rounds follow. */
  StoredRounds stored(const Definition& study) const {
    StoredRounds rounds{.progress = progress,
                        .limits = limits,
                        .in_round = session && error.empty() && !progress.ended && !has_whole_budget(study) &&
                                    status.trial_count < allotted(),
                        .trials = status.trial_count,
                        .session_seconds = status.session_seconds};
    if (rounds.in_round) rounds.progress.best_seconds.pop_back();
    return rounds;
  }
};

class SharedBudgetRun {
 public:
  SharedBudgetRun(store::Store& store, store::StudyId id, const Definition& study, const Options& options,
                  Observer& observer, const session::StopRequest& stop)
      : store_(store),
        id_(id),
        study_(study),
        tasks_(study),
        options_(options),
        ledger_(observer),
        stop_(stop),
        recorded_(study.tasks.front().recorded()) {}

  Result<Outcome> run() {
    std::optional<LayerScheduler> scheduler;
    if (is_shared()) scheduler = TRY(parse_layer_scheduler(study_.scheduler));
    TRY(load());
    read_latencies();
    if (options_.round_measurement) whole_ = options_.round_measurement(id_, study_, stop_);
    ledger_.begin(std::ssize(layers_), is_shared() ? study_.budget.trials : 0);
    report();
    had_time_ = has_time();
    while (stop_.level() == 0) {
      const std::vector<DueRound> rounds = due_rounds(study_, scheduler, stored());
      if (rounds.empty()) break;
      TRY(make_rounds(rounds));
      report();
      report_first_time();
      measure_whole();
    }
    if (stop_.level() == 0)
      TRY(together(layers_.size(),
                   [&](store::Store& store, std::size_t i) { return finish(store, layers_[i]); }));
    report_first_time();
    report();
    Outcome outcome{id_, ledger_.progress(), false};
    outcome.interrupted =
        stop_.level() > 0 && outcome.progress.done + outcome.progress.failed < outcome.progress.runs;
    return outcome;
  }

 private:
  /** The purpose of one run of a layer's session. */
  struct LayerRun {
    trial::Budget budget;
    bool continues = false;     ///< there are more rounds
    bool first_kernel = false;  ///< a layer waits for its first kernel
  };

  bool is_shared() const { return !study_.scheduler.empty(); }

  std::vector<StoredRounds> stored() const {
    std::vector<StoredRounds> rounds;
    rounds.reserve(layers_.size());
    for (const SharedLayer& layer : layers_) rounds.push_back(layer.stored(study_));
    if (study_.objective == NetworkObjective::Latency) weigh(rounds);
    return rounds;
  }

  /** Gives each layer its weight in the latest measured latency. */
  void weigh(std::vector<StoredRounds>& rounds) const {
    std::int64_t count = 0;
    for (const StoredRounds& layer : rounds) count += std::ssize(layer.progress.best_seconds);
    for (std::size_t i = 0; i < rounds.size(); ++i)
      rounds[i].progress.latency_weight = latencies_.weight_after(count, layers_[i].plan.task);
  }

  /** Returns the budget of a round. The minutes of a shared budget are those of all layers. */
  trial::Budget round_budget(std::int64_t limit) const {
    if (is_shared()) return {.trials = limit, .patience = study_.budget.patience};
    trial::Budget budget = study_.budget;
    budget.trials = limit;
    return budget;
  }

  Status make_rounds(const std::vector<DueRound>& rounds) {
    const std::vector<StoredRounds> known = stored();
    for (const DueRound& round : rounds) take_known_layers(known, round.layer);
    const bool first_kernel =
        study_.first_trials > 0 && std::ranges::any_of(layers_, [](const SharedLayer& layer) {
          return !layer.progress.ended && waits_for_kernel(layer.progress);
        });
    return together(rounds.size(), [&](store::Store& store, std::size_t i) {
      return keep_going(store, layers_[rounds[i].layer],
                        {round_budget(rounds[i].limit), /*continues=*/true, first_kernel});
    });
  }

  /** Must be called before the threads of the rounds start, which change the known layers. */
  void take_known_layers(const std::vector<StoredRounds>& known, std::size_t of) {
    layers_[of].before.clear();
    for (const std::size_t i : layers_before(study_, known, of))
      if (layers_[i].session && !layers_[i].limits.empty())
        layers_[of].before.push_back({*layers_[i].session, layers_[i].limits.front()});
  }

  bool has_time() const { return std::ranges::all_of(layers_, &SharedLayer::has_kernel); }

  /** Reports once that every layer has a kernel, with the current time of one run of all layers. */
  void report_first_time() {
    if (had_time_ || !has_time()) return;
    had_time_ = true;
    double seconds = 0;
    for (const SharedLayer& layer : layers_)
      seconds += layer.progress.weight * layer.progress.best_seconds.back();
    const Progress progress = ledger_.progress();
    ledger_.message(
        {session::MessageKind::Note,
         fmt::format("every layer has a kernel after {} and {} trials: one run of all layers takes "
                     "{} so far",
                     base::clock_text(progress.elapsed_seconds), progress.trials, base::time_text(seconds))});
  }

  /** Measures the network as a whole after a round, once no layer waits for its first kernel. */
  void measure_whole() {
    const bool waits = std::ranges::any_of(layers_, [](const SharedLayer& layer) {
      return !layer.progress.ended && waits_for_kernel(layer.progress);
    });
    if (!whole_ || waits || stop_.level() > 0) return;
    const std::string cpu(schedule::to_string(schedule::TargetKind::Cpu));
    const RoundEvents events{
        .device = {.awaited = [&](const std::string& text) { ledger_.device_awaited(cpu, text); },
                   .used = [&] { ledger_.device_used(cpu); }},
        .note = [&](const std::string& text) { ledger_.message({session::MessageKind::Note, text}); },
        .measured = [&](const LatencyPoint& point) { ledger_.latency(point); }};
    whole_->after_round(store_, round_state(), events);
    read_latencies();
  }

  /** Keeps the earlier latencies if they cannot be read: the objective is then an older one. */
  void read_latencies() {
    if (Result<LatencySeries> latencies = stored_latency_series(store_, id_))
      latencies_ = std::move(*latencies);
  }

  RoundState round_state() const {
    RoundState state;
    state.kernels.resize(study_.tasks.size());
    state.kernel_seconds.resize(study_.tasks.size(), 0);
    for (const SharedLayer& layer : layers_) {
      state.tuning_seconds += layer.status.session_seconds;
      state.trials += layer.status.trial_count;
      state.rounds += std::ssize(layer.progress.best_seconds);
      if (!layer.session || layer.status.best_trial < 0) continue;
      state.kernels[layer.plan.task] = {*layer.session, layer.status.best_trial};
      state.kernel_seconds[layer.plan.task] = layer.status.best_seconds;
    }
    return state;
  }

  /**
   * Calls `work` for `count` items, as many at a time as layers have a round. Returns the first error after
   * all have ended.
   */
  template <typename Work>
  Status together(std::size_t count, const Work& work) {
    const std::size_t threads = std::min<std::size_t>(count, static_cast<std::size_t>(study_.layers_at_once));
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> broken = false;
    std::mutex mutex;
    Status all;
    const auto work_on = [&](store::Store& store) {
      for (std::size_t i = next++; i < count && !broken && stop_.level() == 0; i = next++) {
        const Status done = base::guarded("a layer of the network", [&] { return work(store, i); });
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
        Result<store::Store> store =
            base::guarded("a layer of the network", [&] { return store::Store::open(store_.path()); });
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
    const std::vector<store::StudyRun> stored = TRY(store_.studies().runs(id_));
    if (plan.size() != stored.size())
      return fail(
          ErrorCode::Corrupt,
          fmt::format("study {} has {} stored runs, but its plan has {}", id_, stored.size(), plan.size()),
          "create the study again");
    for (std::size_t i = 0; i < plan.size(); ++i) {
      SharedLayer& layer = layers_.emplace_back();
      layer.plan = plan[i];
      layer.session = stored[i].session;
      TRY(forget_failure(layer, stored[i]));
      layer.progress.weight = static_cast<double>(study_.tasks[plan[i].task].multiplicity);
      layer.progress.max_first_rounds = max_first_rounds(study_);
      TRY(describe_layer(layer));
      TRY(refresh(store_, layer));
    }
    return {};
  }

  /** Deletes the session of a failed run, which is restarted, as in every study. */
  Status forget_failure(SharedLayer& layer, const store::StudyRun& stored) {
    if (!stored.error.empty()) TRY(store_.studies().set_run_error(id_, layer.plan.run, ""));
    if (!layer.session || stored.status.state != store::SessionState::Failed) return {};
    TRY(store_.sessions().remove(*layer.session));
    layer.session.reset();
    return {};
  }

  /** Sets the layer's task and template: the stored ones, else those with which it would be tuned. */
  Status describe_layer(SharedLayer& layer) {
    if (layer.session) {
      const store::SessionRecord record = TRY(store_.sessions().get(*layer.session)).record;
      if (const Result<task::Task> task = task::task_from_json(record.task_json)) {
        layer.progress.flops = task->flops();
        layer.progress.kind = record.template_name;
        return {};
      }
    }
    const Result<PreparedRun> prepared = tasks_.prepare(store_, layer.plan, {});
    if (!prepared) {
      layer.error = describe(prepared.error());
      layer.progress.ended = true;
      return store_.studies().set_run_error(id_, layer.plan.run, layer.error);
    }
    layer.progress.flops = prepared->tuning.setup.task.flops();
    layer.progress.kind = prepared->tuning.setup.template_name;
    return {};
  }

  /** Reads the current stored state of the layer. */
  static Status refresh(const store::Store& store, SharedLayer& layer) {
    if (!layer.session) return {};
    const store::SessionSummary summary = TRY(store.sessions().get(*layer.session));
    const trial::BudgetPlan plan = TRY(trial::budget_plan_from_json(summary.record.budget_json));
    const std::vector<store::ArrivedRow> rows = TRY(store.trials().rows(*layer.session));
    layer.status = summary.status;
    layer.budget = plan.budget;
    layer.limits.clear();
    for (const trial::Limit& limit : plan.limits) layer.limits.push_back(limit.trials);
    layer.progress.best_seconds = best_after_rounds(rows, plan);
    layer.progress.ended = layer.progress.ended || layer_has_ended(summary, layer.allotted());
    if (layer.status.state == store::SessionState::Failed) layer.error = layer.status.state_reason;
    const std::vector<trial::Confirmation> confirmations = TRY(store.confirmations().of(*layer.session));
    layer.confirmed = std::ranges::any_of(
        confirmations, [&](const trial::Confirmation& one) { return one.trial == layer.status.best_trial; });
    return {};
  }

  /**
   * Measures the best kernels again beside the vendor's library once a shared budget is used. Recorded spaces
   * are not measured again. A session that was killed after its last trial has no end yet. A layer with its
   * own budget first uses the rest of it.
   */
  Status finish(store::Store& store, SharedLayer& layer) {
    if (!layer.error.empty()) {
      ledger_.ended(layer.plan, {}, layer.status, /*failed=*/true);
      return {};
    }
    const bool unconfirmed = !recorded_ && layer.status.best_trial >= 0 && !layer.confirmed;
    const bool not_done = layer.session && layer.status.state != store::SessionState::Done;
    const bool has_budget_left = !is_shared() && !layer.has_whole_budget(study_);
    if (unconfirmed || not_done || has_budget_left) TRY(keep_going(store, layer, {last_budget(layer)}));
    if (stop_.level() > 0) return {};
    ledger_.ended(layer.plan, layer.session, layer.status, !layer.error.empty());
    return {};
  }

  /** Returns the session's budget, in case the user raised it. */
  trial::Budget last_budget(const SharedLayer& layer) const {
    if (is_shared()) return round_budget(layer.allotted());
    return layer.has_whole_budget(study_) ? layer.budget : study_.budget;
  }

  /** Runs the layer's session. An error ends the layer, not the network. */
  Status keep_going(store::Store& store, SharedLayer& layer, const LayerRun& run) {
    RoundNews news(ledger_, layer.plan, study_.tasks[layer.plan.task]);
    ledger_.count_running(1);
    const Result<session::Outcome> outcome =
        base::guarded("a layer of the network", [&]() -> Result<session::Outcome> {
          session::PreparedTuning tuning = TRY(prepare(store, layer, news));
          tuning.setup.budget = run.budget;
          tuning.setup.budget.identical_failures = 0;
          tuning.setup.continues = run.continues;
          tuning.setup.first_kernel = run.first_kernel;
          tuning.kept = layer.kept.get();
          return options_.runner(store, tuning, layer.session, news, stop_);
        });
    ledger_.count_running(-1);
    // Its trials count, whatever its result.
    if (news.session) layer.session = news.session;
    TRY(refresh(store, layer));
    if (outcome) return {};
    if (stop_.level() > 0 && outcome.error().code == ErrorCode::Refused) return {};
    layer.error = describe(outcome.error());
    layer.progress.ended = true;
    ledger_.failed(layer.plan, outcome.error());
    return store.studies().set_run_error(id_, layer.plan.run, layer.error);
  }

  Result<session::PreparedTuning> prepare(store::Store& store, const SharedLayer& layer,
                                          session::Observer& news) {
    if (layer.session) return session::prepare_resume(store, *layer.session);
    PreparedRun prepared = TRY(tasks_.prepare(store, layer.plan, {}));
    session::Setup& setup = prepared.tuning.setup;
    setup.study = session::StudyPlace{id_, layer.plan.run};
    // A recorded layer does not start with measured trials, which do not apply to the recording and would
    // leave nothing to search.
    if (recorded_) return std::move(prepared.tuning);
    if (is_shared()) TRY(begin_with_earlier(store, setup, news));
    if (study_.first_trials > 0)
      setup.starts = TRY(layer_starts(store, prepared.tuning, layer.before,
                                      static_cast<std::size_t>(first_round_trials(study_))));
    return std::move(prepared.tuning);
  }

  Status begin_with_earlier(store::Store& store, session::Setup& setup, session::Observer& news) {
    if (const std::optional<store::SessionId> earlier = TRY(earlier_session(store, setup, id_))) {
      const Status taken = session::take_warm_start(store, *earlier, setup);
      news.message({session::MessageKind::Note,
                    taken ? fmt::format("{} starts with the trials of session {}", setup.task.name, *earlier)
                          : fmt::format("{} does not start with the trials of session {}: {}",
                                        setup.task.name, *earlier, taken.error().message)});
    }
    return {};
  }

  void report() {
    std::int64_t trials = 0;
    for (const SharedLayer& layer : layers_) trials += layer.status.trial_count;
    ledger_.report(trials);
  }

  store::Store& store_;
  store::StudyId id_;
  const Definition& study_;
  Tasks tasks_;
  const Options& options_;
  NetworkLedger ledger_;
  const session::StopRequest& stop_;
  std::unique_ptr<RoundMeasurement> whole_;  ///< null: none is made
  LatencySeries latencies_;                  ///< of the whole model, as stored
  bool recorded_;                            ///< true: all layers are recorded; false: none
  bool had_time_ = false;                    ///< every layer had a kernel at the last check
  std::vector<SharedLayer> layers_;
};

}  // namespace

std::vector<double> best_after_rounds(std::span<const store::ArrivedRow> rows,
                                      const trial::BudgetPlan& plan) {
  std::vector<double> best;
  for (const trial::Limit& limit : plan.limits) {
    double seconds = 0;
    for (const store::ArrivedRow& row : rows) {
      const bool within = limit.trials == 0 || row.number < limit.trials;
      const bool counts = within && row.category == trial::ErrorCategory::NoError && row.median_seconds > 0 &&
                          (seconds == 0 || row.median_seconds < seconds);
      if (counts) seconds = row.median_seconds;
    }
    best.push_back(seconds);
  }
  return best;
}

bool layer_has_ended(const store::SessionSummary& session, std::int64_t allotted) {
  const store::SessionStatus& status = session.status;
  return status.state == store::SessionState::Failed ||
         (status.state == store::SessionState::Done && !session.owner && status.trial_count < allotted);
}

Result<Outcome> run_shared_budget(store::Store& store, store::StudyId id, const Definition& study,
                                  const Options& options, Observer& observer,
                                  const session::StopRequest& stop) {
  return SharedBudgetRun(store, id, study, options, observer, stop).run();
}

}  // namespace kernelscape::study
