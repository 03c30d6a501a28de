#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/quantile.h"
#include "core/base/random.h"

namespace kernelscape::exchange_tests {

/**
 * Returns a cache of Kernel Tuner with random samples, which has ranked by their median, mean, minimum or
 * another number. The fastest trial is ranked by the mean of samples of which the first is an outlier.
 * @param configurations at least 1
 */
inline std::string random_cache(int configurations, base::Random& random) {
  std::string values;
  std::string entries;
  for (int value = 1; value <= configurations; ++value) {
    std::vector<double> samples(5 + random.below(5));
    for (double& sample : samples) sample = (value == 1 ? 0.1 : 1.0) + 0.01 * random.uniform();
    if (value == 1 || random.chance(0.5)) samples.front() *= 2;
    const double mean =
        std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    const std::vector<double> objectives{mean, base::quantile(samples, 0.5), std::ranges::min(samples),
                                         mean * (1.5 + random.uniform())};
    std::string list;
    for (const double sample : samples) list += fmt::format("{}{}", list.empty() ? "" : ", ", sample);
    values += fmt::format("{}{}", value == 1 ? "" : ", ", value);
    entries += fmt::format(R"({}"{}": {{"x": {}, "time": {}, "times": [{}]}})", value == 1 ? "" : ",\n",
                           value, value, objectives[value == 1 ? 0 : random.below(objectives.size())], list);
  }
  return fmt::format(
      R"({{"device_name": "GPU", "kernel_name": "k", "problem_size": 1, "tune_params_keys": ["x"],
"tune_params": {{"x": [{}]}}, "objective": "time", "cache": {{
{}}}
}})",
      values, entries);
}

}  // namespace kernelscape::exchange_tests
