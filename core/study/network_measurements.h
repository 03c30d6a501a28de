#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/stop_request.h"
#include "core/store/store.h"
#include "core/study/network_pass.h"

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

}  // namespace kernelscape::study
