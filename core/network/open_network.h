#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/model_messages.h"
#include "core/schedule/target.h"
#include "core/task/network.h"

namespace kernelscape::network {

/** Parses "batch=1" or "data[0]=1". Returns InvalidArgument for any other form, and for numbers below 1. */
Result<measure::ModelDimension> parse_dimension(std::string_view text);

/**
 * Reads the network of an ONNX model file in a worker process. Nodes that are the same task become one layer.
 * Errors name the file and say what is wrong with it, which dimensions it leaves open, or that it has no
 * layer. Returns Environment if no worker can be started, or if the worker takes too long.
 */
Result<task::WholeNetwork> open_model(const std::filesystem::path& path,
                                      const std::vector<measure::ModelDimension>& dimensions,
                                      const measure::Interruption& interruption = {});

/**
 * Opens the network that a user names: a network of the catalogue, a file written by `network save`, or an
 * ONNX model. Returns NotFound if the name is none of these, and InvalidArgument if dimensions are given for
 * a network that is not an ONNX model.
 */
Result<task::WholeNetwork> open_network(const std::string& name_or_file,
                                        const std::vector<measure::ModelDimension>& dimensions,
                                        const task::Catalogue& catalogue,
                                        const measure::Interruption& interruption = {});

/** A layer on a target, and its share of the network. */
struct LayerShare {
  const task::WholeLayer* layer = nullptr;
  double flops = 0;           ///< FLOPs of all calls together
  double bytes = 0;           ///< minimum number of bytes that all calls read and write
  double share = 0;           ///< share of the known FLOPs of all layers and other operators
  std::string template_name;  ///< the first template that supports the layer; empty if there is none
  std::string reason;         ///< why no template supports the layer
};

/** Returns the layers of a network in its order. The results point into `network`. */
std::vector<LayerShare> layer_shares(const task::WholeNetwork& network,
                                     const schedule::TargetDescription& target);

}  // namespace kernelscape::network
