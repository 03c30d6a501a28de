#pragma once

#include <filesystem>

#include "core/study/network_progress.h"
#include "core/study/network_roofline.h"
#include "ui/charts/bars/layer_time_chart.h"
#include "ui/charts/courses/network_curve_chart.h"
#include "ui/charts/landscape/roofline_chart.h"
#include "ui/figures/figure.h"

namespace kernelscape {

/** The network's time over session time or trials of all layers, with the vendor's line and the limit. */
FigureOf<NetworkCurveData> network_curve_figure(const NetworkProgress& network, ProgressX x);

/** A bar for each layer, those with most to win first. The chart's signal names a layer by its position in
 * the study. */
FigureOf<LayerTimeData> layer_time_figure(const NetworkProgress& network);

/** The layers of a network as marks of a roofline, by their positions in the study. */
std::vector<RooflineTrial> roofline_layers(const NetworkOutcome& network, const NetworkRoofline& roofline);
/** How to read them, and which have no place. */
QString layers_caption(const NetworkOutcome& network, const NetworkRoofline& roofline);

/**
 * Each layer's best kernel under the roofs of its machine, without trials. For background jobs, since loop
 * nests are made. @param database has the machine's ceilings
 */
FigureOf<RooflineData> network_roofline_figure(const NetworkProgress& network,
                                               const std::filesystem::path& database, MemoryLevel level);

}  // namespace kernelscape
