// Users' own kernels: how long it takes to list a space of twenty million, and how close trials of a small C
// kernel come to what builders can do: trials per second against cores / seconds of one build alone.
#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "core/base/temporary_folder.h"
#include "core/kernel/project_family.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/kernel_measurer.h"
#include "core/project/new_project.h"
#include "core/space/member_search.h"
#include "tests/benchmarks/benchmark_support.h"

namespace {

using namespace kernelscape;

constexpr std::size_t trials = 120;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

void list_twenty_million() {
  const project::KernelProject project = value_or_stop(
      project::read_project(KERNELSCAPE_SOURCE_DIR "/tests/project/spaces/twenty-million.json"));
  std::size_t members = 0;
  std::string size;
  const double seconds = seconds_of([&] {
    const project::Space made = value_or_stop(
        project::make_project_space(project.parameters, project.conditions, project.problem_size));
    size = base::to_string(made.space.size());
    members = space::searched_members(made.space, 1'000'000).value().size();
  });
  fmt::print(
      "| list the {} members of {} configurations, 8 conditions | {:.2f} s, {:.0f} MB | 2 s, 300 MB |\n",
      members, size, seconds, peak_megabytes());
}

/** y = a * x + y of so many floats: what new-kernel writes, over another size. */
std::shared_ptr<const kernel::ProjectFamily> starting_point(const base::TemporaryFolder& folder,
                                                            const schedule::TargetDescription& target,
                                                            std::string_view size) {
  std::vector<project::NewProjectFile> files = value_or_stop(project::new_project("scale", "c"));
  constexpr std::string_view written = "[1048576]";
  std::string& project_text = files.front().text;
  project_text.replace(project_text.find(written), written.size(), fmt::format("[{}]", size));
  for (const project::NewProjectFile& file : files)
    std::ofstream(folder.path() + "/" + file.name) << file.text;
  project::KernelProject project =
      value_or_stop(project::read_project(folder.path() + "/" + files.front().name));
  return value_or_stop(kernel::ProjectFamily::make(
      std::make_shared<const project::KernelProject>(std::move(project)), target));
}

/** Wall seconds of measuring these configurations, and the CPU seconds of their builds. */
struct TrialRate {
  double wall_seconds = 0;
  double build_seconds = 0;
  std::size_t failed = 0;
};

TrialRate trial_rate_of(const std::shared_ptr<const kernel::ProjectFamily>& family,
                        const schedule::TargetDescription& target,
                        const std::vector<space::Configuration>& batch, int builders) {
  trial::MeasureOptions options;
  options.builders = builders;
  options.repeats = 1;
  options.min_repeat_seconds = 0;
  const auto measurer = value_or_stop(measure::make_kernel_measurer(family, target, options));
  const auto run = [&](std::span<const space::Configuration> wanted) {
    TrialRate rate;
    rate.wall_seconds = seconds_of([&] {
      check(measurer->submit(wanted));
      for (std::size_t finished = 0; finished < wanted.size();) {
        for (const measure::Completed& one :
             value_or_stop(measurer->collect(std::chrono::milliseconds(500)))) {
          rate.build_seconds += one.measurement.build_seconds;
          if (!one.measurement.valid()) ++rate.failed;
          ++finished;
        }
      }
    });
    return rate;
  };
  // What happens once, the reference above all, is no trial.
  run(std::span(batch).first(1));
  return run(batch);
}

}  // namespace

int main() {
  fmt::print("| what | measured | goal |\n|---|---|---|\n");
  list_twenty_million();
  const schedule::TargetDescription target = value_or_stop(measure::describe_cpu_target());
  const base::TemporaryFolder folder = value_or_stop(base::TemporaryFolder::make("benchmark"));
  for (const std::string_view size : {"65536", "1048576"}) {
    const auto family = starting_point(folder, target, size);
    const std::vector<space::Configuration> all = space::searched_members(family->space(), 1000).value();
    std::vector<space::Configuration> batch;
    while (batch.size() < trials) batch.push_back(all[batch.size() % all.size()]);
    const TrialRate alone = trial_rate_of(family, target, batch, 1);
    const double build_seconds = alone.build_seconds / static_cast<double>(trials);
    const TrialRate together = trial_rate_of(family, target, batch, static_cast<int>(target.cores));
    const double rate = static_cast<double>(trials) / together.wall_seconds;
    fmt::print(
        "| trials per second of a small C kernel over {} floats against {} cores / {:.0f} ms of one build "
        "alone, "
        "{} trials, {} failed | {:.2f}: {:.1f} per second | 0.80 |\n",
        size, target.cores, 1e3 * build_seconds, trials, together.failed,
        rate * build_seconds / static_cast<double>(target.cores), rate);
  }
  return 0;
}
