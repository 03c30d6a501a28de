// How long the search spaces of the whole catalogue take to make, for every template that fits.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/measure/cpu/cpu_target.h"
#include "core/schedule/template.h"
#include "core/task/catalogue.h"

namespace {

using namespace kernelscape;

struct Timing {
  std::string what;
  double seconds = 0;
};

std::vector<Timing> time_spaces(const task::Catalogue& catalogue, const schedule::TargetDescription& target) {
  std::vector<Timing> timings;
  for (const task::Task& task : catalogue.tasks()) {
    for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
      if (!schedule::supports(declaration, target.kind) || !declaration.fits(task, target)) continue;
      const auto start = std::chrono::steady_clock::now();
      const Result<schedule::ScheduledKernel> kernel = declaration.apply(task, target);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      if (kernel) timings.push_back({fmt::format("{}, {}", task.name, declaration.name), elapsed.count()});
    }
  }
  std::ranges::sort(timings, {}, &Timing::seconds);
  return timings;
}

}  // namespace

int main() {
  const Result<task::Catalogue> catalogue = task::Catalogue::load_default();
  const Result<schedule::TargetDescription> cpu =
      measure::describe_cpu_target(measure::CompilerNeed::Optional);
  if (!catalogue || !cpu) {
    fmt::print(stderr, "{}\n", describe(catalogue ? cpu.error() : catalogue.error()));
    return 1;
  }
  fmt::print("| target | spaces | median ms | slowest ms (goal 50) | which |\n|---|---|---|---|---|\n");
  for (const schedule::TargetDescription& target : {*cpu, schedule::default_cuda_target()}) {
    const std::vector<Timing> timings = time_spaces(*catalogue, target);
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {} |\n", target.name, timings.size(),
               1e3 * timings[timings.size() / 2].seconds, 1e3 * timings.back().seconds, timings.back().what);
  }
  return 0;
}
