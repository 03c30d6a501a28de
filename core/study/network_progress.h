#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/study/layer_scheduler.h"
#include "core/study/network_run.h"
#include "core/study/study_execution.h"
#include "core/trial/session_notice.h"

namespace kernelscape {

/** What is known of a layer beside its outcome. */
struct NetworkLayerFacts {
  double flops = 0;           ///< of a call; known before its first session, too
  double share_of_flops = 0;  ///< of all layers that are tuned
  std::string template_name;  ///< empty before its first session
  double limit_seconds = 0;   ///< of a call at the machine's limit; 0: not known
  std::string limit_name;     ///< "FMA peak", "memory bandwidth"
  std::int64_t rounds = 0;    ///< that it had
  /** Of a call, of an earlier session that it began with; 0: it began new. */
  double first_seconds = 0;
};

/** Trials of one layer in a row, before another layer had its turn. */
struct NetworkRound {
  std::size_t layer = 0;  ///< position in the network's study
  SessionId session = 0;
  std::int64_t round = 0;        ///< of its layer, from 0
  std::int64_t first_trial = 0;  ///< of all layers together, where it begins
  std::int64_t trials = 0;       ///< measured in it
  double begin_seconds = 0;      ///< session time of all layers together
  double end_seconds = 0;        ///< with its last trial
  double seconds_before = 0;     ///< best of a call of the layer; 0: it had none
  double seconds_after = 0;      ///< the same after the round
  double gained_seconds = 0;     ///< of the network's time, all calls; 0 where the layer had no kernel before
  std::optional<LayerChoice> choice = {};  ///< why it was its turn; none: each layer has a budget for itself
};

/** The network's time from a moment on. */
struct NetworkPoint {
  double elapsed_seconds = 0;             ///< session time of all layers together
  std::int64_t trials = 0;                ///< of all layers together
  double seconds = 0;                     ///< of one run of the network's layers
  std::optional<std::size_t> round = {};  ///< in which it came about; none: what the layers began with

  bool operator==(const NetworkPoint&) const = default;
};

/** What a session said, maybe often, that no number of its layer should be read without. */
struct LayerDisturbance {
  std::size_t layer = 0;
  RepeatedText said;
};

/**
 * A network's study as the store has it: how fast the network is, and how it became so. Layers are in the
 * study's order everywhere.
 *
 * The network's time is the sum over its layers of multiplicity times the best so far, by the trials' own
 * medians. There is no sum before every layer has a kernel, so the curve begins there: until then
 * `waiting` names the layers that had no round yet. A layer that had rounds and no right kernel would keep
 * the curve from ever beginning: it stands in `without_kernel` and is in no sum, nor in those of the vendor
 * and the limit.
 *
 * Session time and trials are those of all layers together: layers are tuned one after the other, so what the
 * clock of a layer's session has advanced by a trial, the network's has as well.
 */
struct NetworkProgress {
  StudyId study = 0;
  std::string name;  ///< the study's
  std::string created_utc;
  std::string program_version;
  StudyDefinition definition;
  bool running = false;  ///< a process is at it now
  NetworkOutcome outcome;

  std::vector<NetworkLayerFacts> layers;
  std::vector<NetworkRound> rounds;  ///< in the order in which they were made
  /**
   * False: some rounds of a shared budget do not follow from what is stored, as where a layer failed and was
   * made anew. Their order is then a guess, and they have no choice.
   */
  bool order_known = true;
  std::vector<NetworkPoint> points;  ///< where the time changed; empty: no sum yet, see `waiting`
  double elapsed_seconds = 0;        ///< session time of all layers, with what was confirmed at the end
  std::int64_t trials = 0;

  std::vector<std::size_t> waiting;         ///< layers without a round and without an error
  std::vector<std::size_t> without_kernel;  ///< layers that were tried, or failed, and are in no sum
  double share_with_kernel = 0;             ///< of the FLOPs of all layers

  double seconds = 0;                       ///< where the curve ends; 0: no sum yet
  double vendor_seconds = 0;                ///< of the same layers; 0: of one or more it was not measured
  std::vector<std::size_t> without_vendor;  ///< layers of the sum whose vendor's time is not known
  double limit_seconds = 0;                 ///< of the same layers; 0: of one or more it is not known
  std::vector<std::size_t> without_limit;   ///< layers of the sum whose limit is not known
  /** By what was confirmed: all layers of the sum were measured again at the end; 0: not all were. */
  double confirmed_seconds = 0;

  bool in_round = false;  ///< the last of `rounds` has not come to its end
  /** Whose turn is next; none: no shared budget, it is used, or a round has not come to its end. */
  std::optional<LayerChoice> next = {};

  std::vector<LeftOutLayer> left_out;  ///< layers of the network that no template fits
  std::vector<OtherOperators> others;  ///< what else the network computes, as far as it is known
  std::vector<std::string> notices;    ///< what the reader of its model left out or took for granted
  std::vector<LayerDisturbance> disturbances;
  std::vector<RepeatedText> disturbed_by;  ///< the same of all layers together
  std::string target_device;               ///< as its target describes itself; empty before the first session
};

/** What figures and reports share. */
using NetworkSource = std::shared_ptr<const NetworkProgress>;

/**
 * Reads all of it; for background jobs. InvalidArgument where the study is for another purpose. A layer whose
 * session is damaged hides no other: its outcome says so.
 */
Result<NetworkProgress> read_network_progress(const Store& store, StudyId id);

/** The network's study that a session is a run of; none: it is of no network. */
Result<std::optional<StudyId>> network_study_of(const Store& store, SessionId session);

/** What lists call a layer: its task's name in the catalogue, else its operator and shape. */
std::string layer_title(const NetworkLayerOutcome& layer);

/** "resnet18/C6 (times 3)": a layer with how often the network calls it. */
std::string layer_label(const NetworkLayerOutcome& layer);

}  // namespace kernelscape
