#pragma once

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/trial/table.h"

namespace kernelscape {

/** The speed probe's usual times on a machine that does not exist. */
inline constexpr trial::ProbeSeconds made_usual_probe{.compute = 1e-3, .memory = 1.2e-3};

/** By trial, the factor by which the machine is slower: long phases at a half to a quarter of its speed. */
inline std::vector<double> random_slowdowns(base::Random& random, std::int64_t trials) {
  std::vector<double> slowdowns;
  while (std::ssize(slowdowns) < trials) {
    const std::size_t quiet = 40 + random.below(60);
    slowdowns.insert(slowdowns.end(), quiet, 1);
    const std::size_t slow = 30 + random.below(50);
    slowdowns.insert(slowdowns.end(), slow, 2 + 2 * random.uniform());
  }
  slowdowns.resize(static_cast<std::size_t>(trials));
  return slowdowns;
}

/** Returns the times of a probe, with some noise. */
inline trial::ProbeSeconds made_probe(base::Random& random, double slowdown) {
  return {.compute = made_usual_probe.compute * slowdown * std::exp(0.01 * random.normal()),
          .memory = made_usual_probe.memory * slowdown * std::exp(0.01 * random.normal())};
}

/** Adds readings of the probe to a row. */
inline void set_probes(base::Random& random, trial::Row& row, double slowdown) {
  row.probe_before = made_probe(random, slowdown);
  row.probe_after = made_probe(random, slowdown);
}

}  // namespace kernelscape
