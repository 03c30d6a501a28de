#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/analysis/comparison/what_can_be_decided.h"

namespace kernelscape {

/** Rows of a comparison's table with what they say by one measure. */
struct JudgedRows {
  std::shared_ptr<const ComparedRuns> runs = {};
  std::vector<ComparisonRow> rows = {};
  std::vector<QString> verdicts = {};  ///< in words, of each row
  std::size_t baseline = 0;
  CompareAxis axis = CompareAxis::Seconds;  ///< in which goals are told
  ComparedMeasure measure = {};

  /** Takes away the rows for which `unwanted` holds, with their verdicts. */
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

/** All rows of a table; from any thread, for a background job where there are many. */
JudgedRows judged_rows(std::shared_ptr<const ComparedRuns> runs, const ComparisonTable& table,
                       const ComparedMeasure& measure, CompareAxis axis);

/** "final performance", "seconds to 95 %": what arms are compared by. */
QString measure_text(const ComparedMeasure& measure);

/** "341 GFLOPS", or "12 calls/s" where the task's FLOPs are not known. */
QString performance_text(const ComparedTask& task, double performance);

/** "12.3 s [10 s, 15 s] (7/8)", "∞ (2/8)": the median, its interval, and how many runs got there; a dash
 * where the goal is not offered. */
QString goal_text(const GoalReached& goal, CompareAxis axis);

/** A row's number by a measure with its interval: "142 [120, 181]". */
QString judged_number_text(const ComparisonRow& row, const ComparedMeasure& measure);

/** Against the baseline: "0.62 x [0.5 x, 0.81 x]" of seconds and trials, a difference of shares and scores.
 */
QString difference_text(const ComparisonRow& row, const ComparedMeasure& measure);

/** Corrected p by a measure, within a task or over all: "0.031", "needs more seeds", a dash without a test.
 */
QString corrected_p_text(const ComparisonRow& row, const ComparedMeasure& measure);

/** Its effect size: A12 within a task, the rank-biserial correlation over all. */
QString effect_text(const ComparisonRow& row, const ComparedMeasure& measure);

/** A line for each measure that the row was tested by: corrected and uncorrected p, effect. */
QStringList test_lines(const ComparisonRow& row);

/** "100 of 400": trials of a run that were the arm's random phase; "all" of an arm that never learns. */
QString random_phase_text(const ComparedArm& arm, const ComparisonRow& row);

/**
 * What the rows decide, a line for each arm over all tasks (on its task where the rows are of one), then what
 * hinders verdicts: "nose against ga, trials to 95 %: ahead".
 * @param hindrances of what_hinders()
 */
QStringList verdict_lines(const JudgedRows& judged, const std::vector<std::string>& hindrances);

}  // namespace kernelscape
