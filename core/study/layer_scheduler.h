#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::study {

/** Chooses the layer that gets the next trials if the layers of a network share one budget. */
enum class LayerScheduler : std::uint8_t {
  Gradient,     ///< the layer with the largest expected gain for the network's time
  RoundRobin,   ///< each in turn
  Proportional  ///< each by its share of the network's FLOPs
};

/** Returns "gradient", "round-robin" or "proportional". */
std::string_view to_string(LayerScheduler scheduler);
/** Parses a name that to_string() returns. InvalidArgument lists the known names. */
Result<LayerScheduler> parse_layer_scheduler(std::string_view text);
/** Returns the names of all schedulers. */
std::vector<std::string> layer_scheduler_names();

/** The state of a layer that a scheduler reads. The layer was tuned in rounds, each of several trials. */
struct LayerProgress {
  double weight = 1;  ///< number of calls in the network
  /**
   * Replaces the weight in gains: the number of calls that the layer's share of the measured latency of the
   * whole model amounts to; 0: the latency is not the objective, or was not measured yet.
   */
  double latency_weight = 0;
  double flops = 0;       ///< FLOPs of a call
  std::string kind = {};  ///< layers of one kind may reach a similar speed
  std::vector<double> best_seconds =
      {};              ///< time of a call after each of its rounds; 0: no kernel was correct yet
  bool ended = false;  ///< no further rounds: nothing is left, or its patience is over
  /** The layer has priority until it has a correct kernel or had this many rounds. */
  std::int64_t max_first_rounds = 1;
};

/** Returns true if the layer has priority: it has no correct kernel, and not all of its first rounds. */
bool waits_for_kernel(const LayerProgress& layer);

/** Why a layer gets the next round. */
enum class LayerReason : std::uint8_t {
  FirstRound,  ///< it had no round
  Promise,     ///< Gradient: it has the largest expected gain for the network's time
  Turn,        ///< RoundRobin: no layer had fewer rounds
  Share,       ///< Proportional: no layer lacks more of its share
  AnyLayer,    ///< Gradient: the one round in twenty that goes to any layer
  NoKernel     ///< it has no correct kernel so far, and first rounds left
};

/**
 * Returns true if the round is one of the first rounds, which have priority: see
 * LayerProgress::max_first_rounds.
 */
inline bool is_first_round(LayerReason reason) {
  return reason == LayerReason::FirstRound || reason == LayerReason::NoKernel;
}

/** The layer that gets the next round, with the numbers on which the choice is based. */
struct LayerChoice {
  std::size_t layer = 0;
  LayerReason reason = LayerReason::FirstRound;
  std::int64_t rounds = 0;    ///< number of its rounds so far
  double share_of_flops = 0;  ///< share of the network's FLOPs, all calls; 0 if no FLOPs are known
  /**
   * Gradient: the possible reduction of the network's time by the round, all calls; 0 before any layer has a
   * correct kernel.
   */
  double promised_seconds = 0;
  /**
   * Gradient: the average reduction of the network's time by each of its latest rounds; 0 if it had too few
   * of them.
   */
  double gained_seconds = 0;
  double due_rounds = 0;   ///< Proportional: its share of all rounds, including this one
  bool has_kernel = true;  ///< whether it has a correct kernel so far

  bool operator==(const LayerChoice&) const = default;
};

/**
 * Returns the layer that gets the next round, with the reason, or nullopt if all have ended. The result
 * depends only on the arguments, so a run that was killed resumes as if it had not been, and earlier choices
 * can be explained again.
 *
 * Every layer first gets a round, in descending order of FLOPs. Then layers without a correct kernel get
 * more, while they have first rounds left (LayerProgress::max_first_rounds). Then Gradient is the task
 * scheduler of Ansor (Zheng et al., "Ansor: Generating High-Performance Tensor Programs for Deep Learning",
 * OSDI 2020, section 6) for the objective f = sum of w_i g_i(t_i): w_i calls of layer i that take g_i(t_i)
 * seconds after t_i rounds. If the latency of the whole model is the objective, w_i is such that w_i g_i was
 * the time of the layer in the measured model. The next round goes to the layer with the largest |df/dt_i|,
 *   df/dt_i ~ w_i (alpha (g_i(t_i) - g_i(t_i - dt)) / dt
 *                  + (1 - alpha) min(-g_i(t_i) / t_i, beta C_i / max V_k - g_i(t_i)))
 * The terms are the gain over the last dt rounds, and the possible gain: at best all of its time in as many
 * rounds again as it had, limited by the speed of similar layers k, C_i FLOPs at beta times fewer than their
 * V_k FLOP/s. alpha = 0.2, beta = 2 and dt = 3 are those of Ansor's program (the paper does not specify
 * them); a layer with fewer rounds has no gain. One round in twenty goes to any layer (the paper's
 * epsilon-greedy). Our choices: layers of one template are similar; a layer without a correct kernel counts
 * with beta times the time that its FLOPs take at the best speed of any layer.
 * @param seed of the network's run; combined with the number of rounds so far, so that every choice differs
 */
std::optional<LayerChoice> explain_next_layer(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                              std::uint64_t seed);

/**
 * Returns at most `count` layers that get a round at the same time. Each choice assumes that the rounds
 * chosen before it find no improvement. If layers have several first rounds, no layer gets a later round
 * beside a first one.
 */
std::vector<LayerChoice> explain_next_layers(LayerScheduler scheduler, std::span<const LayerProgress> layers,
                                             std::uint64_t seed, int count);

/**
 * Returns the reason of a choice as text: "it promises most: a round may save 0.12 ms of the network's time".
 */
std::string choice_text(const LayerChoice& choice);

}  // namespace kernelscape::study
