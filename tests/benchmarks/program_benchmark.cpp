// Users' programs: how close the time read is to that of the same command started by hand, and what a trial
// costs beside its run.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <vector>

#include "core/base/quantile.h"
#include "core/base/temporary_folder.h"
#include "core/kernel/project_family.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/program/program_measurer.h"
#include "tests/benchmarks/benchmark_support.h"

namespace {

using namespace kernelscape;

constexpr int rounds = 8;
constexpr int runs_of_a_round = 5;
constexpr std::size_t trials = 40;
constexpr const char* busy_script = "$s += $_ for 1 .. 3000000";

/** A program that runs Perl, which is part of every Debian. */
std::shared_ptr<const kernel::ProjectFamily> perl_program(const base::TemporaryFolder& folder,
                                                          const std::string& script) {
  const std::string path = folder.path() + "/program.json";
  std::ofstream(path) << fmt::format(R"json({{
    "ConfigurationSpace": {{"TuningParameters": [
      {{"Name": "CASE", "Type": "int", "Values": "list(range({}))"}}]}},
    "KernelSpecification": {{"Language": "Program"}},
    "kernelscape": {{"Run": {{"Command": ["perl", "-e", "{}", "{{CASE}}"]}}}}}})json",
                                     trials, script);
  auto project = std::make_shared<const project::KernelProject>(value_or_stop(project::read_project(path)));
  return value_or_stop(kernel::ProjectFamily::make(std::move(project), {}));
}

std::vector<double> samples_of(measure::Measurer& measurer, const std::vector<space::Configuration>& batch) {
  std::vector<double> samples;
  check(measurer.submit(batch));
  for (std::size_t finished = 0; finished < batch.size();) {
    for (const measure::Completed& one : value_or_stop(measurer.collect(std::chrono::milliseconds(1000)))) {
      if (!one.measurement.valid()) stop(one.measurement.message);
      samples.insert(samples.end(), one.measurement.samples_seconds.begin(),
                     one.measurement.samples_seconds.end());
      ++finished;
    }
  }
  return samples;
}

double seconds_by_hand() {
  return seconds_of([] {
    std::array arguments{std::string("perl"), std::string("-e"), std::string(busy_script), std::string("0")};
    std::array<char*, 5> pointers{arguments[0].data(), arguments[1].data(), arguments[2].data(),
                                  arguments[3].data(), nullptr};
    pid_t process = -1;
    if (posix_spawnp(&process, "perl", nullptr, nullptr, pointers.data(), environ) != 0)
      stop("perl is missing");
    waitpid(process, nullptr, 0);
  });
}

void compare_times(const base::TemporaryFolder& folder, const schedule::TargetDescription& target) {
  const auto family = perl_program(folder, busy_script);
  const trial::MeasureOptions options{
      .builders = 1, .warmups = 1, .repeats = runs_of_a_round, .give_up_factor = 0};
  const auto measurer = value_or_stop(measure::make_program_measurer(family, target, options));
  std::vector<double> measured;
  std::vector<double> by_hand;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> samples = samples_of(*measurer, {family->space().at(0)});
    measured.insert(measured.end(), samples.begin(), samples.end());
    for (int i = 0; i < runs_of_a_round; ++i) by_hand.push_back(seconds_by_hand());
  }
  const double read = base::quantile(measured, 0.5);
  const double expected = base::quantile(by_hand, 0.5);
  fmt::print("| time read, against {:.1f} ms by hand | {:.1f} ms, {:+.2f} % | within 2 % |\n", 1e3 * expected,
             1e3 * read, 100 * (read / expected - 1));
}

void time_trials(const base::TemporaryFolder& folder, const schedule::TargetDescription& target) {
  const auto family = perl_program(folder, "1");
  const trial::MeasureOptions options{.builders = 1, .warmups = 0, .repeats = 1, .give_up_factor = 0};
  const auto measurer = value_or_stop(measure::make_program_measurer(family, target, options));
  std::vector<space::Configuration> batch;
  for (std::size_t i = 0; i < trials; ++i) batch.push_back(family->space().at(i));
  std::vector<double> samples;
  const double seconds = seconds_of([&] { samples = samples_of(*measurer, batch); });
  fmt::print("| a trial beside its run of {:.1f} ms | {:.1f} ms | 50 ms |\n",
             1e3 * base::quantile(samples, 0.5),
             1e3 * (seconds / static_cast<double>(trials) - base::quantile(samples, 0.5)));
}

}  // namespace

int main() {
  const base::TemporaryFolder folder = value_or_stop(base::TemporaryFolder::make("benchmark"));
  fmt::print("| what | measured | at least |\n|---|---|---|\n");
  const schedule::TargetDescription target = value_or_stop(measure::describe_cpu_target());
  compare_times(folder, target);
  time_trials(folder, target);
}
