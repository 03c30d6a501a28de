#include "core/surrogate/source_model.h"

#include <algorithm>
#include <utility>

namespace kernelscape::surrogate {

SourceModel::SourceModel(std::vector<base::GridColumn> columns, std::vector<MappedColumn> mapping,
                         const SpaceModelOptions& options, std::span<const GridObservation> trials,
                         base::Random random)
    : mapping_(std::move(mapping)),
      kernel_(columns, Correlation::Exponential, options.damping, std::vector<double>(columns.size(), 1)),
      points_(columns.size()) {
  SpaceModel model(std::move(columns), options, std::move(random));
  for (const GridObservation& trial : trials) model.observe(trial);
  model.update();
  take_process(model.performance());
  take_measured(model, trials);
}

/** Keeps what the posterior mean needs: predictions cost O(n) instead of O(n^2). */
void SourceModel::take_process(const GaussianProcess& process) {
  kernel_ = process.kernel();
  mean_ = process.mean();
  for (const base::GridPoint& point : process.points()) points_.add(point);
  weights_ = process.whitened_residuals();
  for (Eigen::Index i = weights_.size(); i-- > 0;) {
    const std::span<const double> row = process.factor_row(static_cast<std::size_t>(i));
    weights_[i] /= row.back();
    weights_.head(i) -= weights_[i] * Eigen::Map<const Eigen::VectorXd>(row.data(), i);
  }
}

void SourceModel::take_measured(const SpaceModel& model, std::span<const GridObservation> trials) {
  struct Sum {
    double values = 0;
    double count = 0;
  };
  std::map<base::GridPoint, Sum> sums;
  std::optional<double> slowest;
  for (const GridObservation& trial : trials) {
    Sum& sum = sums[trial.point];
    if (trial.fitness <= 0) continue;
    const double value = model.value_of(trial.fitness) - mean_;
    sum.values += value;
    ++sum.count;
    slowest = std::max(slowest.value_or(value), value);
  }
  for (const auto& [point, sum] : sums)
    measured_.emplace(point, sum.count > 0 ? sum.values / sum.count : slowest.value_or(0));
}

base::GridPoint SourceModel::mapped(const base::GridPoint& target) const {
  base::GridPoint point;
  point.reserve(mapping_.size());
  for (const MappedColumn& column : mapping_)
    point.push_back(column.target ? column.levels[target[*column.target]] : column.constant);
  return point;
}

double SourceModel::predict(const base::GridPoint& target) const {
  const base::GridPoint point = mapped(target);
  if (const auto known = measured_.find(point); known != measured_.end()) return known->second;
  std::vector<float> kernel(points_.size());
  kernel_.row(point, points_, kernel);
  double mean = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i)
    mean += static_cast<double>(kernel[i]) * weights_[static_cast<Eigen::Index>(i)];
  return mean;
}

}  // namespace kernelscape::surrogate
