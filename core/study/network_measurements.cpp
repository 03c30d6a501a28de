#include "core/study/network_measurements.h"

#include <algorithm>
#include <tuple>

#include "core/study/latency_monitor.h"
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

std::unique_ptr<RoundMeasurement> make_round_measurement(store::StudyId id, const Definition& study,
                                                         const session::StopRequest& stop) {
  const bool here = study.model_source && !study.measuring.build_only &&
                    std::ranges::all_of(study.tasks, [](const Task& task) { return task.target == "cpu"; });
  return here ? std::make_unique<LatencyMonitor>(id, study, stop) : nullptr;
}

}  // namespace kernelscape::study
