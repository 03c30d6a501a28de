#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/study/execution.h"
#include "core/study/layer_scheduler.h"
#include "core/study/network_run.h"
#include "core/trial/session_notice.h"

namespace kernelscape::study {

/** Facts about a layer beside its outcome. */
struct NetworkLayerFacts {
  double flops = 0;           ///< FLOPs of a call; known even before the layer's first session
  double share_of_flops = 0;  ///< share of the FLOPs of all tuned layers
  std::string template_name;  ///< empty before the layer's first session
  double limit_seconds = 0;   ///< time of a call at the machine's limit; 0: not known
  std::string limit_name;     ///< "FMA peak", "memory bandwidth"
  std::int64_t rounds = 0;    ///< number of its rounds
  /** Time of a call in the earlier session from which it started; 0: it started without one. */
  double first_seconds = 0;
};

/** Consecutive trials of one layer, before another layer has its turn. */
struct NetworkRound {
  std::size_t layer = 0;  ///< position in the network's study
  store::SessionId session = 0;
  std::int64_t round = 0;        ///< number within its layer, from 0
  std::int64_t first_trial = 0;  ///< first trial, counted over all layers
  std::int64_t trials = 0;       ///< number of measured trials
  double begin_seconds = 0;      ///< start, in session time of all layers together
  double end_seconds = 0;        ///< end of its last trial
  double seconds_before = 0;     ///< best time of a call of the layer before the round; 0: no kernel
  double seconds_after = 0;      ///< best time of a call of the layer after the round
  /** Reduction of the network's time over all calls; 0 if the layer had no kernel before. */
  double gained_seconds = 0;
  std::optional<LayerChoice> choice =
      {};  ///< why the layer was chosen; nullopt: each layer has its own budget
};

/** The network's time from a point in time on. */
struct NetworkPoint {
  double elapsed_seconds = 0;  ///< session time of all layers together
  std::int64_t trials = 0;     ///< of all layers together
  double seconds = 0;          ///< time of one run of the network's layers
  std::optional<std::size_t> round =
      {};  ///< the round that achieved the time; nullopt: the layers started with it

  bool operator==(const NetworkPoint&) const = default;
};

/** A text that a session reported, possibly repeatedly, that qualifies every number of its layer. */
struct LayerDisturbance {
  std::size_t layer = 0;
  trial::RepeatedText said;
};

/**
 * The stored state of a network's study: the network's current time, and how it developed. Layers are in the
 * study's order everywhere.
 *
 * The network's time is the sum over its layers of multiplicity times the best time so far, by the medians of
 * the trials. The sum is undefined until every layer has a kernel, so the curve begins there: until then
 * `waiting` names the layers that had no round yet. A layer that had rounds but no correct kernel would keep
 * the curve from ever beginning: it is listed in `without_kernel` and is in no sum, nor in those of the
 * vendor and the limit.
 *
 * Session time and trials are those of all layers together. Layers are tuned one after the other, so each
 * trial advances the clock of the network by the same amount as the clock of its layer's session.
 */
struct NetworkProgress {
  store::StudyId study = 0;
  std::string name;  ///< name of the study
  std::string created_utc;
  std::string program_version;
  Definition definition;
  bool running = false;  ///< true: a process is running the study now
  NetworkOutcome outcome;

  std::vector<NetworkLayerFacts> layers;
  std::vector<NetworkRound> rounds;  ///< in the order in which they ran
  /**
   * False if some rounds of a shared budget cannot be derived from the stored state, for example because a
   * layer failed and was restarted. Their order is then a guess, and they have no choice.
   */
  bool order_known = true;
  std::vector<NetworkPoint> points;  ///< the changes of the time; empty: no sum yet, see `waiting`
  double elapsed_seconds = 0;        ///< session time of all layers, including confirmations at the end
  std::int64_t trials = 0;

  std::vector<std::size_t> waiting;         ///< layers without a round and without an error
  std::vector<std::size_t> without_kernel;  ///< layers that were tried, or failed, and are in no sum
  double share_with_kernel = 0;             ///< share of the FLOPs of all layers

  double seconds = 0;                       ///< the end of the curve; 0: no sum yet
  double vendor_seconds = 0;                ///< sum over the same layers; 0: not measured for at least one
  std::vector<std::size_t> without_vendor;  ///< layers of the sum whose vendor time is not known
  double limit_seconds = 0;                 ///< sum over the same layers; 0: not known for at least one
  std::vector<std::size_t> without_limit;   ///< layers of the sum whose limit is not known
  /**
   * The sum of the confirmed times: all layers of the sum were measured again at the end; 0: not all were.
   */
  double confirmed_seconds = 0;

  bool in_round = false;  ///< the last of `rounds` has not ended
  /** The next layer; nullopt: there is no shared budget, it is used, or a round has not ended. */
  std::optional<LayerChoice> next = {};

  std::vector<LeftOutLayer> left_out;        ///< layers of the network that no template supports
  std::vector<task::OtherOperators> others;  ///< the other operators of the network, as far as they are known
  std::vector<std::string> notices;          ///< what the reader of its model left out or assumed
  std::vector<LayerDisturbance> disturbances;
  std::vector<trial::RepeatedText> disturbed_by;  ///< the disturbances of all layers together
  std::string target_device;  ///< the target's description of itself; empty before the first session
};

/** The progress that figures and reports share. */
using NetworkSource = std::shared_ptr<const NetworkProgress>;

/**
 * Reads the progress of a network's study; for background jobs. Returns InvalidArgument if the study has
 * another purpose. A layer with a damaged session hides no other layer: its outcome reports the damage.
 */
Result<NetworkProgress> read_network_progress(const store::Store& store, store::StudyId id);

/** Returns the network study to which a session belongs, or nullopt if it belongs to none. */
Result<std::optional<store::StudyId>> network_study_of(const store::Store& store, store::SessionId session);

/** Returns the name of a layer in lists: its task's name in the catalogue, or else its operator and shape. */
std::string layer_title(const NetworkLayerOutcome& layer);

/** Returns the title of a layer with the number of its calls: "resnet18/C6 (times 3)". */
std::string layer_label(const NetworkLayerOutcome& layer);

}  // namespace kernelscape::study
