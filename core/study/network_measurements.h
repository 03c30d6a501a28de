#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/study/latency_series.h"
#include "core/study/network_pass.h"
#include "core/study/study.h"

namespace kernelscape::study {

/** A measurement of a network as a whole, made when all of its layers have been tuned. */
struct NetworkMeasurement {
  std::string name;          ///< for users: "the pass over all layers"
  bool models_only = false;  ///< made only for networks that were read from a model's file
  /** Measures and stores the result. */
  std::function<Status(store::Store&, store::StudyId, const session::StopRequest&, const PassDevice&)>
      measure;
};

/** Returns the measurements that this machine makes: a pass over all layers, and a model's latency. */
std::vector<NetworkMeasurement> network_measurements();

/** The state of a network after a round of its tuning. */
struct RoundState {
  double tuning_seconds = 0;                ///< session time of all layers together
  std::int64_t trials = 0;                  ///< of all layers together
  std::int64_t rounds = 0;                  ///< of all layers together
  std::vector<KernelOfTrial> kernels = {};  ///< by layer: its best trial so far; -1: there is none
  std::vector<double> kernel_seconds = {};  ///< by layer: the time of a call of this kernel; 0: none
};

/** Receives the events of a measurement between two rounds. The functions must not be empty. */
struct RoundEvents {
  PassDevice device = {};
  std::function<void(const std::string& text)> note = {};        ///< a message for the user
  std::function<void(const LatencyPoint& point)> measured = {};  ///< a latency was measured
};

/** Measures a network as a whole between the rounds of its layers. */
class RoundMeasurement {
 public:
  virtual ~RoundMeasurement() = default;
  /** Is called after each round once every layer has a kernel. A failure is a note, and ends no tuning. */
  virtual void after_round(store::Store& store, const RoundState& state, const RoundEvents& events) = 0;
};

/** Makes the measurement of a study's run, or null if there is none. */
using MakeRoundMeasurement = std::function<std::unique_ptr<RoundMeasurement>(
    store::StudyId, const Definition&, const session::StopRequest&)>;

/**
 * Returns the measurement that this machine makes between the rounds of a network: the latency of the whole
 * model, for studies of a model's file on the processor of this machine. Null for other studies.
 * @param stop outlives the measurement
 */
std::unique_ptr<RoundMeasurement> make_round_measurement(store::StudyId id, const Definition& study,
                                                         const session::StopRequest& stop);

}  // namespace kernelscape::study
