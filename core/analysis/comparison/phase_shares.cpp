#include "core/analysis/comparison/phase_shares.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kernelscape::analysis {
namespace {

constexpr double no_share = std::numeric_limits<double>::quiet_NaN();

double average(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/** Returns the runs of an arm on a task over which its means are computed. */
std::vector<const ComparedRun*> typical_runs(const ComparedRuns& runs, std::size_t arm, std::size_t task) {
  std::vector<const ComparedRun*> finished;
  std::vector<const ComparedRun*> unfinished;
  for (const ComparedRun& run : runs.runs)
    if (run.arm == arm && run.task == task && run.error.empty())
      (run.finished ? finished : unfinished).push_back(&run);
  return finished.empty() ? unfinished : finished;
}

/** Returns the mean over tasks of the mean over runs of number(run); NaN is not counted. */
template <typename Number>
double mean_over_tasks(const ComparedRuns& runs, std::size_t arm, const Number& number) {
  std::vector<double> task_means;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    std::vector<double> numbers;
    for (const ComparedRun* run : typical_runs(runs, arm, task)) {
      const double value = number(*run);
      if (!std::isnan(value)) numbers.push_back(value);
    }
    if (!numbers.empty()) task_means.push_back(average(numbers));
  }
  return average(task_means);
}

}  // namespace

PhaseTimes phase_times(const ComparedRuns& runs, std::size_t arm) {
  const auto mean_of_phase = [&](const auto& seconds) { return mean_over_tasks(runs, arm, seconds); };
  return {.search_seconds = mean_of_phase([](const ComparedRun& run) { return run.time.search_seconds; }),
          .build_seconds = mean_of_phase([](const ComparedRun& run) { return run.time.build_seconds; }),
          .run_seconds = mean_of_phase([](const ComparedRun& run) { return run.time.run_seconds; }),
          .idle_seconds = mean_of_phase([](const ComparedRun& run) { return run.time.idle_seconds(); })};
}

CategoryShares category_shares(const ComparedRuns& runs, std::size_t arm) {
  const auto part = [](double some, double all) { return all > 0 ? some / all : no_share; };
  const auto trials_of = [](const CategoryTotals& totals) { return static_cast<double>(totals.trials); };
  CategoryShares shares;
  for (std::size_t i = 0; i < trial::error_category_count; ++i) {
    shares.trials[i] = mean_over_tasks(runs, arm, [&](const ComparedRun& run) {
      return part(trials_of(run.errors.categories[i]), trials_of(run.errors.all()));
    });
    shares.work_seconds[i] = mean_over_tasks(runs, arm, [&](const ComparedRun& run) {
      return part(run.errors.categories[i].work_seconds(), run.errors.all().work_seconds());
    });
  }
  shares.trials_per_run =
      mean_over_tasks(runs, arm, [&](const ComparedRun& run) { return trials_of(run.errors.all()); });
  shares.work_seconds_per_run =
      mean_over_tasks(runs, arm, [](const ComparedRun& run) { return run.errors.all().work_seconds(); });
  return shares;
}

}  // namespace kernelscape::analysis
