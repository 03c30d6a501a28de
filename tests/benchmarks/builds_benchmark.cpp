// How close parallel builds come to the machine: candidates built per second against cores / mean seconds of
// one compile alone.
#include <fmt/format.h>

#include <chrono>
#include <numeric>
#include <vector>

#include "core/measure/builder_pool.h"
#include "core/measure/cpu_target.h"
#include "core/measure/interruption.h"
#include "core/measure/kernel_family.h"
#include "core/task/catalogue.h"

namespace {

using namespace kernelscape;

constexpr std::size_t kernels = 120;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Built {
  double wall_seconds = 0;
  std::size_t failed = 0;
};

Result<Built> build_all(const ScheduleFamily& family, const std::vector<Configuration>& configurations,
                        int builders) {
  MeasureOptions options;
  options.builders = builders;
  BuilderPool pool(family.kernel().target(), options);
  Built built;
  const BuildJobs jobs{configurations.size(),
                       [&](std::size_t index) -> std::optional<KernelSource> {
                         Result<KernelSource> source = family.source(configurations[index]);
                         if (!source) return std::nullopt;
                         return std::move(*source);
                       },
                       [&](std::size_t, const BuildOutcome& outcome) {
                         if (outcome.category != ErrorCategory::NoError) ++built.failed;
                       }};
  Interruption interruption;
  const auto start = std::chrono::steady_clock::now();
  const Result<bool> done = pool.build(jobs, interruption);
  if (!done) return std::unexpected(done.error());
  built.wall_seconds = seconds_since(start);
  return built;
}

Status run() {
  const Result<Catalogue> catalogue = Catalogue::load_default();
  if (!catalogue) return std::unexpected(catalogue.error());
  const Result<Task> task = catalogue->find("resnet18/C2");
  if (!task) return std::unexpected(task.error());
  const Result<TargetDescription> target = describe_cpu_target();
  if (!target) return std::unexpected(target.error());
  Result<ScheduledKernel> kernel = apply_template(*task, *target, "conv2d-packed");
  if (!kernel) return std::unexpected(kernel.error());
  const ScheduleFamily family(std::move(*kernel));
  Random random(1);
  std::vector<Configuration> configurations;
  while (configurations.size() < kernels) configurations.push_back(*family.space().random_member(random));

  const int cores = static_cast<int>(target->cores);
  fmt::print(
      "| builders | kernels | seconds | builds per second | share of cores / time alone "
      "|\n|---|---|---|---|---|\n");
  const Result<Built> alone = build_all(family, configurations, 1);
  if (!alone) return std::unexpected(alone.error());
  const double mean_alone = alone->wall_seconds / static_cast<double>(kernels);
  const Result<Built> parallel = build_all(family, configurations, cores);
  if (!parallel) return std::unexpected(parallel.error());
  const double rate = static_cast<double>(kernels) / parallel->wall_seconds;
  fmt::print("| 1 | {} | {:.1f} | {:.1f} | |\n", kernels, alone->wall_seconds, 1 / mean_alone);
  fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} (goal 0.80) |\n", cores, kernels, parallel->wall_seconds,
             rate, rate * mean_alone / cores);
  fmt::print("\nfailed builds: {}; one compile alone takes {:.0f} ms\n", parallel->failed, 1e3 * mean_alone);
  return {};
}

}  // namespace

int main() {
  const Status status = run();
  if (status) return 0;
  fmt::print(stderr, "{}\n", describe(status.error()));
  return 1;
}
