#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/space/search_space.h"
#include "core/trial/table.h"

namespace kernelscape::testing {

/** Coordinates of a configuration in [0, 1] for knobs whose values are few positive numbers, or truths. */
inline std::vector<double> coordinates_of(const space::SearchSpace& space,
                                          const space::Configuration& configuration) {
  std::vector<double> coordinates;
  for (std::size_t position = 0; position < space.knobs().size(); ++position) {
    const space::Knob& knob = space.knobs()[position];
    for (int element = 0; element < knob.element_count(); ++element) {
      std::vector<double> values;
      for (std::uint32_t index = 0; index < knob.count(); ++index)
        values.push_back(static_cast<double>(knob.element(index, element)));
      const auto value = static_cast<double>(knob.element(configuration.indices[position], element));
      const auto [least, most] = std::ranges::minmax(values);
      // Truths are 0 and 1: by their order.
      coordinates.push_back(least > 0 ? std::log(value / least) / std::log(most / least) : value);
    }
  }
  return coordinates;
}

/** Computes what SpaceModel believes with whole matrices, for lengthscales of 1 and trials without a spread.
 */
class ReferenceModel {
 public:
  ReferenceModel(const space::SearchSpace& space, const trial::Snapshot& trials, double flops,
                 std::int64_t exponential_from)
      : space_(space) {
    std::vector<double> labels;
    std::vector<double> log_times;
    for (std::int64_t number = 0; number < trials.size(); ++number) {
      const trial::Row row = trials.row(number);
      const bool valid = row.category == trial::ErrorCategory::NoError;
      all_points_.push_back(coordinates_of(space, trials.configuration(number)));
      labels.push_back(valid ? 1 : 0);
      if (!valid) continue;
      points_.push_back(all_points_.back());
      log_times.push_back(std::log(row.median_seconds / (flops > 0 ? flops / 1e9 : 1)));
    }
    exponential_ = std::ssize(log_times) >= exponential_from;
    set_cap(log_times);
    Eigen::VectorXd y(std::ssize(log_times));
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const double time = log_times[static_cast<std::size_t>(i)];
      y[i] = time <= cap_ ? time : cap_ + 0.2 * (time - cap_);
    }
    performance_.compute(covariance(points_, exponential_, 1e-3));
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(y.size());
    mean_ = ones.dot(performance_.solve(y)) / ones.dot(performance_.solve(ones));
    weights_ = performance_.solve(y - mean_ * ones);
    scale_ = (y - mean_ * ones).dot(weights_) / static_cast<double>(y.size() - 1);
    learn_labels(labels);
  }

  struct Prediction {
    double fitness = 0;
    double deviation = 0;
    double feasibility = 1;
  };

  Prediction predict(const space::Configuration& configuration) const {
    const std::vector<double> point = coordinates_of(space_, configuration);
    const Eigen::VectorXd k = kernels(points_, point, exponential_);
    const double time = mean_ + k.dot(weights_);
    const double noise = 1e-3;
    const double variance = scale_ * (std::max(0.0, 1 - k.dot(performance_.solve(k))) + noise);
    const double slope = time <= cap_ ? 1 : 0.2;
    Prediction prediction;
    prediction.fitness = std::exp(-(time <= cap_ ? time : cap_ + (time - cap_) / 0.2));
    prediction.deviation = prediction.fitness * std::sqrt(variance) / slope;
    const double share = share_ + kernels(all_points_, point, true).dot(label_weights_);
    prediction.feasibility = std::min(std::max(share, 0.01), 1.0);
    return prediction;
  }

 private:
  using Points = std::vector<std::vector<double>>;

  void set_cap(std::vector<double> times) {
    std::ranges::sort(times);
    const std::size_t half = times.size() / 2;
    const double median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
    cap_ = times.front() + std::max(0.05, median - times.front());
  }

  void learn_labels(const std::vector<double>& labels) {
    const auto n = static_cast<Eigen::Index>(labels.size());
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(labels.data(), n);
    share_ = (y.sum() + 1) / static_cast<double>(n + 1);
    label_weights_ = covariance(all_points_, true, 1e-2).ldlt().solve(y - share_ * Eigen::VectorXd::Ones(n));
  }

  static double kernel(const std::vector<double>& a, const std::vector<double>& b, bool exponential) {
    double product = 1;
    for (std::size_t column = 0; column < a.size(); ++column) {
      const double r = std::abs(a[column] - b[column]);
      const double root = std::numbers::sqrt3 * r;
      product *= 0.2 + 0.8 * (exponential ? std::exp(-r) : (1 + root) * std::exp(-root));
    }
    return product;
  }

  static Eigen::VectorXd kernels(const Points& points, const std::vector<double>& point, bool exponential) {
    Eigen::VectorXd k(std::ssize(points));
    for (Eigen::Index i = 0; i < k.size(); ++i)
      k[i] = kernel(points[static_cast<std::size_t>(i)], point, exponential);
    return k;
  }

  static Eigen::MatrixXd covariance(const Points& points, bool exponential, double nugget) {
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd covariance = nugget * Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      covariance.col(i) += kernels(points, points[static_cast<std::size_t>(i)], exponential);
    return covariance;
  }

  space::SearchSpace space_;
  Points points_;
  Points all_points_;
  bool exponential_ = false;
  double cap_ = 0;
  double mean_ = 0;
  double scale_ = 0;
  double share_ = 0;
  Eigen::LDLT<Eigen::MatrixXd> performance_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd label_weights_;
};

}  // namespace kernelscape::testing
