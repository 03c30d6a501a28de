#pragma once

#include <cstdint>
#include <memory>

#include "core/store/store.h"
#include "core/tuner/tuner.h"

namespace kernelscape::session {

/**
 * A session's tuner, kept between two runs of the session in one process. If the tuner has observed the
 * stored batches, the next run need not repeat their proposals, which takes as long as the search so far:
 * otherwise the rounds of a network's layers would take longer and longer.
 */
struct TunerCheckpoint {
  store::SessionId session = 0;
  std::unique_ptr<tuner::Tuner> tuner;  ///< has observed all of its batches; null: no tuner is kept
  std::int32_t batches = 0;             ///< number of proposed batches
  std::int64_t candidates = 0;          ///< number of candidates in these batches
};

}  // namespace kernelscape::session
