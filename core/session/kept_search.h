#pragma once

#include <cstdint>
#include <memory>

#include "core/store/store.h"
#include "core/tuner/tuner.h"

namespace kernelscape {

/**
 * A session's tuner between two runs of it in one process. A run that finds it as far as the stored batches
 * need not ask it for these again, which takes as long as all of its search: the rounds of a network's layers
 * would take longer and longer.
 */
struct KeptSearch {
  SessionId session = 0;
  std::unique_ptr<Tuner> tuner;  ///< has observed all of its batches; null: there is none
  std::int32_t batches = 0;      ///< that it proposed
  std::int64_t candidates = 0;   ///< of these batches
};

}  // namespace kernelscape
