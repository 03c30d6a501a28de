#include "core/analysis/comparison/row_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/analysis/comparison/statistical_tests.h"

namespace kernelscape::analysis {
namespace {

/** The member of a row that stores a measure's test. */
template <typename Row>
auto& test_place(Row& row, const ComparedMeasure& measure) {
  if (measure.by == CompareBy::FinalPerformance) return row.test;
  if (measure.by == CompareBy::Score) return row.score_test;
  auto& goal = row.goals.at(measure.goal);
  return measure.by == CompareBy::SecondsToGoal ? goal.seconds_test : goal.trials_test;
}

template <typename Row>
auto& tasks_test_place(Row& row, const ComparedMeasure& measure) {
  if (measure.by == CompareBy::FinalPerformance) return row.tasks_test;
  if (measure.by == CompareBy::Score) return row.score_tasks_test;
  auto& goal = row.goals.at(measure.goal);
  return measure.by == CompareBy::SecondsToGoal ? goal.seconds_tasks_test : goal.trials_tasks_test;
}

/** The tests that are corrected together. */
template <typename Test>
class TestFamily {
 public:
  /** @param smallest p that samples of these sizes can give */
  void add(Test& test, double smallest) {
    tests_.push_back(&test);
    found_.push_back(test.p);
    smallest_.push_back(smallest);
  }

  std::size_t correct() {
    const std::vector<double> corrected = holm_correction(found_);
    // The corrected p of one test never rises when another's falls, so this is the most extreme outcome of
    // all.
    const std::vector<double> attainable = holm_correction(smallest_);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      tests_[i]->corrected_p = corrected[i];
      tests_[i]->can_be_significant = attainable[i] <= significance_level;
    }
    return tests_.size();
  }

 private:
  std::vector<Test*> tests_;
  std::vector<double> found_;
  std::vector<double> smallest_;
};

std::vector<double> numbers_of(const RunCell& cell, const ComparedMeasure& measure) {
  std::vector<double> numbers;
  for (const RunNumbers& run : cell.finished) numbers.push_back(run_number(run, measure));
  return numbers;
}

/** Tests independent runs. */
RunsTest rank_sum_test(const std::vector<double>& own, const std::vector<double>& other, bool less) {
  RunsTest test;
  test.p = mann_whitney_p(own, other);
  test.a12 = less ? vargha_delaney_a12(other, own) : vargha_delaney_a12(own, other);
  const auto first = [&](double value) { return value == own.front(); };
  test.all_equal = std::ranges::all_of(own, first) && std::ranges::all_of(other, first);
  if (test.all_equal) test.can_be_significant = false;
  return test;
}

/** Returns the advantage in each repeat that both arms have. */
std::vector<double> pair_advantages(const RunCell& own, const RunCell& other,
                                    const ComparedMeasure& measure) {
  std::map<int, double> others;
  for (const RunNumbers& run : other.finished) others.emplace(run.repeat, run_number(run, measure));
  std::vector<double> advantages;
  for (const RunNumbers& run : own.finished) {
    const auto pair = others.find(run.repeat);
    if (pair == others.end()) continue;
    advantages.push_back(advantage_over(run_number(run, measure), pair->second, measure));
  }
  return advantages;
}

/**
 * Tests runs that have a partner with the same seed; other runs contribute only to the effect size over all
 * runs.
 */
RunsTest signed_rank_test(const RunCell& own, const RunCell& other, const ComparedMeasure& measure) {
  RunsTest test;
  test.paired = true;
  const std::vector<double> advantages = pair_advantages(own, other, measure);
  test.p = wilcoxon_signed_rank_p(advantages);
  test.pairs = advantages.size();
  test.differing =
      static_cast<std::size_t>(std::ranges::count_if(advantages, [](double a) { return a != 0; }));
  test.pair_effect = rank_biserial_correlation(advantages);
  test.all_equal = test.differing == 0;
  if (test.all_equal) test.can_be_significant = false;
  const std::vector<double> ours = numbers_of(own, measure);
  const std::vector<double> theirs = numbers_of(other, measure);
  test.a12 = less_is_better(measure) ? vargha_delaney_a12(theirs, ours) : vargha_delaney_a12(ours, theirs);
  return test;
}

bool any_pair(const RunCell& own, const RunCell& other) {
  return std::ranges::any_of(own.finished, [&](const RunNumbers& run) {
    return std::ranges::find(other.finished, run.repeat, &RunNumbers::repeat) != other.finished.end();
  });
}

/** Returns the advantages on the tasks on which both have the number. */
std::vector<double> advantages_of(const NumberedRuns& runs, std::span<const ComparisonRow> by_task,
                                  std::size_t arm, std::size_t baseline, const ComparedMeasure& measure) {
  std::vector<double> advantages;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    const ComparisonRow& own = by_task[task * runs.arms + arm];
    const ComparisonRow& other = by_task[task * runs.arms + baseline];
    if (own.runs == 0 || other.runs == 0) continue;
    if (less_is_better(measure) && runs.tasks[task].within_noise.at(measure.goal)) continue;
    const double found = advantage_over(row_number(own, measure), row_number(other, measure), measure);
    if (!std::isnan(found)) advantages.push_back(found);
  }
  return advantages;
}

