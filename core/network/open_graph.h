#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/measure/interruption.h"
#include "core/measure/worker/model_messages.h"

namespace kernelscape::network {

/** Which files a model may name as the place of its weights. */
enum class ExternalData : std::uint8_t {
  /// files in the folder of the model or below it; links lead there, or to the folder of the linked model's
  /// file
  InModelFolder,
  Anywhere,  ///< any file
};

/**
 * Reads the graph of an ONNX model file in a worker process. Weights stay in their files: they become
 * constants with a graph::FileRange of the model, or of the external file that the model names.
 *
 * Errors name the file and say what is wrong with it: open dimensions, operators that the graph does not
 * support (all of them), values whose shape is not known, or external data that is missing or not allowed.
 * Returns Environment if no worker can be started, or if the worker takes too long.
 */
Result<graph::Graph> open_graph(const std::filesystem::path& path,
                                const std::vector<measure::ModelDimension>& dimensions,
                                const measure::Interruption& interruption = {},
                                ExternalData external = ExternalData::InModelFolder);

}  // namespace kernelscape::network
