#pragma once

#include "core/study/network_run.h"
#include "core/task/network.h"
#include "tests/gui/study_gui_support.h"
#include "tests/schedule/random_tasks.h"

namespace kernelscape::gui_tests {

/** Three layers, one of them called twice, and an operator that is no layer. */
inline task::WholeNetwork gui_network() {
  task::WholeNetwork network{"my <network>", "a test's", {}};
  for (const auto& [text, times] :
       std::vector<std::pair<const char*, std::int64_t>>{{"matmul 64x64 64x64 f32", 2},
                                                         {"matmul 128x64 64x64 f32", 1},
                                                         {"conv2d 1x32x14x14 32x32x3x3 pad=1", 1}})
    network.layers.push_back({*task::parse_task(text), times, {"a node"}});
  network.others.push_back({"Relu", 3, 4096});
  network.notices = {"the model's <reader> took something for granted"};
  return network;
}

/** A network's study under one budget, not run yet. */
inline study::Definition gui_network_study(std::int64_t trials = 36) {
  study::NetworkRequest request;
  request.tuner = "random";
  request.scheduler = "gradient";
  request.budget.trials = trials;
  request.seed = 5;
  return study::plan_network(request, gui_network(), *task::Catalogue::load_default(),
                             testing::cpu_with_lanes(16))
      ->study;
}

}  // namespace kernelscape::gui_tests
