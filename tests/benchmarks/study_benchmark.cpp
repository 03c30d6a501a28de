#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "core/analysis/comparison/random_search.h"
#include "tests/benchmarks/study_runs.h"

namespace kernelscape {
namespace {

constexpr std::array<std::size_t, 5> trial_counts = {25, 50, 100, 200, 400};
constexpr std::array<std::size_t, 2> checked_counts = {200, 400};

/** Wall time of experiment 2 with some of its tuners, on all cores. */
void print_experiment(const ScratchFolder& folder, const std::string& title,
                      bool (*wanted)(const study::Arm&)) {
  Result<study::Definition> study = bundled_study("nose-experiment-2");
  if (!study) return fmt::print("{}\n", describe(study.error()));
  std::erase_if(study->arms, [&](const study::Arm& arm) { return !wanted(arm); });
  study->baseline.clear();
  const Result<FinishedStudy> finished = run_whole(*study, folder.file(title + ".db"));
  if (!finished) return fmt::print("experiment 2, {}: left out: {}\n", title, describe(finished.error()));
  fmt::print(
      "experiment 2, {}: {} sessions, {} trials in {:.1f} s on {} cores; read for comparison in {:.2f} s\n",
      title, finished->runs->runs.size(), finished->trials, finished->wall_seconds,
      std::thread::hardware_concurrency(), finished->read_seconds);
}

/** Mean and its standard error of best / optimum over the runs of an arm on a task, after so many trials. */
struct ShareOfOptimum {
  double mean = 0;
  double standard_error = 0;
};

ShareOfOptimum share_after(const analysis::ComparedRuns& runs, std::size_t arm, std::size_t task,
                           std::size_t trials) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const analysis::ComparedRun& run : runs.runs) {
    if (run.arm != arm || run.task != task) continue;
    const double share = run.curve.at_trials(static_cast<double>(trials)) / runs.tasks[task].optimum;
    sum += share;
    squares += share * share;
    ++count;
  }
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean) * count / std::max(1.0, count - 1);
  return {mean, std::sqrt(variance / count)};
}

double mean_share(const analysis::ComparedRuns& runs, std::size_t arm, std::size_t trials) {
  double sum = 0;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task)
    sum += share_after(runs, arm, task, trials).mean;
  return sum / static_cast<double>(runs.tasks.size());
}

void print_shares(const analysis::ComparedRuns& runs,
                  const std::vector<analysis::RandomSearchExpectation>& random) {
  fmt::print("\nmean of best/optimum over {} public recordings, failures counted as trials\n{:<24}",
             runs.tasks.size(), "trials");
  for (const std::size_t trials : trial_counts) fmt::print("{:>9}", trials);
  fmt::print("\n{:<24}", "random, exact");
  for (const std::size_t trials : trial_counts) {
    double sum = 0;
    for (const analysis::RandomSearchExpectation& search : random)
      sum += search.best_after(trials) / search.optimum();
    fmt::print("{:>9.4f}", sum / static_cast<double>(random.size()));
  }
  for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
    fmt::print("\n{:<24}", runs.arms[arm].name);
    for (const std::size_t trials : trial_counts) fmt::print("{:>9.4f}", mean_share(runs, arm, trials));
  }
  fmt::print("\n");
}

/** Which tuners are worse than drawing at random: more than two standard errors below what that gives. */
void print_worse_than_random(const analysis::ComparedRuns& runs,
                             const std::vector<analysis::RandomSearchExpectation>& random) {
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    for (const std::size_t trials : checked_counts) {
      const double expected = random[task].best_after(trials) / random[task].optimum();
      std::string worse;
      for (std::size_t arm = 0; arm < runs.arms.size(); ++arm) {
        if (runs.arms[arm].name == "grid") continue;
        const ShareOfOptimum share = share_after(runs, arm, task, trials);
        if (share.mean + 2 * share.standard_error < expected)
          worse +=
              fmt::format(" {} ({:.4f} +- {:.4f})", runs.arms[arm].name, share.mean, share.standard_error);
      }
      fmt::print("{}, {} trials: random {:.4f}; worse than random:{}\n", runs.tasks[task].name, trials,
                 expected, worse.empty() ? " none" : worse);
    }
  }
}

void print_public(const ScratchFolder& folder, int repeats) {
  Result<study::Definition> study = bundled_study("all-tuners-public");
  if (!study) return fmt::print("{}\n", describe(study.error()));
  study->repeats = repeats;
  for (const std::string& notice : study::leave_out_missing(*study)) fmt::print("{}\n", notice);
  if (study->tasks.empty()) return fmt::print("no public recordings here: their table is left out\n");
  const Result<FinishedStudy> finished = run_whole(*study, folder.file("public.db"));
  if (!finished) return fmt::print("public recordings: left out: {}\n", describe(finished.error()));
  fmt::print("\nall tuners on public recordings: {} sessions, {} trials in {:.1f} s; read in {:.2f} s\n",
             finished->runs->runs.size(), finished->trials, finished->wall_seconds, finished->read_seconds);
  std::vector<analysis::RandomSearchExpectation> random;
  for (const analysis::ComparedTask& task : finished->runs->tasks) random.emplace_back(task.members);
  print_shares(*finished->runs, random);
  print_worse_than_random(*finished->runs, random);
}

}  // namespace
}  // namespace kernelscape

/** study_benchmark [REPEATS of the public study] */
int main(int argc, char** argv) {
  using namespace kernelscape;
  constexpr int usual_repeats = 100;
  const int repeats = argc > 1 ? std::atoi(argv[1]) : usual_repeats;
  const ScratchFolder folder;
  print_experiment(folder, "without xgb", [](const study::Arm& arm) { return arm.tuner != "xgb"; });
  print_experiment(folder, "xgb", [](const study::Arm& arm) { return arm.tuner == "xgb"; });
  print_public(folder, std::max(1, repeats));
  return 0;
}
