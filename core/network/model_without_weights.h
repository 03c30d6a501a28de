#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace kernelscape::network {

/** Reads `count` bytes of a file at `offset` into `target`. Returns false if they cannot be read. */
using ByteSource = std::function<bool(std::uint64_t offset, char* target, std::size_t count)>;

/**
 * Returns the bytes of an ONNX model without the parts that shape inference does not need: tensor data of
 * more than 4 KiB, documentation texts, metadata and training information. Reads only what it keeps, so a
 * model of gigabytes takes milliseconds and becomes a small message for a worker. The protobuf is cut without
 * interpreting it, so the parser of the result must accept any input.
 *
 * Returns InvalidArgument if the bytes are not a protobuf with a graph (the error names the byte), or if more
 * than 64 MiB remain. Returns Environment if the source cannot be read.
 */
Result<std::string> without_weights(const ByteSource& source, std::uint64_t byte_count);

/**
 * Returns the bytes of the model file `path` without its weights, as without_weights() does. Errors name the
 * file. Returns NotFound if there is no such file, and Refused for a database that this process has open.
 */
Result<std::string> read_model_without_weights(const std::filesystem::path& path);

}  // namespace kernelscape::network
