#include "core/surrogate/grid_posterior.h"

#include <algorithm>
#include <utility>

namespace kernelscape::surrogate {

GridPosterior::GridPosterior(GridPoints points)
    : points_(std::move(points)),
      squares_(Eigen::VectorXf::Zero(static_cast<Eigen::Index>(points_.size()))) {}

void GridPosterior::follow(const GaussianProcess& process) {
  const ProductKernel& kernel = process.kernel();
  const Model model{kernel.lengthscales(), kernel.correlation(), kernel.damping(), process.nugget()};
  if (model != model_) forget(0);
  model_ = model;
  const auto [old, current] = std::ranges::mismatch(followed_, process.points());
  forget(static_cast<std::size_t>(old - followed_.begin()));

  const std::size_t first = followed_.size();
  const auto wanted = static_cast<Eigen::Index>(process.size());
  if (wanted > rows_.rows()) {
    constexpr Eigen::Index first_rows = 64;
    const Eigen::Index more = std::max({first_rows, wanted, rows_.rows() * 3 / 2});
    rows_.conservativeResize(more, static_cast<Eigen::Index>(size()));
  }
  followed_.assign(process.points().begin(), process.points().end());
  learn(process, first);
}

void GridPosterior::forget(std::size_t kept) {
  if (kept == followed_.size()) return;
  followed_.resize(kept);
  // Repeatedly subtracting from the sums would accumulate rounding errors.
  squares_.setZero();
  add_squares(0, kept);
}

void GridPosterior::add_squares(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    squares_ += rows_.row(static_cast<Eigen::Index>(i)).transpose().cwiseAbs2();
}

/** R_i = (k_i - sum_{j < i} L_ij R_j) / L_ii. */
void GridPosterior::learn(const GaussianProcess& process, std::size_t first) {
  const auto begin = static_cast<Eigen::Index>(first);
  const auto count = static_cast<Eigen::Index>(process.size()) - begin;
  if (count <= 0 || size() == 0) return;
  Rows factor(count, begin + count);
  factor.setZero();
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::span<const double> row = process.factor_row(first + static_cast<std::size_t>(i));
    factor.row(i).head(static_cast<Eigen::Index>(row.size())) =
        Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size())).cast<float>();
    process.kernel().row(process.points()[first + static_cast<std::size_t>(i)], points_,
                         std::span(rows_.row(begin + i).data(), size()));
  }
  auto fresh = rows_.middleRows(begin, count);
  if (count == 1) {
    if (begin > 0) fresh.row(0).noalias() -= factor.row(0).head(begin) * rows_.topRows(begin);
    fresh /= factor(0, begin);
  } else {
    if (begin > 0) fresh.noalias() -= factor.leftCols(begin) * rows_.topRows(begin);
    factor.rightCols(count).triangularView<Eigen::Lower>().solveInPlace(fresh);
  }
  add_squares(first, process.size());
}

Eigen::VectorXf GridPosterior::means(const GaussianProcess& process) const {
  const auto n = static_cast<Eigen::Index>(followed_.size());
  const auto mean = static_cast<float>(process.mean());
  Eigen::VectorXf means = Eigen::VectorXf::Constant(static_cast<Eigen::Index>(size()), mean);
  if (n > 0) means.noalias() += rows_.topRows(n).transpose() * process.whitened_residuals().cast<float>();
  return means;
}

Eigen::VectorXf GridPosterior::variances(const GaussianProcess& process) const {
  return static_cast<float>(process.scale()) * (1.0F - squares_.array()).max(0.0F).matrix();
}

}  // namespace kernelscape::surrogate
