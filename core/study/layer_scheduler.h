#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** Who gets the next trials where the layers of a network share one budget. */
enum class LayerScheduler : std::uint8_t {
  Gradient,     ///< the layer that promises most for the network's time
  RoundRobin,   ///< each in turn
  Proportional  ///< each by its share of the network's FLOPs
};

/** "gradient", "round-robin", "proportional". */
std::string_view to_string(LayerScheduler scheduler);
/** What to_string wrote; InvalidArgument names the known ones. */
Result<LayerScheduler> parse_layer_scheduler(std::string_view text);
/** Their names. */
std::vector<std::string> layer_scheduler_names();

/** What a scheduler knows of a layer. It was tuned in rounds, each of some trials. */
struct LayerProgress {
  double weight = 1;                      ///< how often the network calls it
  double flops = 0;                       ///< of a call
  std::string kind = {};                  ///< layers of one kind may reach a similar speed
  std::vector<double> best_seconds = {};  ///< of a call, after each of its rounds; 0: no kernel was right yet
  bool ended = false;                     ///< it gets no more: nothing is left, or its patience is over
  /** The layer goes before others until it has a right kernel or had this many rounds. */
  std::int64_t max_first_rounds = 1;
};

/** Returns true if the layer goes before others: it has no right kernel, and not all of its first rounds. */
bool waits_for_kernel(const LayerProgress& layer);

/** Why a layer gets the next round. */
enum class LayerReason : std::uint8_t {
  FirstRound,  ///< it had none
  Promise,     ///< Gradient: it promises most for the network's time
  Turn,        ///< RoundRobin: no layer had fewer rounds
  Share,       ///< Proportional: no layer lacks more of its share
  AnyLayer,    ///< Gradient: the one round in twenty that goes to any layer
  NoKernel     ///< none of its kernels was right so far, and it has first rounds left
};

/** Returns true if the round is one of those that layers get before others: see
 * LayerProgress::max_first_rounds. */
inline bool is_first_round(LayerReason reason) {
  return reason == LayerReason::FirstRound || reason == LayerReason::NoKernel;
}

/** A layer that gets the next round, with the numbers that it was chosen by. */
struct LayerChoice {
  std::size_t layer = 0;
  LayerReason reason = LayerReason::FirstRound;
  std::int64_t rounds = 0;    ///< that it had
  double share_of_flops = 0;  ///< of the network's, all calls; 0 where no FLOPs are known
  /** Gradient: how much of the network's time the round may save, all calls; 0 before any layer has a right
   * kernel. */
  double promised_seconds = 0;
  /** Gradient: what each of its latest rounds saved of the network's time, on average; 0 where it had too few
   * of them. */
  double gained_seconds = 0;
  double due_rounds = 0;   ///< Proportional: that are its share of all, with this one
  bool has_kernel = true;  ///< whether one was right so far

  bool operator==(const LayerChoice&) const = default;
};

/**
 * The layer that gets the next round, and why; none: all have ended. A function of its arguments alone, so
 * that a run that was killed goes on as if it had not been, and what was chosen before can be told again.
 *
 * Every layer gets a round first, those with the most FLOPs before the others; then those without a right
 * kernel get more, while they have first rounds left (LayerProgress::max_first_rounds). Then Gradient is the
 * task scheduler of Ansor (Zheng et al., "Ansor: Generating High-Performance Tensor Programs for Deep
 * Learning", OSDI 2020, section 6) for the objective f = sum of w_i g_i(t_i): w_i calls of layer i that take
 * g_i(t_i) seconds after t_i rounds. The next round goes to the layer with the largest |df/dt_i|,
 *
 *   df/dt_i ~ w_i (alpha (g_i(t_i) - g_i(t_i - dt)) / dt
 *                  + (1 - alpha) min(-g_i(t_i) / t_i, beta C_i / max V_k - g_i(t_i)))
 *
 * what it gained over the last dt rounds, and what it may gain: at best all of its time in as many rounds
 * again as it had, and by what similar layers k reach, C_i FLOPs at beta times fewer than their V_k FLOP/s.
 * alpha = 0.2, beta = 2 and dt = 3 are those of Ansor's program (the paper leaves them open); a layer with
 * fewer rounds has gained nothing. One round in twenty goes to any layer (the paper's epsilon-greedy). Ours:
 * similar are layers of one template; a layer without a right kernel counts with beta times the time that its
 * FLOPs take at the best speed of any.
 *
 * @param seed of the network's run; the number of rounds so far makes each choice another
 */
std::optional<LayerChoice> explain_next_layer(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                              std::uint64_t seed);

/** At most `count` layers that get a round at the same time: each of them as if those before it had found
 * nothing in theirs. Where layers have several first rounds, none gets a later round beside a first one. */
std::vector<LayerChoice> explain_next_layers(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                             std::uint64_t seed, int count);

/** Why, in words: "it promises most: a round may save 0.12 ms of the network's time". */
std::string choice_text(const LayerChoice& choice);

}  // namespace kernelscape
