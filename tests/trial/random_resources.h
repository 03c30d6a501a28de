#pragma once

#include <array>
#include <optional>

#include "core/base/random.h"
#include "core/trial/fields.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** Any that a kernel can have; numbers that compilers leave unsaid are frequent. */
inline trial::KernelResources random_resources(base::Random& random) {
  const auto some = [&](std::uint64_t below) {
    return random.chance(0.2) ? std::int64_t{0} : static_cast<std::int64_t>(random.below(below));
  };
  return {.registers = static_cast<std::int32_t>(some(256)),
          .spilled_bytes = some(std::uint64_t{1} << 40),
          .shared_bytes = some(200'000),
          .threads = static_cast<std::int32_t>(some(1025)),
          .occupancy = random.chance(0.2) ? 0 : random.uniform(),
          .limited_by = static_cast<trial::OccupancyLimit>(random.below(trial::occupancy_limit_count))};
}

/** What a GPU kernel has beside the rest: all of it, a part or nothing. */
inline void add_random_resources(base::Random& random, trial::Measurement& measurement) {
  if (random.chance(0.5)) measurement.resources = random_resources(random);
  if (random.chance(0.3))
    measurement.build_log = random.chance(0.5) ? "a warning\nof the compiler" : "another";
}

/** The times of the speed probe around a trial: all of them, some or none. */
inline void add_random_probes(base::Random& random, trial::Measurement& measurement) {
  const double known = random.chance(0.5) ? 0 : random.chance(0.5) ? 1 : 0.5;
  trial::for_each_field<trial::probe_fields>([&](auto field) {
    trial::value_in(field, measurement) = random.chance(known) ? 1e-6 + 0.9 * random.uniform() : 0;
  });
}

/** Some of three metrics, in the order in which a session has them, or none. */
inline void add_random_metrics(base::Random& random, trial::Measurement& measurement) {
  const std::array<trial::MetricName, 3> names{
      {{"energy", "J"}, {"size \"of\" code", "bytes"}, {"\xc3\xa9", ""}}};
  measurement.metrics.clear();
  const std::size_t count = random.below(names.size() + 1);
  for (std::size_t metric = 0; metric < count; ++metric)
    measurement.metrics.push_back({names[metric].name, names[metric].unit, random.normal()});
}

}  // namespace kernelscape
