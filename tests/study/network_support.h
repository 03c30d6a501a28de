#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/study/network_run.h"
#include "core/study/study_execution.h"
#include "core/task/network.h"
#include "tests/schedule/random_tasks.h"
#include "tests/session/session_support.h"

/** A network whose layers share one budget, measured by the script of session tests. */
namespace kernelscape::study_tests {

inline WholeNetwork small_network() {
  WholeNetwork network{"my model", "a test's", {}};
  for (const auto& [text, times] :
       std::vector<std::pair<const char*, std::int64_t>>{{"conv2d 1x32x14x14 32x32x3x3 pad=1", 3},
                                                         {"conv2d 1x32x14x14 64x16x1x1 groups=2", 2},
                                                         {"conv2d 1x64x15x15 64x64x3x3 stride=2 pad=0:1", 1},
                                                         {"matmul 8x64 64x32", 4}})
    network.layers.push_back({*parse_task(text), times, {"a node"}});
  network.others.push_back({"Relu", 3, 1000});
  return network;
}

/** The study of its layers, or of another network's. */
inline StudyDefinition planned_network(const std::string& scheduler, std::int64_t trials,
                                       const std::string& tuner = "ga",
                                       const WholeNetwork& network = small_network()) {
  NetworkRequest request;
  request.tuner = tuner;
  request.scheduler = scheduler;
  request.budget.trials = trials;
  request.seed = 5;
  return plan_network(request, network, *Catalogue::load_default(), testing::cpu_with_lanes(16))->study;
}

/** Runs a session with this measurer, and measures by the script again at the end where it does not go on. */
inline Result<SessionOutcome> run_by_script(session_tests::TestMeasurer& measurer, Store& store,
                                            const PreparedTuning& tuning, std::optional<SessionId> resumed,
                                            SessionObserver& observer, const StopRequest& stop) {
  Confirmer confirmer;
  if (!tuning.setup.goes_on) confirmer = session_tests::confirm_by_script;
  const SessionTools tools{measurer, observer, stop, [&] { return measurer.clock().seconds; },
                           std::move(confirmer)};
  return resumed ? resume_session(store, *resumed, tuning.setup, tools)
                 : run_session(store, tuning.setup, tools);
}

}  // namespace kernelscape::study_tests
