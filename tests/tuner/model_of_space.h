#pragma once

#include "core/space/grid_coordinates.h"
#include "core/surrogate/space_model.h"
#include "core/trial/trial.h"

namespace kernelscape::testing {

/** A model that is told of configurations, as the tuner gp and the charts tell theirs. */
class ModelOfSpace : public surrogate::SpaceModel {
 public:
  ModelOfSpace(space::GridCoordinates coordinates, const surrogate::SpaceModelOptions& options,
               base::Random random)
      : surrogate::SpaceModel(coordinates.columns(), options, std::move(random)),
        coordinates_(std::move(coordinates)) {}

  const space::GridCoordinates& coordinates() const { return coordinates_; }

  void observe(const trial::Observation& observation) {
    surrogate::SpaceModel::observe({coordinates_.of(observation.configuration), observation.fitness,
                                    observation.category == trial::ErrorCategory::NoError,
                                    observation.spread});
  }

 private:
  space::GridCoordinates coordinates_;
};

}  // namespace kernelscape::testing
