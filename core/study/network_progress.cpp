#include "core/study/network_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/session/best.h"
#include "core/session/setup.h"
#include "core/study/network_rounds.h"
#include "core/study/next_rounds.h"
#include "core/study/shared_budget.h"
#include "core/task/title.h"

namespace kernelscape::study {
namespace {

double times(const NetworkLayerOutcome& layer) { return static_cast<double>(layer.multiplicity); }

/**
 * Reads the stored state of a run. A damaged session counts as one without trials; the outcome of its layer
 * reports the damage.
 */
Result<LayerTrack> read_track(const store::Store& store, const store::StudyRun& run, std::size_t layer) {
  LayerTrack track;
  track.layer = layer;
  track.session = run.session;
  track.error = run.error;
  track.status = run.status;
  track.progress.ended = !run.error.empty();
  if (!run.session) return track;
  const Result<store::SessionSummary> summary = store.sessions().get(*run.session);
  Result<std::vector<store::ArrivedRow>> rows = store.trials().rows(*run.session);
  if (!summary || !rows) return track;
  track.record = summary->record;
  track.rows = std::move(*rows);
  track.plan = TRY(trial::budget_plan_from_json(track.record.budget_json));
  track.progress.kind = track.record.template_name;
  track.progress.best_seconds = best_after_rounds(track.rows, track.plan);
  track.progress.ended = track.progress.ended || layer_has_ended(*summary, track.plan.budget.trials);
  return track;
}

/**
 * Returns the time of a call in the sessions of the same task and target with which a session started, or 0
 * if it started without earlier trials.
 */
double earlier_seconds(const store::Store& store, const store::SessionRecord& record) {
  const Result<std::vector<session::HistorySource>> sources = session::history_from_json(record.history_json);
  const Result<task::Task> task = task::task_from_json(record.task_json);
  double best = 0;
  if (!sources || !task) return best;
  for (const session::HistorySource& source : *sources) {
    if (source.by_features) continue;
    const Result<store::SessionSummary> earlier = store.sessions().get(source.session);
    if (!earlier || earlier->status.best_trial < 0 || earlier->record.target_json != record.target_json)
      continue;
    const Result<task::Task> of = task::task_from_json(earlier->record.task_json);
    if (!of || of->text != task->text) continue;
    if (best == 0 || earlier->status.best_seconds < best) best = earlier->status.best_seconds;
  }
  return best;
}

void add_limit(const store::Store& store, const NetworkLayerOutcome& layer, NetworkLayerFacts& facts) {
  if (!layer.session) return;
  const Result<store::SessionSummary> session = store.sessions().get(*layer.session);
  if (!session) return;
  const Result<analysis::BestResult> best = exchange::read_best(store, *session);
  if (!best) return;
  const Result<session::BestComparisons> compared = session::read_comparisons(store, *session, *best);
  // The limit of a machine at another speed is none.
  if (!compared || compared->limit.seconds <= 0 || !compared->limit.withheld.empty()) return;
  facts.limit_seconds = compared->limit.seconds;
  facts.limit_name = compared->limit.of;
}

class ProgressReader {
 public:
  ProgressReader(const store::Store& store, store::StudyId id) : store_(store), id_(id) {}

  Result<NetworkProgress> read() {
    progress_.study = id_;
    progress_.outcome = TRY(network_outcome(store_, id_));
    progress_.definition = TRY(stored_study(store_, id_));
    const store::StudySummary summary = TRY(store_.studies().get(id_));
    progress_.name = summary.record.name;
    progress_.created_utc = summary.record.created_utc;
    progress_.program_version = summary.record.program_version;
    progress_.running = summary.owner && summary.owner->alive();
    catalogue_ = TRY(task::Catalogue::load_default());
    TRY(read_tracks());
    read_facts();
    add_rounds();
    sort_layers();
    draw_curve();
    add_sums();
    choose_next();
    TRY(add_left_out());
    return std::move(progress_);
  }

