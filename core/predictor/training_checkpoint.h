#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/predictor/model_trainer.h"
#include "core/predictor/predictor.h"

namespace kernelscape::predictor {

/**
 * The state from which training resumes, and the hashes and settings that must match when it does.
 * Little-endian bytes: "KSTRAIN" and a byte with the version, the CRC-32 of all bytes that follow as u64,
 * then these members in their order, each text and each list preceded by its length.
 */
struct TrainingCheckpoint {
  std::uint64_t data_hash = 0;
  std::uint64_t seed = 0;
  std::string settings_json;
  std::int64_t best_epoch = 0;        ///< 0: there is none yet
  std::vector<TrainingEpoch> epochs;  ///< numbered from 1
  ModelState state;                   ///< the state after the last of them
  std::vector<float> best_numbers;    ///< parameters of the model after the best of them

  bool operator==(const TrainingCheckpoint&) const = default;
};

/** Serializes a checkpoint. */
std::string checkpoint_to_bytes(const TrainingCheckpoint& checkpoint);
/**
 * Parses a checkpoint. Returns Corrupt if the bytes are damaged or truncated, and Refused if a newer program
 * wrote them. Allocates little more memory than the size of the bytes.
 */
Result<TrainingCheckpoint> checkpoint_from_bytes(std::string_view bytes);

}  // namespace kernelscape::predictor
