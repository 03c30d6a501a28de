#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/order_statistics.h"
#include "core/store/store.h"

namespace kernelscape {

/** A trial that was measured again at the end. */
struct ConfirmedTrial {
  std::int64_t trial = 0;
  Quartiles seconds;
};

/** Returns the trials of the last confirmation, best first: only these were measured interleaved. */
std::vector<ConfirmedTrial> last_confirmed(std::span<const Confirmation> confirmations);

/**
 * Returns the best trial of the last confirmation, unless a trial that was not in it is better. Null: there
 * is none.
 */
const ConfirmedTrial* confirmed_best(const std::vector<ConfirmedTrial>& confirmed, std::int64_t best_trial);

}  // namespace kernelscape
