#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/predictor/predictor.h"
#include "core/predictor/predictor_model.h"
#include "core/predictor/row_scale.h"

namespace kernelscape {

/** Where a predictor's file has what: see Predictor. */
struct PredictorPlaces {
  static constexpr std::size_t version = 7;
  static constexpr std::size_t description_bytes = 8;
  static constexpr std::size_t numbers = 16;
  static constexpr std::size_t hash = 24;
  static constexpr std::size_t hash_digits = 64;
  static constexpr std::size_t description = hash + hash_digits;
};

/** Of a file, beyond which none is read: the published model has 45 MB. */
inline constexpr std::uint64_t most_predictor_bytes = std::uint64_t{300} << 20;

/** What a predictor's file says. */
struct PredictorFile {
  PredictorDescription description;
  ModelShape shape;
  LabelScale label_scale;
  RowScale row_scale;
  std::vector<float> numbers;  ///< of the model
};

/** The bytes of the file. */
std::string predictor_to_bytes(const PredictorFile& file);

/**
 * What predictor_to_bytes() wrote. InvalidArgument: no such file; Refused: a newer program's; Corrupt:
 * damaged.
 * @param name what errors call it
 */
Result<PredictorFile> predictor_from_bytes(std::string_view bytes, std::string_view name);

/** The description and the shape as one JSON object. */
std::string predictor_description_to_json(const PredictorFile& file);
/** Reads these into `file`. Corrupt: naming the member that is missing or wrong. */
Status read_predictor_description(std::string_view json, PredictorFile& file);

}  // namespace kernelscape
