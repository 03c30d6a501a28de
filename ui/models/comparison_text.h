#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/analysis/comparison/testability.h"

namespace kernelscape::models {

/** Rows of a comparison's table with their verdicts by one measure. */
struct JudgedRows {
  std::shared_ptr<const analysis::ComparedRuns> runs = {};
  std::vector<analysis::ComparisonRow> rows = {};
  std::vector<QString> verdicts = {};  ///< verdict of each row, as text
  std::size_t baseline = 0;
  analysis::CompareAxis axis = analysis::CompareAxis::Seconds;  ///< unit of the goals
  analysis::ComparedMeasure measure = {};

  /** Removes the rows for which `unwanted` returns true, with their verdicts. */
  template <typename Unwanted>
  void erase_if(Unwanted unwanted) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (unwanted(rows[row])) continue;
      if (kept != row) {
        rows[kept] = std::move(rows[row]);
        verdicts[kept] = std::move(verdicts[row]);
      }
      ++kept;
    }
    rows.resize(kept);
    verdicts.resize(kept);
  }
};

/**
 * Returns the verdicts of all rows of a table. May be called from any thread; use a background job for many
 * rows.
 */
JudgedRows judged_rows(std::shared_ptr<const analysis::ComparedRuns> runs,
                       const analysis::ComparisonTable& table, const analysis::ComparedMeasure& measure,
                       analysis::CompareAxis axis);

/** Returns the name of the measure by which arms are compared: "final performance", "seconds to 95 %". */
QString measure_text(const analysis::ComparedMeasure& measure);

/** Returns "341 GFLOPS", or "12 calls/s" if the task's FLOPs are not known. */
QString performance_text(const analysis::ComparedTask& task, double performance);

/**
 * Returns "12.3 s [10 s, 15 s] (7/8)", "∞ (2/8)": the median, its interval, and the number of runs that
 * reached the goal; a dash if the goal is not offered.
 */
QString goal_text(const analysis::GoalReached& goal, analysis::CompareAxis axis);

/** Returns a row's value by a measure with its interval: "142 [120, 181]". */
QString judged_number_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure);

/**
 * Returns the difference from the baseline: a ratio for seconds and trials, "0.62 x [0.5 x, 0.81 x]", or a
 * difference for shares and scores.
 */
QString difference_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure);

/**
 * Returns the corrected p by a measure, within a task or over all tasks: "0.031", "underpowered", or a dash
 * without a test.
 */
QString corrected_p_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure);

/**
 * Returns the effect size of the row's test: A12 within a task, the rank-biserial correlation over all tasks.
 */
QString effect_text(const analysis::ComparisonRow& row, const analysis::ComparedMeasure& measure);

/** Returns a line for each measure by which the row was tested: corrected and uncorrected p, effect. */
QStringList test_lines(const analysis::ComparisonRow& row);

/**
 * Returns the number of random trials of a run before the arm's tuner learnt anything: "100 of 400"; "all"
 * for an arm that never learns.
 */
QString random_phase_text(const analysis::ComparedArm& arm, const analysis::ComparisonRow& row);

/**
 * Returns the verdicts, a line for each arm over all tasks (or on its task, if all rows are of one task):
 * "nose against ga, trials to 95 %: ahead". The reasons that prevent verdicts follow.
 * @param hindrances returned by blocking_reason()
 */
QStringList verdict_lines(const JudgedRows& judged, const std::vector<std::string>& hindrances);

}  // namespace kernelscape::models
