#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/landscape/believed_cell.h"
#include "core/analysis/landscape/cell_members.h"
#include "core/surrogate/random_forest.h"
#include "core/surrogate/space_model.h"
#include "core/trial/table.h"

namespace kernelscape::analysis {

/** The predictions for all cells of a heat map. */
struct BelievedCells {
  static constexpr std::int64_t min_valid = 5;

  std::vector<BelievedCell> cells;  ///< y.bins lines of x.bins, both ascending
  std::int64_t valid = 0;           ///< trials of the session
  std::int64_t learnt_from = 0;     ///< trials among these that are in the model

  bool operator==(const BelievedCells&) const = default;
};

struct BeliefOptions {
  std::size_t members_per_cell = 32;  ///< maximum number per cell
  std::size_t members = 32'768;  ///< approximate maximum in all cells together, but at least four in each
  /** Maximum size of a space that is listed; members of a larger space are drawn. */
  std::size_t max_listed = 100'000;
  std::size_t max_trials = 100'000;  ///< maximum number of trials used: a seeded sample if there are more
  surrogate::SpaceModelOptions model = {};
  std::uint64_t seed = 1;
};

/**
 * Predicts the performance of the members in each cell with the model of the tuner gp (SpaceModel), trained
 * on the trials of a session: all of them, or the best and random ones if there are thousands.
 * Returns Refused for fewer than five valid trials, and if `proceed` cancelled it.
 * @param flops of the task; 0: unknown
 * @param x, y axes of knobs, possibly of the same one
 */
Result<BelievedCells> believed_cells(const space::SearchSpace& space, const trial::Snapshot& trials,
                                     double flops, const CellAxis& x, const CellAxis& y,
                                     const BeliefOptions& options, const surrogate::Proceed& proceed = {});

}  // namespace kernelscape::analysis
