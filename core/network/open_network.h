#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/model_messages.h"
#include "core/schedule/target.h"
#include "core/task/network.h"

namespace kernelscape {

/** "batch=1" or "data[0]=1". InvalidArgument for anything else, and for numbers below 1. */
Result<ModelDimension> parse_dimension(std::string_view text);

/**
 * The network of an ONNX model's file, which a worker reads: nodes that are the same task are one layer.
 * Errors name the file: what is wrong with it, which dimensions it leaves open, or that it has no layer;
 * Environment where no worker can be had, or the model takes it too long.
 */
Result<WholeNetwork> open_model(const std::filesystem::path& path,
                                const std::vector<ModelDimension>& dimensions,
                                const Interruption& interruption = {});

/**
 * What a user names as a network: one of the catalogue, a file that `network save` wrote, or an ONNX model.
 * NotFound where it is none of these; InvalidArgument where dimensions are given to what is no model.
 */
Result<WholeNetwork> open_network(const std::string& name_or_file,
                                  const std::vector<ModelDimension>& dimensions, const Catalogue& catalogue,
                                  const Interruption& interruption = {});

/** What a layer is on a target, and its part of the whole. */
struct LayerShare {
  const WholeLayer* layer = nullptr;
  double flops = 0;           ///< of all calls together
  double bytes = 0;           ///< that all calls read and write at least
  double share = 0;           ///< of the FLOPs of all layers and of other operators, as far as they are known
  std::string template_name;  ///< the first that fits; empty: none
  std::string reason;         ///< why none fits
};

/** A network's layers, in its order. They point into the network. */
std::vector<LayerShare> layer_shares(const WholeNetwork& network, const TargetDescription& target);

}  // namespace kernelscape
