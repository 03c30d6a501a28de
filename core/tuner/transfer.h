#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/space/grid_coordinates.h"
#include "core/space/search_space.h"
#include "core/surrogate/source_model.h"
#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/** Minimum number of valid trials of a source. */
inline constexpr std::int64_t min_source_trials = 10;

/**
 * Returns an error if a space cannot learn from a source: they have no knob in common, or the source has too
 * few valid trials. A knob is common if both have it by its name, and its values can be compared.
 */
Status check_source(const space::SearchSpace& space, const SourceTrials& source);

/**
 * Returns the model of a source for the points of `coordinates`. Values are compared by what they mean: a
 * number by its logarithm, a factor by its share of the loop's length (ln factor / ln length), an item of an
 * order by its place, a text by equality. A value that the source does not have stands for the nearest one;
 * a knob that only the source has stands at its value in the source's fastest trial.
 */
std::shared_ptr<const surrogate::SourceModel> source_model(const space::SearchSpace& space,
                                                           const space::GridCoordinates& coordinates,
                                                           const SourceTrials& source,
                                                           const surrogate::SpaceModelOptions& options,
                                                           base::Random random);

/**
 * Returns the members of the space that are nearest to the source's fastest configurations, fastest first.
 * Leaves out those that are no members; empty if the space has a knob that the source lacks.
 */
std::vector<space::Configuration> best_of_source(const space::SearchSpace& space, const SourceTrials& source,
                                                 std::size_t most);

/**
 * Takes the next start point from members, best predicted first: the first one, then the member that is
 * farthest from those taken before.
 */
class PredictedStarts {
 public:
  PredictedStarts(std::vector<space::Configuration> members, const space::GridCoordinates& coordinates);

  /** Returns the next member; nullopt if there is none left. */
  std::optional<space::Configuration> next();

 private:
  struct Candidate {
    space::Configuration member;
    base::GridPoint point;
    double nearest = 0;  ///< distance to the nearest member that was taken
  };

  std::vector<base::GridColumn> columns_;
  std::vector<Candidate> candidates_;
  bool first_ = true;
};

}  // namespace kernelscape::tuner
