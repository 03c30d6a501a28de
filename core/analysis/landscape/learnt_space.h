#pragma once

#include <functional>
#include <vector>

#include "core/analysis/landscape/believed_cells.h"
#include "core/space/grid_coordinates.h"

namespace kernelscape::analysis {

/** The model of the tuner gp (SpaceModel), trained on the trials of a session. */
struct LearntSpace {
  space::GridCoordinates coordinates;
  surrogate::SpaceModel model;
  double flops = 0;        ///< of the task; 0: unknown
  std::int64_t valid = 0;  ///< trials of the session with a time

  /** Returns the number of trials that are in the model. */
  std::int64_t learnt_from() const { return static_cast<std::int64_t>(model.performance().size()); }
  /** Returns the mean prediction for members of the space. */
  BelievedCell predict(const std::vector<space::Configuration>& members) const;
};

/**
 * Trains the model on all trials, or on the best and random ones if there are thousands. Returns Refused for
 * fewer than five valid trials, and if `keep_going` returned false.
 * @param listed the members of the space if they can be listed: only their levels are used; null: all levels
 */
Result<LearntSpace> learn_space(const space::SearchSpace& space,
                                const std::vector<space::Configuration>* listed,
                                const trial::Snapshot& trials, double flops, const BeliefOptions& options,
                                const std::function<bool()>& keep_going);

/** Returns the error of predictions that were cancelled. */
std::unexpected<Error> predictions_cancelled();

}  // namespace kernelscape::analysis