 private:
  Status read_tracks() {
    const std::vector<PlannedRun> plan = plan_runs(progress_.definition);
    const std::vector<store::StudyRun> runs = TRY(store_.studies().runs(id_));
    for (std::size_t i = 0; i < std::min(plan.size(), runs.size()); ++i) {
      LayerTrack& track = tracks_.emplace_back(TRY(read_track(store_, runs[i], plan[i].task)));
      track.progress.max_first_rounds = max_first_rounds(progress_.definition);
    }
    return {};
  }

  /** Returns the FLOPs of a layer, even before its first session. */
  double flops_of(std::size_t layer) const {
    const NetworkLayerOutcome& outcome = progress_.outcome.layers[layer];
    if (outcome.flops > 0) return outcome.flops;
    const Result<task::Task> task = catalogue_->find(outcome.task);
    return task ? task->flops() : 0;
  }

  void read_facts() {
    const std::vector<NetworkLayerOutcome>& outcomes = progress_.outcome.layers;
    progress_.layers.resize(outcomes.size());
    double all = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      progress_.layers[i].flops = flops_of(i);
      all += times(outcomes[i]) * progress_.layers[i].flops;
      add_limit(store_, outcomes[i], progress_.layers[i]);
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (all > 0) progress_.layers[i].share_of_flops = times(outcomes[i]) * progress_.layers[i].flops / all;
    for (LayerTrack& track : tracks_) {
      NetworkLayerFacts& facts = progress_.layers[track.layer];
      track.progress.weight = times(outcomes[track.layer]);
      track.progress.flops = facts.flops;
      if (track.record.id == 0) continue;
      facts.template_name = track.record.template_name;
      const double earlier = earlier_seconds(store_, track.record);
      if (earlier > 0 && (facts.first_seconds == 0 || earlier < facts.first_seconds))
        facts.first_seconds = earlier;
      add_disturbances(track);
      if (const Result<schedule::TargetDescription> target =
              schedule::target_from_json(track.record.target_json)) {
        progress_.target_device = target->device;
        target_ = *target;
      }
    }
    progress_.disturbed_by = trial::repeated_texts(said_);
  }

  void add_disturbances(const LayerTrack& track) {
    const Result<std::vector<trial::SessionNotice>> notices = store_.notices().of(*track.session);
    if (!notices) return;
    const std::vector<std::string> texts = trial::disturbances(*notices);
    for (trial::RepeatedText& said : trial::repeated_texts(texts))
      progress_.disturbances.push_back({track.layer, std::move(said)});
    said_.insert(said_.end(), texts.begin(), texts.end());
  }

  /** The numbers of the trials of a track's round. */
  struct Numbers {
    std::int64_t first = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
  };
  Numbers numbers_of(const OrderedRound& round) const {
    if (whole_sessions_) return {};
    const std::vector<trial::Limit>& limits = tracks_[round.track].plan.limits;
    Numbers numbers;
    // 0: no limit of trials.
    if (limits[round.round].trials > 0) numbers.end = limits[round.round].trials;
    if (round.round > 0) numbers.first = limits[round.round - 1].trials;
    return numbers;
  }

  /** A trial with the numbers that the curve needs, in the order of all trials. */
  struct Step {
    std::size_t layer = 0;
    std::size_t round = 0;  ///< among all rounds
    double elapsed_seconds = 0;
    double seconds = 0;  ///< time of a call; 0: not valid
  };

