#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include "core/kernel/family.h"
#include "core/measure/builder_pool.h"
#include "core/measure/interruption.h"
#include "tests/benchmarks/benchmark_support.h"

namespace kernelscape {

struct BuildRate {
  double wall_seconds = 0;
  std::size_t failed = 0;
};

/** Builds all kernels with so many builders, which are started beforehand. */
inline Result<BuildRate> build_all(const kernel::ScheduleFamily& family,
                                   std::span<const space::Configuration> configurations, int builders) {
  trial::MeasureOptions options;
  options.builders = builders;
  measure::BuilderPool pool(family.kernel().target(), options);
  BuildRate rate;
  measure::BuildJobs jobs{configurations.size(),
                          [&](std::size_t index) -> std::optional<codegen::KernelSource> {
                            Result<codegen::KernelSource> source = family.source(configurations[index]);
                            if (!source) return std::nullopt;
                            return std::move(*source);
                          },
                          [&](std::size_t, const measure::BuildOutcome& outcome) {
                            if (outcome.category != trial::ErrorCategory::NoError) ++rate.failed;
                          }};
  measure::Interruption interruption;
  // What a builder does once, starting and opening its compiler, is no part of a build.
  measure::BuildJobs first = jobs;
  first.count = std::min(configurations.size(), static_cast<std::size_t>(builders));
  if (const Result<bool> started = pool.build(first, interruption); !started)
    return std::unexpected(started.error());
  rate.failed = 0;
  Result<bool> done = true;
  rate.wall_seconds = seconds_of([&] { done = pool.build(jobs, interruption); });
  if (!done) return std::unexpected(done.error());
  return rate;
}

/** The table of one builder alone and more of them, up to one per core. */
inline Status print_build_rates(const kernel::ScheduleFamily& family,
                                std::span<const space::Configuration> configurations, int cores,
                                const char* goal) {
  const auto kernels = static_cast<double>(configurations.size());
  fmt::print(
      "| builders | kernels | seconds | builds per second | share of builders / time alone |\n"
      "|---|---|---|---|---|\n");
  double alone_seconds = 0;
  std::size_t failed = 0;
  for (int builders = 1; builders <= cores;
       builders = builders < cores ? std::min(2 * builders, cores) : cores + 1) {
    const Result<BuildRate> rate = build_all(family, configurations, builders);
    if (!rate) return std::unexpected(rate.error());
    const double per_second = kernels / rate->wall_seconds;
    if (builders == 1) alone_seconds = 1 / per_second;
    failed = rate->failed;
    const double share = per_second * alone_seconds / builders;
    fmt::print("| {} | {} | {:.1f} | {:.1f} | {} |\n", builders, configurations.size(), rate->wall_seconds,
               per_second, builders > 1 ? fmt::format("{:.2f} (goal {})", share, goal) : "");
    std::fflush(stdout);
  }
  fmt::print("\nfailed builds: {}; one build alone takes {:.0f} ms\n", failed, 1e3 * alone_seconds);
  return {};
}

/** Members that the target's limits do not refuse, at random. */
inline std::vector<space::Configuration> valid_configurations(const schedule::ScheduledKernel& kernel,
                                                              std::size_t count, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<space::Configuration> configurations;
  while (configurations.size() < count) {
    const std::optional<space::Configuration> member = kernel.space().random_member(random);
    if (!member) stop(kernel.template_name() + " has no member");
    if (kernel.within_limits(*member)) configurations.push_back(*member);
  }
  return configurations;
}

}  // namespace kernelscape
