#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/schedule/template.h"
#include "core/trial/trial.h"

namespace kernelscape {

/**
 * A stand-in for measuring a template's kernels: quick, drawn from a seed, and as structured as real ones.
 * The logarithm of the time grows with the square of the distance of each number of the configuration from
 * its best one, and of random pairs' sums from theirs, as where tiles have to fit into a cache together;
 * numbers count by log2, from 0 to 1 over the knob. What the target refuses fails.
 */
class SyntheticKernel {
 public:
  SyntheticKernel(schedule::ScheduledKernel kernel, base::Random random) : kernel_(std::move(kernel)) {
    for (const space::Knob& knob : kernel_.space().knobs()) {
      double greatest = 1;
      for (std::uint32_t index = 0; index < knob.count(); ++index) {
        for (const std::int64_t element : knob.row(index)) greatest = std::max(greatest, scaled(element));
      }
      for (int element = 0; element < knob.element_count(); ++element)
        columns_.push_back({random.uniform(), std::exp(random.normal()), 1 / greatest});
    }
    for (std::size_t pair = 0; pair < columns_.size(); ++pair) {
      pairs_.push_back({random.below(columns_.size()), random.below(columns_.size()), 2 * random.uniform(),
                        std::exp(random.normal())});
    }
  }

  trial::Observation operator()(const space::Configuration& configuration) const {
    if (!kernel_.within_limits(configuration))
      return {configuration, 0, trial::ErrorCategory::InstantiationError};
    return {configuration, std::exp(-slowness(places(configuration)))};
  }

 private:
  struct Column {
    double peak = 0;
    double weight = 0;
    double scale = 0;
  };
  struct Pair {
    std::size_t first = 0;
    std::size_t second = 0;
    double peak = 0;
    double weight = 0;
  };

  static double scaled(std::int64_t element) { return std::log2(1 + static_cast<double>(element)); }

  std::vector<double> places(const space::Configuration& configuration) const {
    std::vector<double> places;
    for (std::size_t knob = 0; knob < configuration.indices.size(); ++knob) {
      for (const std::int64_t element : kernel_.space().knobs()[knob].row(configuration.indices[knob]))
        places.push_back(scaled(element) * columns_[places.size()].scale);
    }
    return places;
  }

  /** Some tens of times from the best to a configuration drawn at random. */
  static constexpr double depth = 0.25;

  double slowness(const std::vector<double>& places) const {
    const auto square = [](double value) { return value * value; };
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
      sum += columns_[i].weight * square(places[i] - columns_[i].peak);
    for (const Pair& pair : pairs_)
      sum += pair.weight * square(places[pair.first] + places[pair.second] - pair.peak);
    return depth * sum;
  }

  schedule::ScheduledKernel kernel_;
  std::vector<Column> columns_;
  std::vector<Pair> pairs_;
};

}  // namespace kernelscape