  void add_rounds() {
    const RoundOrder order = order_rounds(progress_.definition, tracks_, progress_.outcome.latencies);
    progress_.order_known = order.known;
    whole_sessions_ = order.whole_sessions;
    for (const NetworkLayerFacts& facts : progress_.layers) best_.push_back(facts.first_seconds);
    std::vector<double> clocks(tracks_.size(), 0);
    double elapsed = 0;
    for (const OrderedRound& ordered : order.rounds) {
      const LayerTrack& track = tracks_[ordered.track];
      NetworkRound round{track.layer, *track.session};
      round.round = progress_.layers[track.layer].rounds++;
      round.first_trial = std::ssize(steps_);
      round.begin_seconds = elapsed;
      round.seconds_before = best_[track.layer];
      round.choice = ordered.choice;
      const Numbers numbers = numbers_of(ordered);
      for (const store::ArrivedRow& row : track.rows) {
        if (row.number < numbers.first || row.number >= numbers.end) continue;
        // The clock of a session never decreases.
        const double now = std::max(clocks[ordered.track], row.finished_seconds);
        elapsed += now - clocks[ordered.track];
        clocks[ordered.track] = now;
        add_step({track.layer, progress_.rounds.size(), elapsed,
                  row.category == trial::ErrorCategory::NoError ? row.median_seconds : 0});
      }
      round.trials = std::ssize(steps_) - round.first_trial;
      round.end_seconds = elapsed;
      round.seconds_after = best_[track.layer];
      if (round.seconds_before > 0)
        round.gained_seconds =
            times(progress_.outcome.layers[track.layer]) * (round.seconds_before - round.seconds_after);
      progress_.rounds.push_back(round);
    }
    progress_.trials = std::ssize(steps_);
    progress_.elapsed_seconds = std::max(elapsed, progress_.outcome.tuning_seconds);
  }

  void add_step(const Step& step) {
    steps_.push_back(step);
    double& best = best_[step.layer];
    if (step.seconds > 0 && (best == 0 || step.seconds < best)) best = step.seconds;
  }

  /** Determines which layers are in the sum, which have no round yet, and which cannot be in the sum. */
  void sort_layers() {
    std::vector<bool> failed(best_.size(), false);
    for (const LayerTrack& track : tracks_) failed[track.layer] = failed[track.layer] || !track.error.empty();
    for (std::size_t layer = 0; layer < best_.size(); ++layer) {
      if (best_[layer] > 0)
        progress_.share_with_kernel += progress_.layers[layer].share_of_flops;
      else if (progress_.layers[layer].rounds == 0 && !failed[layer])
        progress_.waiting.push_back(layer);
      else
        progress_.without_kernel.push_back(layer);
    }
  }

  bool in_sum(std::size_t layer) const { return best_[layer] > 0; }

  void draw_curve() {
    if (!progress_.waiting.empty()) return;
    std::vector<double> now;
    for (const NetworkLayerFacts& facts : progress_.layers) now.push_back(facts.first_seconds);
    add_point(now, {});
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      double& best = now[step.layer];
      if (!(step.seconds > 0) || (best > 0 && step.seconds >= best)) continue;
      best = step.seconds;
      add_point(now, {step.elapsed_seconds, static_cast<std::int64_t>(i) + 1, 0, step.round});
    }
    if (!progress_.points.empty()) progress_.seconds = progress_.points.back().seconds;
  }

  /** Adds no point before every layer of the sum has a kernel. */
  void add_point(const std::vector<double>& now, NetworkPoint point) {
    bool any = false;
    for (std::size_t layer = 0; layer < now.size(); ++layer) {
      if (!in_sum(layer)) continue;
      if (now[layer] == 0) return;
      any = true;
      point.seconds += times(progress_.outcome.layers[layer]) * now[layer];
    }
    if (any) progress_.points.push_back(point);
  }

  void add_sums() {
    if (progress_.points.empty()) return;
    bool confirmed = true;
    for (std::size_t layer = 0; layer < best_.size(); ++layer) {
      if (!in_sum(layer)) continue;
      const NetworkLayerOutcome& outcome = progress_.outcome.layers[layer];
      const NetworkLayerFacts& facts = progress_.layers[layer];
      confirmed = confirmed && outcome.confirmed;
      progress_.confirmed_seconds += times(outcome) * outcome.seconds;
      progress_.vendor_seconds += times(outcome) * outcome.vendor_seconds;
      progress_.limit_seconds += times(outcome) * facts.limit_seconds;
      if (outcome.vendor_seconds <= 0) progress_.without_vendor.push_back(layer);
      if (facts.limit_seconds <= 0) progress_.without_limit.push_back(layer);
    }
    if (!confirmed) progress_.confirmed_seconds = 0;
    if (!progress_.without_vendor.empty()) progress_.vendor_seconds = 0;
    if (!progress_.without_limit.empty()) progress_.limit_seconds = 0;
  }

