#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/landscape/believed_cell.h"
#include "core/analysis/landscape/cell_members.h"
#include "core/surrogate/random_forest.h"
#include "core/surrogate/space_model.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** Of all cells of a heat map. */
struct BelievedCells {
  static constexpr std::int64_t least_valid = 5;

  std::vector<BelievedCell> cells;  ///< y.bins lines of x.bins, both ascending
  std::int64_t valid = 0;           ///< trials of the session
  std::int64_t learnt_from = 0;     ///< of these, in the model

  bool operator==(const BelievedCells&) const = default;
};

struct BeliefOptions {
  std::size_t members_per_cell = 32;  ///< at most
  std::size_t members = 32'768;       ///< at most, about, in all cells together; four in each all the same
  std::size_t most_listed = 100'000;  ///< members of a space that is listed; of a larger one they are drawn
  std::size_t most_trials = 100'000;  ///< that are looked at: a seeded sample of more
  SpaceModelOptions model = {};
  std::uint64_t seed = 1;
};

/**
 * What can be expected of the members in each cell, by the model that the tuner gp searches with
 * (SpaceModel): learnt from the trials of a session, all or, of some thousands, the best and random ones.
 *
 * Errors: fewer than five valid trials; given up (both Refused).
 * @param flops of the task; 0: unknown
 * @param x, y of knobs; may be columns of the same one
 */
Result<BelievedCells> believed_cells(const SearchSpace& space, const TrialSnapshot& trials, double flops,
                                     const CellAxis& x, const CellAxis& y, const BeliefOptions& options,
                                     const Proceed& proceed = {});

}  // namespace kernelscape