TasksTest tasks_test(const std::vector<double>& advantages) {
  TasksTest test;
  test.p = wilcoxon_signed_rank_p(advantages);
  test.tasks = advantages.size();
  test.better = static_cast<std::size_t>(std::ranges::count_if(advantages, [](double a) { return a > 0; }));
  test.worse = static_cast<std::size_t>(std::ranges::count_if(advantages, [](double a) { return a < 0; }));
  test.effect = rank_biserial_correlation(advantages);
  test.can_be_significant = test.better + test.worse > 0;
  return test;
}

}  // namespace

std::size_t fill_tests_within_tasks(const NumberedRuns& runs, std::size_t baseline,
                                    std::span<ComparisonRow> by_task) {
  TestFamily<RunsTest> family;
  const std::vector<ComparedMeasure> measures = compared_measures();
  for (ComparisonRow& row : by_task) {
    const RunCell& cell = runs.cell(row.arm, *row.task);
    const RunCell& compared = runs.cell(baseline, *row.task);
    if (row.arm == baseline || cell.finished.empty() || compared.finished.empty()) continue;
    if (runs.paired_starts && !any_pair(cell, compared)) continue;
    for (const ComparedMeasure& measure : measures) {
      if (measure.by == CompareBy::Score && std::isnan(cell.finished.front().score)) continue;
      if (less_is_better(measure) && runs.tasks[*row.task].within_noise.at(measure.goal)) continue;
      std::optional<RunsTest>& place = test_place(row, measure);
      place = runs.paired_starts ? signed_rank_test(cell, compared, measure)
                                 : rank_sum_test(numbers_of(cell, measure), numbers_of(compared, measure),
                                                 less_is_better(measure));
      // Runs that are all equal cannot be distinguished by any test, so they do not count in the correction
      // of the others.
      if (!place->all_equal)
        family.add(*place, place->paired
                               ? smallest_signed_rank_p(place->differing)
                               : smallest_mann_whitney_p(cell.finished.size(), compared.finished.size()));
    }
  }
  return family.correct();
}

std::size_t fill_tests_over_tasks(const NumberedRuns& runs, std::size_t baseline,
                                  std::span<const ComparisonRow> by_task,
                                  std::span<ComparisonRow> over_tasks) {
  TestFamily<TasksTest> family;
  for (ComparisonRow& row : over_tasks) {
    if (row.arm == baseline) continue;
    for (const ComparedMeasure& measure : compared_measures()) {
      const std::vector<double> advantages = advantages_of(runs, by_task, row.arm, baseline, measure);
      if (advantages.size() < 2) continue;
      std::optional<TasksTest>& place = tasks_test_place(row, measure);
      place = tasks_test(advantages);
      const std::size_t different = place->better + place->worse;
      if (different > 0) family.add(*place, smallest_signed_rank_p(different));
    }
    if (row.tasks_test) row.wilcoxon_p = row.tasks_test->p;
  }
  return family.correct();
}

const std::optional<RunsTest>& row_test(const ComparisonRow& row, const ComparedMeasure& measure) {
  return test_place(row, measure);
}

const std::optional<TasksTest>& row_tasks_test(const ComparisonRow& row, const ComparedMeasure& measure) {
  return tasks_test_place(row, measure);
}

}  // namespace kernelscape::analysis
