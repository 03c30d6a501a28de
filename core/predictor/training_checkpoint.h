#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/predictor/model_trainer.h"
#include "core/predictor/predictor.h"

namespace kernelscape {

/**
 * What training goes on from, and what it has to be gone on with. Little-endian bytes: "KSTRAIN" and a byte
 * with the version, the CRC-32 of all that follows as u64, then these members in their order, each text and
 * each list behind its length.
 */
struct TrainingCheckpoint {
  std::uint64_t data_hash = 0;
  std::uint64_t seed = 0;
  std::string settings_json;
  std::int64_t best_epoch = 0;        ///< 0: there is none yet
  std::vector<TrainingEpoch> epochs;  ///< numbered from 1
  ModelState state;                   ///< after the last of them
  std::vector<float> best_numbers;    ///< of the model after the best of them

  bool operator==(const TrainingCheckpoint&) const = default;
};

/** As bytes. */
std::string checkpoint_to_bytes(const TrainingCheckpoint& checkpoint);
/** Corrupt where they are damaged or cut; Refused where a newer program wrote them. Takes little more memory
 * than the bytes do. */
Result<TrainingCheckpoint> checkpoint_from_bytes(std::string_view bytes);

}  // namespace kernelscape
