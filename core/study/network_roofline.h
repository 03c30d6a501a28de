#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/roofline.h"
#include "core/study/network_run.h"

namespace kernelscape::study {

/** The best kernel of a layer in the roofline of its machine. */
struct LayerRoofline {
  std::size_t layer = 0;  ///< position in the network's study
  store::SessionId session = 0;
  std::int64_t trial = 0;
  analysis::RooflineKernel kernel;
  analysis::RooflinePlace place;
};

/** A layer that has no place in the roofline. */
struct LayerWithoutRoofline {
  std::size_t layer = 0;
  std::string reason;
};

/** All layers of a network in the same roofline. */
struct NetworkRoofline {
  std::optional<trial::MachineCeilings> ceilings;  ///< nullopt: not measured, or no layer has a place
  std::string obstacle;                            ///< why there are no ceilings
  std::vector<LayerRoofline> layers;
  std::vector<LayerWithoutRoofline> left_out;  ///< the layers without a place, with the reason
};

/**
 * Generates the loop nest of each layer's best kernel; for background jobs. The bytes of a kernel are
 * estimated or counted, as those of a trial; its time is that of the layer's outcome. Leaves out layers that
 * were measured with other ceilings, on another machine or with another number of threads.
 */
NetworkRoofline network_roofline(const store::Store& store, const NetworkOutcome& outcome);

}  // namespace kernelscape::study
