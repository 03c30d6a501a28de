#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/predictor/model.h"
#include "core/predictor/predictor.h"
#include "core/predictor/row_scale.h"

namespace kernelscape::predictor {

/** Byte offsets in the file of a predictor: see Predictor. */
struct Places {
  static constexpr std::size_t version = 7;
  static constexpr std::size_t description_bytes = 8;
  static constexpr std::size_t numbers = 16;
  static constexpr std::size_t hash = 24;
  static constexpr std::size_t hash_digits = 64;
  static constexpr std::size_t description = hash + hash_digits;
};

/** Maximum size of a predictor's file. Larger files are not read; the published model has 45 MB. */
inline constexpr std::uint64_t max_predictor_bytes = std::uint64_t{300} << 20;

/** The contents of a predictor's file. */
struct File {
  Description description;
  ModelShape shape;
  LabelScale label_scale;
  RowScale row_scale;
  std::vector<float> numbers;  ///< parameters of the model
};

/** Serializes a predictor. */
std::string predictor_to_bytes(const File& file);

/**
 * Parses the bytes that predictor_to_bytes() returns. Returns InvalidArgument if they are not a predictor,
 * Refused if a newer program wrote them, and Corrupt if they are damaged.
 * @param name the name of the file in errors
 */
Result<File> predictor_from_bytes(std::string_view bytes, std::string_view name);

/** Returns the description and the shape as one JSON object. */
std::string predictor_description_to_json(const File& file);
/**
 * Reads the description and the shape into `file`. Returns Corrupt with the name of the member that is
 * missing or invalid.
 */
Status read_predictor_description(std::string_view json, File& file);

}  // namespace kernelscape::predictor
