#include "core/study/network_rounds.h"

#include <algorithm>
#include <tuple>

#include "core/study/next_rounds.h"

namespace kernelscape::study {
namespace {

RoundOrder one_after_the_other(const std::vector<LayerTrack>& tracks) {
  RoundOrder order;
  order.whole_sessions = true;
  for (std::size_t track = 0; track < tracks.size(); ++track)
    if (tracks[track].session) order.rounds.push_back({track, 0, {}});
  std::ranges::sort(order.rounds, {},
                    [&](const OrderedRound& round) { return *tracks[round.track].session; });
  return order;
}

/** Orders the rounds for first kernels before all others, then each layer with the rest of its budget. */
RoundOrder first_kernels_before_others(const Definition& study, const std::vector<LayerTrack>& tracks) {
  RoundOrder order;
  for (std::size_t track = 0; track < tracks.size(); ++track) {
    if (!tracks[track].session) continue;
    for (std::size_t round = 0; round < tracks[track].progress.best_seconds.size(); ++round)
      order.rounds.push_back({track, round, {}});
  }
  std::ranges::sort(order.rounds, {}, [&](const OrderedRound& round) {
    const LayerTrack& track = tracks[round.track];
    const bool last = round.round > 0 && has_whole_budget(study, track.plan.limits[round.round].trials);
    return last ? std::tuple(true, std::size_t{0}, static_cast<store::SessionId>(round.track))
                : std::tuple(false, round.round, *track.session);
  });
  return order;
}

/** Repeats the choices of a shared budget. */
class ChosenAgain {
 public:
  ChosenAgain(const Definition& study, LayerScheduler scheduler, const std::vector<LayerTrack>& tracks,
              const LatencySeries& latencies)
      : study_(study), scheduler_(scheduler), tracks_(tracks), latencies_(latencies) {
    for (const LayerTrack& track : tracks) {
      LayerProgress& begin = known_.emplace_back(track.progress);
      begin.best_seconds.clear();
      // A layer that failed before its first round was never chosen.
      begin.ended = !track.session;
    }
  }

  RoundOrder order() {
    RoundOrder order;
    std::size_t all = 0;
    for (const LayerTrack& track : tracks_)
      if (track.session) all += track.progress.best_seconds.size();
    while (order.rounds.size() < all) {
      weigh(std::ssize(order.rounds));
      OrderedRound next = next_round(order.known);
      if (!order.known) next.choice.reset();
      const LayerTrack& track = tracks_[next.track];
      LayerProgress& known = known_[next.track];
      known.best_seconds.push_back(track.progress.best_seconds[next.round]);
      known.ended = track.progress.ended && !has_rounds_left(next.track);
      order.rounds.push_back(next);
    }
    return order;
  }

 private:
  /** Gives each layer the weight that it had after a number of rounds. */
  void weigh(std::int64_t rounds) {
    if (study_.objective != NetworkObjective::Latency) return;
    for (std::size_t track = 0; track < tracks_.size(); ++track)
      known_[track].latency_weight = latencies_.weight_after(rounds, tracks_[track].layer);
  }

  bool has_rounds_left(std::size_t track) const {
    return tracks_[track].session &&
           known_[track].best_seconds.size() < tracks_[track].progress.best_seconds.size();
  }

  /**
   * Returns true if a session that has not started yet is older, so that its layer had its first round
   * before. Of several sessions that start at the same time, any may be the oldest.
   */
  bool another_begins_first(std::size_t track) const {
    if (!known_[track].best_seconds.empty() || study_.layers_at_once > 1) return false;
    for (std::size_t other = 0; other < tracks_.size(); ++other)
      if (tracks_[other].session && known_[other].best_seconds.empty() &&
          *tracks_[other].session < *tracks_[track].session)
        return true;
    return false;
  }

  OrderedRound next_round(bool& known_order) {
    if (together_.empty()) choose_together(known_order);
    if (together_.empty()) return guessed_round(known_order);
    const LayerChoice choice = together_.front();
    together_.erase(together_.begin());
    return {choice.layer, known_[choice.layer].best_seconds.size(), choice};
  }

  /** Chooses rounds that ran at the same time. Some of the last ones may not have been started. */
  void choose_together(bool& known_order) {
    if (some_lacked_) known_order = false;
    some_lacked_ = false;
    for (const LayerChoice& choice :
         explain_next_layers(scheduler_, known_, study_.seed, study_.layers_at_once)) {
      if (has_rounds_left(choice.layer) && !another_begins_first(choice.layer)) {
        together_.push_back(choice);
      } else {
        some_lacked_ = true;
      }
    }
  }

  OrderedRound guessed_round(bool& known_order) const {
    std::vector<LayerProgress> open = known_;
    while (const std::optional<LayerChoice> choice = explain_next_layer(scheduler_, open, study_.seed)) {
      if (has_rounds_left(choice->layer) && !another_begins_first(choice->layer))
        return {choice->layer, known_[choice->layer].best_seconds.size(), choice};
      known_order = false;
      open[choice->layer].ended = true;
    }
    known_order = false;
    std::size_t track = 0;
    while (!has_rounds_left(track)) ++track;
    return {track, known_[track].best_seconds.size(), {}};
  }

  const Definition& study_;
  LayerScheduler scheduler_;
  const std::vector<LayerTrack>& tracks_;
  const LatencySeries& latencies_;
  std::vector<LayerProgress> known_;   ///< by track, after the rounds ordered so far
  std::vector<LayerChoice> together_;  ///< the next rounds, which were chosen together
  bool some_lacked_ = false;           ///< some of the rounds chosen last were not started
};

}  // namespace

RoundOrder order_rounds(const Definition& study, const std::vector<LayerTrack>& tracks,
                        const LatencySeries& latencies) {
  if (study.scheduler.empty())
    return study.first_trials > 0 ? first_kernels_before_others(study, tracks) : one_after_the_other(tracks);
  const Result<LayerScheduler> scheduler = parse_layer_scheduler(study.scheduler);
  RoundOrder order;
  if (!scheduler) {
    order = one_after_the_other(tracks);
    order.known = false;
    return order;
  }
  return ChosenAgain(study, *scheduler, tracks, latencies).order();
}

}  // namespace kernelscape::study
