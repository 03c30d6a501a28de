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

/** The trials that were measured together last, best first: only these were interleaved. */
std::vector<ConfirmedTrial> last_confirmed(std::span<const Confirmation> confirmations);

/**
 * The trial that gives the headline: the best of the last confirmation, unless a trial that was not in it is
 * better. Null: none.
 */
const ConfirmedTrial* confirmed_best(const std::vector<ConfirmedTrial>& confirmed, std::int64_t best_trial);

}  // namespace kernelscape
