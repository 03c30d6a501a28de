#pragma once

#include <filesystem>
#include <string_view>

#include "core/study/network_progress.h"
#include "core/study/network_roofline.h"
#include "ui/charts/bars/layer_time_chart.h"
#include "ui/charts/curves/model_latency_chart.h"
#include "ui/charts/curves/network_curve_chart.h"
#include "ui/charts/landscape/roofline_chart.h"
#include "ui/figures/figure.h"

namespace kernelscape::figures {

/** Name of the kind of model_latency_figure(). */
inline constexpr std::string_view model_latency_figure_name = "model latency";

/**
 * Returns the network's time over session time or trials of all layers, with the lines of the vendor's
 * library and the machine's limit.
 */
FigureOf<charts::NetworkCurveData> network_curve_figure(const study::NetworkProgress& network,
                                                        charts::ProgressX x);

/**
 * Returns the latency of the whole model over session time or trials of all layers, with onnxruntime's line.
 * The caption says where the time goes. Without a latency, the notice gives the reason.
 */
FigureOf<charts::NetworkCurveData> model_latency_figure(const study::NetworkProgress& network,
                                                        charts::ProgressX x);

/**
 * Returns a bar for each layer, those with the largest possible saving first. The chart's signal names a
 * layer by its position in the study.
 */
FigureOf<charts::LayerTimeData> layer_time_figure(const study::NetworkProgress& network);

/** Returns the layers of a network as marks of a roofline, numbered by their positions in the study. */
std::vector<charts::RooflineTrial> roofline_layers(const study::NetworkOutcome& network,
                                                   const study::NetworkRoofline& roofline);
/** Returns how to read these marks, and which layers have no position. */
QString layers_caption(const study::NetworkOutcome& network, const study::NetworkRoofline& roofline);

/**
 * Returns each layer's best kernel under the roofs of its machine, without trials. For background jobs, since
 * loop nests are made. @param database holds the machine's ceilings
 */
FigureOf<charts::RooflineData> network_roofline_figure(const study::NetworkProgress& network,
                                                       const std::filesystem::path& database,
                                                       base::MemoryLevel level);

}  // namespace kernelscape::figures
