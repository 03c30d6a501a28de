#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/roofline.h"
#include "core/study/network_run.h"

namespace kernelscape {

/** The best kernel of a layer under the roofs of its machine. */
struct LayerRoofline {
  std::size_t layer = 0;  ///< position in the network's study
  SessionId session = 0;
  std::int64_t trial = 0;
  RooflineKernel kernel;
  RooflinePlace place;
};

/** A layer that has no place under the roofs. */
struct LayerWithoutRoofline {
  std::size_t layer = 0;
  std::string reason;
};

/** All layers of a network under the same roofs. */
struct NetworkRoofline {
  std::optional<MachineCeilings> ceilings;  ///< none: not measured, or no layer has a place
  std::string obstacle;                     ///< why there are none
  std::vector<LayerRoofline> layers;
  std::vector<LayerWithoutRoofline> left_out;  ///< what has no place, and why
};

/**
 * Makes the loop nest of each layer's best kernel: for background jobs. Its bytes are an estimate, or were
 * counted, as those of a trial; its time is that of the layer's outcome. Layers that were measured with other
 * ceilings, on another machine or with other threads, are left out.
 */
NetworkRoofline network_roofline(const Store& store, const NetworkOutcome& outcome);

}  // namespace kernelscape
