#include "core/study/network_measurements.h"

#include <tuple>

#include "core/study/model_latency.h"

namespace kernelscape::study {

std::vector<NetworkMeasurement> network_measurements() {
  return {{.name = "the pass over all layers",
           .models_only = false,
           .measure = [](store::Store& store, store::StudyId id, const session::StopRequest& stop,
                         const PassDevice& device) -> Status {
             std::ignore = TRY(measure_network_pass(store, id, default_pass_rounds, stop,
                                                    /*vendor_where_faster=*/false, device));
             return {};
           }},
          {.name = "the latency of the whole model",
           .models_only = true,
           .measure = [](store::Store& store, store::StudyId id, const session::StopRequest& stop,
                         const PassDevice& device) -> Status {
             std::ignore = TRY(measure_model_latency(store, id, stop, device));
             return {};
           }}};
}

}  // namespace kernelscape::study
