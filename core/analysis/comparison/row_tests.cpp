#include "core/analysis/comparison/row_tests.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/analysis/comparison/statistical_tests.h"

namespace kernelscape {
namespace {

/** Where a measure's test stands in a row. */
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
    // The corrected p of one test never rises when another's falls: this is the most extreme outcome of all.
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

PairedTest paired_test(const std::vector<double>& own, const std::vector<double>& other, bool less) {
  PairedTest test;
  test.p = mann_whitney_p(own, other);
  test.a12 = less ? vargha_delaney_a12(other, own) : vargha_delaney_a12(own, other);
  const auto first = [&](double value) { return value == own.front(); };
  test.all_equal = std::ranges::all_of(own, first) && std::ranges::all_of(other, first);
  if (test.all_equal) test.can_be_significant = false;
  return test;
}

/** Below 0 where the arm is worse; infinite where only one of them has got there. */
double advantage(const ComparisonRow& own, const ComparisonRow& baseline, const ComparedMeasure& measure) {
  const double ours = row_number(own, measure);
  const double theirs = row_number(baseline, measure);
  if (!less_is_better(measure)) return ours - theirs;
  return ours == theirs ? 0 : std::log(theirs / ours);
}

/** Of the tasks on which both have the number. */
std::vector<double> advantages_of(const NumberedRuns& runs, std::span<const ComparisonRow> by_task,
                                  std::size_t arm, std::size_t baseline, const ComparedMeasure& measure) {
  std::vector<double> advantages;
  for (std::size_t task = 0; task < runs.tasks.size(); ++task) {
    const ComparisonRow& own = by_task[task * runs.arms + arm];
    const ComparisonRow& other = by_task[task * runs.arms + baseline];
    if (own.runs == 0 || other.runs == 0) continue;
    if (less_is_better(measure) && runs.tasks[task].within_noise.at(measure.goal)) continue;
    const double found = advantage(own, other, measure);
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
  TestFamily<PairedTest> family;
  const std::vector<ComparedMeasure> measures = compared_measures();
  for (ComparisonRow& row : by_task) {
    const RunCell& cell = runs.cell(row.arm, *row.task);
    const RunCell& compared = runs.cell(baseline, *row.task);
    if (row.arm == baseline || cell.finished.empty() || compared.finished.empty()) continue;
    for (const ComparedMeasure& measure : measures) {
      if (measure.by == CompareBy::Score && std::isnan(cell.finished.front().score)) continue;
      if (less_is_better(measure) && runs.tasks[*row.task].within_noise.at(measure.goal)) continue;
      std::optional<PairedTest>& place = test_place(row, measure);
      place = paired_test(numbers_of(cell, measure), numbers_of(compared, measure), less_is_better(measure));
      // What has one value can not be told apart by any test: it takes nothing from the others.
      if (!place->all_equal)
        family.add(*place, smallest_mann_whitney_p(cell.finished.size(), compared.finished.size()));
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
      const auto different = static_cast<double>(place->better + place->worse);
      if (different > 0) family.add(*place, std::min(1.0, std::exp2(1 - different)));
    }
    if (row.tasks_test) row.wilcoxon_p = row.tasks_test->p;
  }
  return family.correct();
}

const std::optional<PairedTest>& row_test(const ComparisonRow& row, const ComparedMeasure& measure) {
  return test_place(row, measure);
}

const std::optional<TasksTest>& row_tasks_test(const ComparisonRow& row, const ComparedMeasure& measure) {
  return tasks_test_place(row, measure);
}

}  // namespace kernelscape
