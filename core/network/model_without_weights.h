#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/file_identity.h"

namespace kernelscape::network {

/** Reads `count` bytes of a file at `offset` into `target`. Returns false if they cannot be read. */
using ByteSource = std::function<bool(std::uint64_t offset, char* target, std::size_t count)>;

/** How the elements of cut data are stored. */
enum class CutEncoding : std::uint8_t {
  Raw,      ///< as in memory, little-endian
  Floats,   ///< as f32
  Doubles,  ///< as f64
  Varints,  ///< as protobuf's numbers of variable length
  Other,    ///< not as numbers of a tensor
};

/** Data of a tensor or an attribute that was left in the model's file. */
struct CutData {
  std::uint64_t offset = 0;
  std::uint64_t byte_count = 0;
  CutEncoding encoding = CutEncoding::Raw;

  bool operator==(const CutData&) const = default;
};

/** An ONNX model without its weights, and where these are. */
struct CutModel {
  /// the model; in the place of cut data there is the field measure::cut_data_field with its position in
  /// `data`
  std::string bytes;
  std::vector<CutData> data;
  std::optional<graph::FileIdentity> file = std::nullopt;  ///< that the data is part of
};

/**
 * Returns an ONNX model without the parts that shape inference does not need: tensor data of more than 4 KiB,
 * documentation texts, metadata and training information. Reads only what it keeps, so a model of gigabytes
 * takes milliseconds and becomes a small message for a worker. The protobuf is cut without interpreting it,
 * so the parser of the result must accept any input.
 *
 * Returns InvalidArgument if the bytes are not a protobuf with a graph (the error names the byte), or if more
 * than 64 MiB remain. Returns Environment if the source cannot be read.
 */
Result<CutModel> cut_weights(const ByteSource& source, std::uint64_t byte_count);

/**
 * Returns the model file `path` without its weights, as cut_weights() does. Errors name the file. Returns
 * NotFound if there is no such file, and Refused for a database that this process has open.
 */
Result<CutModel> read_model_without_weights(const std::filesystem::path& path);

}  // namespace kernelscape::network
