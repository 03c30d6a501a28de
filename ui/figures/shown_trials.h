#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/analysis/filter/row_set.h"
#include "core/analysis/landscape/performance_column.h"
#include "ui/charts/courses/passing_rows.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/source.h"

namespace kernelscape {

/** The trials that pass the filters, at one moment, with their performance. Immutable, shared with jobs. */
struct ShownTrials {
  Source source;
  QStringList filters;
  std::vector<std::int64_t> rows;   ///< ascending
  std::vector<double> performance;  ///< by row of the table, GFLOP/s or ms; NaN where the trial has none
  std::size_t performance_column = 0;
  bool higher_is_better = true;
  /** Of a build-only session, by row: 1 where the kernel was built; NaN elsewhere. Empty: performance tells.
   */
  std::vector<double> built;
  std::int64_t valid = 0;   ///< of `rows`, with a performance
  std::int64_t failed = 0;  ///< of `rows`
  double best = 0;          ///< of `rows`; 0 without a valid one

  /** The performance by row of the table, with its direction; refers to this object's numbers. */
  PerformanceColumn performance_values() const { return {performance, higher_is_better}; }
  /** Which trials are valid, also where none has a performance. */
  PerformanceColumn validity_values() const {
    return built.empty() ? performance_values() : PerformanceColumn{built};
  }
  /** One of TrialColumns, by its position there. */
  const Column& column(std::size_t index) const { return source->columns().columns()[index]; }
  QString quantity() const;  ///< "speed"
  QString unit() const;      ///< "GFLOPS"
  /** What stands behind the title of each chart: how the trials were chosen, and how many pass. */
  QString origin_text() const;
  /** Whether means and shares are statements about the space, with intervals. */
  bool stands_for_space() const { return filters.isEmpty() && source->represents_space(); }
  /** How far a performance is below the best, 0 to 1. */
  double below_best(double value) const { return higher_is_better ? 1 - value / best : 1 - best / value; }
  /** The rows of `rows` that are in the set, which may be smaller than the table; ascending. */
  std::vector<std::int64_t> rows_of(const RowSet& selection) const;
};

using Shown = std::shared_ptr<const ShownTrials>;

/** @param filtered the rows that pass; none: all. Null where the job is cancelled. */
Shown make_shown(const Source& source, const QStringList& filters, const std::optional<RowSet>& filtered,
                 const JobControl& control);

/** The same as a chart of the session's course takes it. */
PassingRows passing_rows(const ShownTrials& shown);

/** A column's values by row of the table; empty where the job is cancelled. */
std::vector<double> column_values(const ShownTrials& shown, std::size_t column, const JobControl& control);

/** "16", "4 – 16", "true": of a bin with these ends. */
QString bin_label(const Column& column, double low, double high);

/** The labels of all bins of a ValueBins. */
template <typename Bins>
std::vector<QString> bin_labels(const Column& column, const Bins& bins) {
  std::vector<QString> labels;
  for (std::size_t bin = 0; bin < bins.count(); ++bin)
    labels.push_back(bin_label(column, bins.low(bin), bins.high(bin)));
  return labels;
}

}  // namespace kernelscape