  void choose_next() {
    if (whole_sessions_ || progress_.definition.scheduler.empty()) return;
    const Result<LayerScheduler> scheduler = parse_layer_scheduler(progress_.definition.scheduler);
    if (!scheduler) return;
    std::vector<LayerUse> uses;
    std::vector<LayerProgress> layers;
    for (const LayerTrack& track : tracks_) {
      const std::int64_t allotted = track.session ? track.plan.budget.trials : 0;
      progress_.in_round =
          progress_.in_round || (!track.progress.ended && track.status.trial_count < allotted);
      uses.push_back(
          {track.status.trial_count, allotted, track.progress.ended, track.status.session_seconds});
      layers.push_back(track.progress);
      if (progress_.definition.objective == NetworkObjective::Latency)
        layers.back().latency_weight =
            progress_.outcome.latencies.weight_after(std::ssize(progress_.rounds), track.layer);
    }
    if (progress_.in_round) return;
    progress_.next = explain_next_layer(*scheduler, layers, progress_.definition.seed);
    if (!progress_.next) return;
    const bool first = is_first_round(progress_.next->reason);
    if (next_round_trials(progress_.definition, uses, first) < 1)
      progress_.next.reset();
    else
      progress_.next->layer = tracks_[progress_.next->layer].layer;
  }

  Status add_left_out() {
    const Definition& study = progress_.definition;
    const Result<task::WholeNetwork> network = study.network_json.empty()
                                                   ? task::find_whole_network(*catalogue_, study.network)
                                                   : task::whole_network_from_json(study.network_json);
    // The catalogue no longer has the network.
    if (!network) return {};
    progress_.others = network->others;
    progress_.notices = network->notices;
    std::vector<std::string> tuned;
    for (const Task& task : study.tasks)
      if (const Result<task::Task> known = catalogue_->find(task.task)) tuned.push_back(known->text);
    for (const task::WholeLayer& layer : network->layers) {
      if (std::ranges::find(tuned, layer.task.text) != tuned.end()) continue;
      LeftOutLayer& left = progress_.left_out.emplace_back();
      left.task = layer.task.name.empty() ? layer.task.text : layer.task.name;
      left.multiplicity = layer.multiplicity;
      left.reason = "no template fits";
      if (!target_) continue;
      const Result<schedule::ScheduledKernel> kernel =
          schedule::apply_template(layer.task, *target_, study.tasks.front().template_name);
      if (!kernel) left.reason = kernel.error().message;
    }
    return {};
  }

  const store::Store& store_;
  store::StudyId id_;
  NetworkProgress progress_;
  std::optional<task::Catalogue> catalogue_;
  std::optional<schedule::TargetDescription> target_;
  std::vector<LayerTrack> tracks_;
  std::vector<std::string> said_;  ///< disturbances of the layers, in their order
  bool whole_sessions_ = false;
  std::vector<Step> steps_;
  std::vector<double> best_;  ///< time of a call by layer, after the steps so far; 0: none
};

}  // namespace

Result<NetworkProgress> read_network_progress(const store::Store& store, store::StudyId id) {
  return ProgressReader(store, id).read();
}

Result<std::optional<store::StudyId>> network_study_of(const store::Store& store, store::SessionId session) {
  const store::SessionSummary summary = TRY(store.sessions().get(session));
  if (!summary.study) return std::optional<store::StudyId>();
  const store::StudySummary study = TRY(store.studies().get(*summary.study));
  if (purpose_of(study.record) != Purpose::Network) return std::optional<store::StudyId>();
  return summary.study;
}

std::string layer_title(const NetworkLayerOutcome& layer) {
  const Result<task::Task> task = task::parse_task(layer.task);
  return task ? task::shape_text(*task) : layer.task;
}

std::string layer_label(const NetworkLayerOutcome& layer) {
  const std::string title = layer_title(layer);
  return layer.multiplicity == 1 ? title : fmt::format("{} (times {})", title, layer.multiplicity);
}

}  // namespace kernelscape::study
