#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/analysis/comparison/curve_bands.h"
#include "core/analysis/comparison/performance_profile.h"
#include "core/analysis/comparison/testability.h"
#include "core/base/random.h"
#include "tests/benchmarks/study_runs.h"

namespace kernelscape {
namespace {

constexpr std::size_t statistics_arms = 8;
constexpr std::size_t statistics_tasks = 12;
constexpr int statistics_repeats = 20;
constexpr int random_comparisons = 200;
constexpr int random_repeats = 20;

/** A search that draws members, the better the arm the fewer of the bad ones. */
analysis::BestCurve synthetic_run(base::Random& random, const std::vector<double>& members, std::size_t arm) {
  constexpr int trials = 200;
  analysis::BestCurve curve;
  double best = 0;
  for (int trial = 1; trial <= trials; ++trial) {
    double performance = members[random.below(members.size())];
    if (random.chance(0.05 * static_cast<double>(arm)))
      performance = std::max(performance, members[random.below(members.size())]);
    if (performance <= best) continue;
    best = performance;
    curve.seconds.push_back(0.7 * trial);
    curve.trials.push_back(trial);
    curve.performance.push_back(best);
  }
  curve.end_seconds = 0.7 * trials;
  curve.end_trials = trials;
  return curve;
}

analysis::ComparedRuns synthetic_study() {
  constexpr std::size_t members = 5000;
  base::Random random(1);
  analysis::ComparedRuns runs;
  for (std::size_t arm = 0; arm < statistics_arms; ++arm)
    runs.arms.push_back({fmt::format("arm {}", arm), ""});
  for (std::size_t task = 0; task < statistics_tasks; ++task) {
    analysis::ComparedTask added;
    added.name = fmt::format("task {}", task);
    for (std::size_t i = 0; i < members; ++i) added.members.push_back(std::exp(random.normal()));
    added.optimum = *std::ranges::max_element(added.members);
    added.optimum_known = true;
    for (std::size_t arm = 0; arm < statistics_arms; ++arm) {
      for (int repeat = 0; repeat < statistics_repeats; ++repeat) {
        analysis::ComparedRun run;
        run.arm = arm;
        run.task = task;
        run.repeat = repeat;
        run.finished = true;
        run.curve = synthetic_run(random, added.members, arm);
        runs.runs.push_back(std::move(run));
      }
    }
    runs.tasks.push_back(std::move(added));
  }
  return runs;
}

/** The table with its intervals, tests and verdicts, and what charts draw of it. */
void print_statistics() {
  const analysis::ComparedRuns runs = synthetic_study();
  analysis::ComparisonTable table;
  const double table_seconds = seconds_of([&] { table = analysis::comparison_table(runs, 0); });
  std::size_t decided = 0;
  const double verdict_seconds = seconds_of([&] {
    for (const analysis::ComparisonRow& row : table.rows)
      for (const analysis::ComparedMeasure& measure : analysis::compared_measures())
        if (analysis::verdict_of(runs, table, row, measure).decided()) ++decided;
  });
  double highest = 0;
  const double band_seconds = seconds_of([&] {
    const std::vector<double> grid = analysis::curve_grid(runs, {}, analysis::CompareAxis::Seconds);
    for (std::size_t arm = 0; arm < statistics_arms; ++arm) {
      const analysis::CurveBands bands = analysis::curve_bands(
          runs, {arm, {}}, analysis::CompareAxis::Seconds, analysis::CompareY::ShareOfOptimum, grid);
      highest = std::max(highest, bands.mean_high.back());
    }
  });
  const double profile_seconds =
      seconds_of([&] { analysis::performance_profile(runs, {analysis::CompareBy::SecondsToGoal, 1}); });
  fmt::print(
      "{} arms x {} tasks x {} repeats: table with {} tests and intervals of {} resamples {:.2f} s, "
      "{} verdicts decided in {:.3f} s, bands of all arms {:.2f} s (up to {:.3f}), profile {:.3f} s\n",
      statistics_arms, statistics_tasks, statistics_repeats, table.tests_within_tasks,
      table.bootstrap.resamples, table_seconds, decided, verdict_seconds, band_seconds, highest,
      profile_seconds);
}

/** The runs of some repeats, as a comparison of their own. */
analysis::ComparedRuns some_repeats(const analysis::ComparedRuns& all, int first) {
  analysis::ComparedRuns some = all;
  std::erase_if(some.runs, [&](const analysis::ComparedRun& run) {
    return run.repeat < first || run.repeat >= first + random_repeats;
  });
  return some;
}

/** How often each measure was tested, and called before and after correction. */
struct CalledTests {
  std::vector<int> tested;
  std::vector<int> called;
  std::vector<int> corrected;
};

/** @param paired as if the runs of a repeat shared their starts: the signed-rank test in place of the rank
 * sum */
CalledTests called_tests(const analysis::ComparedRuns& all, bool paired) {
  const std::vector<analysis::ComparedMeasure> measures = analysis::compared_measures();
  CalledTests found{std::vector<int>(measures.size()), std::vector<int>(measures.size()),
                    std::vector<int>(measures.size())};
  for (int comparison = 0; comparison < random_comparisons; ++comparison) {
    analysis::ComparedRuns runs = some_repeats(all, comparison * random_repeats);
    runs.paired_starts = paired;
    const analysis::ComparisonTable table = analysis::comparison_table(runs, 0, {.resamples = 0});
    for (std::size_t i = 0; i < measures.size(); ++i) {
      const std::optional<analysis::RunsTest>& test = analysis::row_test(table.rows.back(), measures[i]);
      if (!test) continue;
      ++found.tested[i];
      found.called[i] += test->p <= analysis::significance_level ? 1 : 0;
      found.corrected[i] += test->corrected_p <= analysis::significance_level ? 1 : 0;
    }
  }
  return found;
}

/** How often random search differs from itself at 0.05, before and after correction, by each measure: with
 * runs apart, and pair by pair, which needs no common starts to be exact. */
void print_against_itself(const std::string& recording) {
  const ScratchFolder folder;
  study::Definition study;
  study.name = "random search against itself";
  study.arms.resize(2);
  study.arms[0].name = "random";
  study.arms[1].name = "random again";
  for (study::Arm& arm : study.arms) arm.tuner = "random";
  study.tasks.resize(1);
  study.tasks[0].target = "recorded:" + std::filesystem::absolute(recording).string();
  study.repeats = random_comparisons * random_repeats;
  study.budget.trials = 200;
  const FinishedStudy finished = value_or_stop(run_whole(study, folder.file("itself.db")));
  const std::vector<analysis::ComparedMeasure> measures = analysis::compared_measures();
  for (const bool paired : {false, true}) {
    const CalledTests found = called_tests(*finished.runs, paired);
    fmt::print(
        "random search against itself, {} comparisons of {} against {} runs of {} trials, {}\n"
        "| by | tested | p <= 0.05 | after correction |\n|---|---|---|---|\n",
        random_comparisons, random_repeats, random_repeats, study.budget.trials,
        paired ? "pair by pair" : "runs apart");
    for (std::size_t i = 0; i < measures.size(); ++i)
      fmt::print("| {} | {} | {} | {} |\n", analysis::measure_name(measures[i]), found.tested[i],
                 found.called[i], found.corrected[i]);
  }
}

}  // namespace
}  // namespace kernelscape

/** comparison_benchmark [statistics | itself RECORDING] */
int main(int argc, char** argv) {
  using namespace kernelscape;
  const std::string_view mode = argc > 1 ? argv[1] : "statistics";
  if (mode == "itself" && argc > 2)
    print_against_itself(argv[2]);
  else if (mode == "statistics")
    print_statistics();
  else
    stop("usage: comparison_benchmark [statistics | itself RECORDING]");
  return 0;
}
