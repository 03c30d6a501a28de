#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace kernelscape {

/** Bytes of a file by their place, as many as asked for; false: they can't be read. */
using ByteSource = std::function<bool(std::uint64_t offset, char* target, std::size_t count)>;

/**
 * The bytes of an ONNX model without what its shapes don't need: the data of tensors of more than 4 KiB,
 * texts of documentation, metadata, training. Only what is kept is read: a model of gigabytes takes
 * milliseconds, and is a message to a worker. The protobuf is cut, not understood: whoever parses the result
 * has to expect anything.
 *
 * InvalidArgument where the bytes are no protobuf with a graph, which says at which byte, or where more than
 * 64 MiB are left. Environment where the source can't be read.
 */
Result<std::string> without_weights(const ByteSource& source, std::uint64_t byte_count);

/** The same of a file; errors name it. NotFound, and Refused for a database that this process has open. */
Result<std::string> read_model_without_weights(const std::filesystem::path& path);

}  // namespace kernelscape
