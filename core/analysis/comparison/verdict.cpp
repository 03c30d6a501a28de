#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/analysis/comparison/statistical_tests.h"
#include "core/analysis/comparison/testability.h"

namespace kernelscape::analysis {
namespace {

/** A row of an arm with that of the baseline. */
struct ComparedRows {
  const ComparedRuns& runs;
  const ComparisonTable& table;
  const ComparisonRow& own;
  const ComparisonRow& baseline;
  ComparedMeasure measure;

  const GoalReached& own_goal() const { return own.goals.at(measure.goal); }
  const GoalReached& baseline_goal() const { return baseline.goals.at(measure.goal); }
};

bool learns_too_late(const ComparedRuns& runs, const ComparisonRow& row, const ComparedMeasure& measure) {
  if (less_is_better(measure)) return row.goals.at(measure.goal).in_random_phase;
  const std::int64_t phase = runs.arms[row.arm].random_phase;
  return phase > 0 && phase != all_trials_random_phase && row.trials <= static_cast<double>(phase);
}

std::optional<Verdict> random_phase_verdict(const ComparedRows& rows) {
  std::string arms;
  for (const ComparisonRow* row : {&rows.own, &rows.baseline}) {
    if (!learns_too_late(rows.runs, *row, rows.measure)) continue;
    const ComparedArm& arm = rows.runs.arms[row->arm];
    arms += fmt::format("{}first {} trials of {}", arms.empty() ? "" : ", ", arm.random_phase, arm.name);
  }
  if (arms.empty()) return {};
  return Verdict{Decision::RandomPhase, fmt::format("still in its random phase ({})", arms)};
}

/**
 * On recorded tasks every run sees the same numbers, so no number of runs can distinguish results within
 * their noise.
 */
bool finals_within_noise(const ComparedRows& rows) {
  if (rows.measure.by != CompareBy::FinalPerformance) return false;
  bool any = false;
  for (const ComparisonRow& own : rows.table.rows) {
    if (own.arm != rows.own.arm || !own.task || (rows.own.task && own.task != rows.own.task)) continue;
    const ComparisonRow* const other = rows.table.baseline_row(own.task);
    if (own.runs == 0 || other == nullptr || other->runs == 0) continue;
    any = true;
    if (own.final_noise == 0 || std::abs(own.final_share - other->final_share) > own.final_noise)
      return false;
  }
  return any;
}

/** Returns the verdict if it is known before any test. */
std::optional<Verdict> untested_verdict(const ComparedRows& rows) {
  if (rows.own.runs == 0 || rows.baseline.runs == 0) return Verdict{Decision::NoRuns, "no finished run"};
  const bool timed = less_is_better(rows.measure);
  if (finals_within_noise(rows)) return Verdict{Decision::WithinNoise, "within the recording's noise"};
  if (timed && rows.own_goal().within_noise) {
    const bool measured = rows.own.task && rows.runs.tasks[*rows.own.task].measured;
    return Verdict{Decision::WithinNoise,
                   measured ? "within the measurements' noise" : "within the recording's noise"};
  }
  if (std::isnan(row_number(rows.own, rows.measure)) || std::isnan(row_number(rows.baseline, rows.measure)))
    return Verdict{Decision::NotAvailable, "feasible configurations are not recorded"};
  if (const auto verdict = random_phase_verdict(rows)) return verdict;
  if (timed && rows.own_goal().reached == 0 && rows.baseline_goal().reached == 0)
    return Verdict{Decision::NeverReached, "no run of either reaches the goal"};
  return {};
}

bool intervals_overlap(const ComparedRows& rows) {
  const auto& own = row_interval(rows.own, rows.measure);
  const auto& other = row_interval(rows.baseline, rows.measure);
  return own && other && own->low <= other->high && other->low <= own->high;
}

/** Returns the 95 % interval of the ratio to the baseline, or of the difference, if there is one. */
std::optional<ConfidenceInterval> interval_against_baseline(const ComparedRows& rows) {
  if (rows.measure.by == CompareBy::FinalPerformance) return rows.own.share_difference_interval;
  if (rows.measure.by == CompareBy::Score) return rows.own.score_difference_interval;
  const GoalReached& goal = rows.own_goal();
  const auto& ratio = rows.measure.by == CompareBy::SecondsToGoal ? goal.seconds_ratio : goal.trials_ratio;
  return ratio ? ratio->interval : std::nullopt;
}

/** Returns true if the ratio to the baseline may be 1, or the difference 0. */
bool interval_holds_none(const ComparedRows& rows) {
  const std::optional<ConfidenceInterval> interval = interval_against_baseline(rows);
  const double none = less_is_better(rows.measure) ? 1 : 0;
  return interval && interval->low <= none && none <= interval->high;
}

/**
 * Returns the verdict for pairs. The interval of each arm is not informative here, since it includes the
 * common effect of the starts.
 */
Verdict pairs_verdict(const ComparedRows& rows, const RunsTest& test) {
  if (test.corrected_p <= significance_level && test.pair_effect != 0)
    return test.pair_effect > 0 ? Verdict{Decision::Ahead, "ahead in paired runs"}
                                : Verdict{Decision::Behind, "behind in paired runs"};
  if (interval_holds_none(rows)) {
    const bool ratio = less_is_better(rows.measure);
    return {Decision::Undecided, fmt::format("not decided in paired runs: the interval of the {} contains {}",
                                             ratio ? "ratio" : "difference", ratio ? 1 : 0)};
  }
  return {Decision::Undecided, fmt::format("not decided: p {:.2g} of {} pairs after correction over {} tests",
                                           test.corrected_p, test.pairs, rows.table.tests_within_tasks)};
}

Verdict too_few_pairs(const ComparedRows& rows, const RunsTest& test) {
  std::string words = fmt::format("cannot reach significance with {}",
                                  test.differing == 1 ? "1 pair" : fmt::format("{} pairs", test.differing));
  if (test.differing < test.pairs) words += fmt::format(" that differ of {}", test.pairs);
  if (smallest_signed_rank_p(test.differing) <= significance_level)
    words += fmt::format(" in {} tests", rows.table.tests_within_tasks);
  return {Decision::TooFewRuns, std::move(words)};
}

/** @param better above 0: the arm is better; below: the baseline */
Verdict tested_verdict(const ComparedRows& rows, double corrected_p, double better, std::size_t tests) {
  if (corrected_p <= significance_level && better != 0)
    return better > 0 ? Verdict{Decision::Ahead, "ahead"} : Verdict{Decision::Behind, "behind"};
  // Two intervals may overlap although that of their ratio does not contain 1. In that case, the verdict of
  // the test is reported instead.
  if (intervals_overlap(rows) && (interval_holds_none(rows) || !interval_against_baseline(rows)))
    return {Decision::Undecided, "not decided: intervals overlap"};
  return {Decision::Undecided,
          fmt::format("not decided: p {:.2g} after correction over {} tests", corrected_p, tests)};
}

Verdict verdict_within_task(const ComparedRows& rows) {
  if (rows.own.runs == 1 && rows.baseline.runs == 1)
    return {Decision::OneRun, "one run each: nothing can be tested"};
  const std::optional<RunsTest>& test = row_test(rows.own, rows.measure);
  if (!test)
    return {Decision::NotAvailable, rows.table.paired_starts ? "not tested: no pair of runs" : "not tested"};
  if (test->all_equal)
    return {Decision::AllAlike, test->paired ? "no difference in any pair" : "no difference in any run"};
  if (test->paired) return test->can_be_significant ? pairs_verdict(rows, *test) : too_few_pairs(rows, *test);
  if (!test->can_be_significant) {
    const std::size_t own = rows.own.runs;
    const std::size_t other = rows.baseline.runs;
    std::string words = fmt::format("cannot reach significance with {} against {}", own, other);
    if (smallest_mann_whitney_p(own, other) <= significance_level)
      words += fmt::format(" in {} tests", rows.table.tests_within_tasks);
    return {Decision::TooFewRuns, std::move(words)};
  }
  return tested_verdict(rows, test->corrected_p, test->direction(), rows.table.tests_within_tasks);
}

Verdict verdict_over_tasks(const ComparedRows& rows) {
  const std::optional<TasksTest>& test = row_tasks_test(rows.own, rows.measure);
  if (!test) return {Decision::TooFewRuns, "cannot be tested over fewer than 2 tasks"};
  if (test->better + test->worse == 0) return {Decision::AllAlike, "no difference on any task"};
  if (!test->can_be_significant)
    return {Decision::TooFewRuns, fmt::format("cannot reach significance over {} tasks in {} tests",
                                              test->better + test->worse, rows.table.tests_over_tasks)};
  return tested_verdict(rows, test->corrected_p, test->effect, rows.table.tests_over_tasks);
}

}  // namespace

Verdict verdict_of(const ComparedRuns& runs, const ComparisonTable& table, const ComparisonRow& row,
                   const ComparedMeasure& measure) {
  if (row.arm == table.baseline) return {Decision::NotAvailable, "baseline"};
  const ComparisonRow* const baseline = table.baseline_row(row.task);
  if (baseline == nullptr) return {Decision::NoRuns, "no finished run"};
  const ComparedRows rows{runs, table, row, *baseline, measure};
  if (std::optional<Verdict> verdict = untested_verdict(rows)) return *verdict;
  return row.task ? verdict_within_task(rows) : verdict_over_tasks(rows);
}

}  // namespace kernelscape::analysis
