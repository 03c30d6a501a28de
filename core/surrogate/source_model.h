#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/surrogate/product_kernel.h"
#include "core/surrogate/space_model.h"

namespace kernelscape::surrogate {

/** How a column of a source's grid follows from the grid of the space that is searched. */
struct MappedColumn {
  std::optional<std::size_t> target = {};  ///< column of the searched space; nullopt: the level is constant
  std::vector<std::uint32_t> levels = {};  ///< the source's level for each level of `target`
  std::uint32_t constant = 0;              ///< level if there is no `target`
};

/**
 * What the trials of a source predict for the points of another grid: the posterior mean of a SpaceModel of
 * the source's trials, as in Google Vizier's stack of Gaussian processes (Golovin et al., KDD 2017) and the
 * mean-only hierarchical process of Tighineanu et al. (AISTATS 2022).
 *
 * A point that the source measured has its measured value. A point that failed there has the slowest value.
 */
class SourceModel {
 public:
  /**
   * Trains the model once.
   * @param columns grid of the source, to which the points of `trials` belong
   * @param mapping one entry per column of `columns`
   */
  SourceModel(std::vector<base::GridColumn> columns, std::vector<MappedColumn> mapping,
              const SpaceModelOptions& options, std::span<const GridObservation> trials, base::Random random);

  /**
   * Returns the predicted ln time at a point of the searched grid, relative to the source's mean. Slow
   * values are compressed as in SpaceModel.
   */
  double predict(const base::GridPoint& target) const;

 private:
  base::GridPoint mapped(const base::GridPoint& target) const;
  void take_process(const GaussianProcess& process);
  void take_measured(const SpaceModel& model, std::span<const GridObservation> trials);

  std::vector<MappedColumn> mapping_;
  ProductKernel kernel_;
  GridPoints points_;        ///< of the process
  Eigen::VectorXd weights_;  ///< K^-1 (values - mean)
  double mean_ = 0;
  std::map<base::GridPoint, double> measured_;  ///< relative to the mean
};

}  // namespace kernelscape::surrogate
