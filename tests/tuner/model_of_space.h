#pragma once

#include "core/space/grid_coordinates.h"
#include "core/surrogate/space_model.h"
#include "core/trial/trial.h"

namespace kernelscape::testing {

/** A model that is told of configurations, as the tuner gp and the charts tell theirs. */
class ModelOfSpace : public SpaceModel {
 public:
  ModelOfSpace(GridCoordinates coordinates, const SpaceModelOptions& options, Random random)
      : SpaceModel(coordinates.columns(), options, std::move(random)), coordinates_(std::move(coordinates)) {}

  const GridCoordinates& coordinates() const { return coordinates_; }

  void observe(const Observation& observation) {
    SpaceModel::observe({coordinates_.of(observation.configuration), observation.fitness,
                         observation.category == ErrorCategory::NoError, observation.spread});
  }

 private:
  GridCoordinates coordinates_;
};

}  // namespace kernelscape::testing
