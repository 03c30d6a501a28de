#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/analysis/filter/row_set.h"
#include "core/analysis/landscape/performance_column.h"
#include "ui/charts/curves/passing_rows.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/source.h"

namespace kernelscape::figures {

/** A snapshot of the trials that pass the filters, with their performance. Immutable, shared with jobs. */
struct ShownTrials {
  workspace::Source source;
  QStringList filters;
  std::vector<std::int64_t> rows;   ///< ascending
  std::vector<double> performance;  ///< by row of the table, GFLOP/s or ms; NaN where the trial has none
  std::size_t performance_column = 0;
  bool higher_is_better = true;
  /**
   * For a build-only session, by row: 1 if the kernel was built, otherwise NaN. Empty: the session measures
   * performance.
   */
  std::vector<double> built;
  std::int64_t valid = 0;   ///< number of `rows` with a performance
  std::int64_t failed = 0;  ///< number of failed `rows`
  double best = 0;          ///< best of `rows`; 0 without a valid trial

  /** Returns the performance by row of the table, with its direction; refers to this object's numbers. */
  analysis::PerformanceColumn performance_values() const { return {performance, higher_is_better}; }
  /** Returns the validity by row, also for sessions without performance. */
  analysis::PerformanceColumn validity_values() const {
    return built.empty() ? performance_values() : analysis::PerformanceColumn{built};
  }
  /** Returns a column of TrialColumns by its position there. */
  const analysis::Column& column(std::size_t index) const { return source->columns().columns()[index]; }
  QString quantity() const;  ///< "speed"
  QString unit() const;      ///< "GFLOPS"
  /** Returns the text behind the title of each chart: how the trials were chosen, and how many pass. */
  QString origin_text() const;
  /**
   * Returns true if the trials are a random sample, so that means and shares hold for the space, with
   * intervals.
   */
  bool stands_for_space() const { return filters.isEmpty() && source->represents_space(); }
  /** Returns how far a performance is below the best, 0 to 1. */
  double below_best(double value) const { return higher_is_better ? 1 - value / best : 1 - best / value; }
  /** Returns those of `rows` that are in the set, ascending; the set may be smaller than the table. */
  std::vector<std::int64_t> rows_of(const analysis::RowSet& selection) const;
};

using Shown = std::shared_ptr<const ShownTrials>;

/**
 * Makes a snapshot. Returns null if the job is cancelled. @param filtered the rows that pass; nullopt: all
 */
Shown make_shown(const workspace::Source& source, const QStringList& filters,
                 const std::optional<analysis::RowSet>& filtered, const workspace::JobControl& control);

/** Returns the filter's rows in the form that charts of a session use. */
charts::PassingRows passing_rows(const ShownTrials& shown);

/** Returns a column's values by row of the table; empty if the job is cancelled. */
std::vector<double> column_values(const ShownTrials& shown, std::size_t column,
                                  const workspace::JobControl& control);

/** Returns the label of a bin with these ends: "16", "4 – 16", "true". */
QString bin_label(const analysis::Column& column, double low, double high);

/** Returns the labels of all bins of a ValueBins. */
template <typename Bins>
std::vector<QString> bin_labels(const analysis::Column& column, const Bins& bins) {
  std::vector<QString> labels;
  for (std::size_t bin = 0; bin < bins.count(); ++bin)
    labels.push_back(bin_label(column, bins.low(bin), bins.high(bin)));
  return labels;
}

}  // namespace kernelscape::figures
