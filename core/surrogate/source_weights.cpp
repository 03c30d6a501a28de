#include "core/surrogate/source_weights.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/quantile.h"

namespace kernelscape::surrogate {
namespace {

constexpr double slope_variance = 0.25;       ///< of the prior of rho
constexpr std::size_t min_ranked_points = 3;  ///< ranks of fewer points say nothing
constexpr int posterior_draws = 100;
/** Number of points over which the initial trust in sources decays by a factor of e. */
constexpr double trusted_points = 3;

/** Predictions of each value from all other values. */
struct LeftOut {
  Eigen::VectorXd means;
  Eigen::VectorXd deviations;
  double scale = 0;  ///< variance of the process
  double slope = 1;
};

Eigen::MatrixXd correlations(const ProductKernel& kernel, double nugget,
                             std::span<const base::GridPoint> points) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      matrix(i, j) = kernel(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
      matrix(j, i) = matrix(i, j);
    }
    matrix(i, i) += nugget;
  }
  return matrix;
}

/**
 * Predicts each of `values` from the others under a process with a constant mean that is estimated.
 * P = C^-1 - C^-1 1 1' C^-1 / (1' C^-1 1); value i without itself is v_i - (P v)_i / P_ii, with the variance
 * scale / P_ii.
 * @param source added to the mean; empty: there is no source
 * @param slope_share variance of rho in units of the scale
 */
LeftOut leave_one_out(Eigen::MatrixXd covariance, const Eigen::VectorXd& values,
                      const Eigen::VectorXd& source, double slope_share) {
  const Eigen::Index n = values.size();
  Eigen::VectorXd residuals = values;
  if (source.size() > 0) {
    residuals -= source;
    covariance += slope_share * source * source.transpose();
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::VectorXd ones = inverse.rowwise().sum();
  const Eigen::MatrixXd projected = inverse - ones * ones.transpose() / ones.sum();
  const Eigen::VectorXd weighted = projected * residuals;
  LeftOut left;
  left.scale = residuals.dot(weighted) / static_cast<double>(n - 1);
  if (source.size() > 0) left.slope = std::max(0.0, 1 + slope_share * source.dot(weighted));
  left.means = values - (weighted.array() / projected.diagonal().array()).matrix();
  left.deviations = (std::max(left.scale, 0.0) / projected.diagonal().array().max(1e-12)).sqrt().matrix();
  return left;
}

/** Returns the number of pairs of values that the predictions rank the other way round. */
std::int64_t misranked_pairs(const Eigen::VectorXd& predictions, const Eigen::VectorXd& values) {
  std::int64_t misranked = 0;
  for (Eigen::Index i = 1; i < values.size(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (values[i] == values[j]) continue;
      if ((predictions[i] < predictions[j]) != (values[i] < values[j])) ++misranked;
    }
  }
  return misranked;
}

/** Returns the number of misranked pairs by model and draw. All models use the same random numbers. */
std::vector<std::vector<double>> drawn_losses(const std::vector<LeftOut>& models,
                                              const Eigen::VectorXd& values, base::Random& random) {
  std::vector<std::vector<double>> losses(models.size());
  Eigen::VectorXd noise(values.size());
  for (int draw = 0; draw < posterior_draws; ++draw) {
    for (double& number : noise) number = random.normal();
    for (std::size_t model = 0; model < models.size(); ++model) {
      const Eigen::VectorXd predictions = models[model].means + models[model].deviations.cwiseProduct(noise);
      losses[model].push_back(static_cast<double>(misranked_pairs(predictions, values)));
    }
  }
  return losses;
}

/** Returns the share of draws that each model wins. @param losses the first is the model without source */
std::vector<double> won_shares(const std::vector<std::vector<double>>& losses) {
  constexpr double high_quantile = 0.95;
  const double limit = base::quantile(losses.front(), high_quantile);
  std::vector<std::size_t> candidates{0};
  for (std::size_t model = 1; model < losses.size(); ++model)
    if (base::quantile(losses[model], 0.5) <= limit) candidates.push_back(model);
  std::vector<double> shares(losses.size(), 0);
  for (std::size_t draw = 0; draw < posterior_draws; ++draw) {
    double fewest = losses.front()[draw];
    for (const std::size_t model : candidates) fewest = std::min(fewest, losses[model][draw]);
    std::vector<std::size_t> winners;
    for (const std::size_t model : candidates)
      if (losses[model][draw] == fewest) winners.push_back(model);
    for (const std::size_t model : winners)
      shares[model] += 1.0 / (posterior_draws * static_cast<double>(winners.size()));
  }
  return shares;
}

}  // namespace

std::vector<SourceWeight> source_weights(const ProductKernel& kernel, double nugget,
                                         std::span<const base::GridPoint> points,
                                         std::span<const double> values,
                                         const std::vector<std::vector<double>>& sources,
                                         base::Random& random) {
  const auto equal = [&] {
    return std::vector<SourceWeight>(sources.size(), {1.0 / static_cast<double>(sources.size()), 1});
  };
  const auto [least, most] = std::ranges::minmax_element(values);
  if (points.size() < min_ranked_points || *least == *most) return equal();
  const auto n = static_cast<Eigen::Index>(values.size());
  const Eigen::VectorXd measured = Eigen::Map<const Eigen::VectorXd>(values.data(), n);
  const Eigen::MatrixXd covariance = correlations(kernel, nugget, points);
  std::vector<LeftOut> models{leave_one_out(covariance, measured, {}, 0)};
  if (!(models.front().scale > 0)) return equal();
  for (const std::vector<double>& source : sources) {
    models.push_back(leave_one_out(covariance, measured, Eigen::Map<const Eigen::VectorXd>(source.data(), n),
                                   slope_variance / models.front().scale));
  }
  const std::vector<double> shares = won_shares(drawn_losses(models, measured, random));
  const auto count = static_cast<double>(sources.size());
  // Sources that say nothing win as often as the model without them.
  const double by_chance = count / (count + 1);
  const double won = 1 - shares.front();
  const double beyond_chance = won > by_chance ? (won - by_chance) / ((1 - by_chance) * won) : 0;
  const double trust = std::exp(-static_cast<double>(points.size() - min_ranked_points) / trusted_points);
  std::vector<SourceWeight> weights;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const double evidence = beyond_chance * shares[source + 1];
    weights.push_back({trust / count + (1 - trust) * evidence, models[source + 1].slope});
  }
  return weights;
}

}  // namespace kernelscape::surrogate
