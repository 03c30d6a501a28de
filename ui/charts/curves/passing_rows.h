#pragma once

#include <QString>
#include <cstdint>
#include <memory>

#include "core/analysis/filter/row_set.h"

namespace kernelscape::charts {

/** The trials of a session that pass the filters, as input of charts that also have the trials. */
struct PassingRows {
  QString filter = {};  ///< the filter as the user wrote it; empty: none, every row passes
  std::shared_ptr<const analysis::RowSet> rows =
      nullptr;  ///< the rows that pass; rows beyond the set's size do not

  /** Returns true if there is a filter. */
  bool filters() const { return !filter.isEmpty() && rows != nullptr; }
  /** Returns true if a row passes. */
  bool holds(std::int64_t row) const { return !filters() || (row < rows->size() && rows->test(row)); }
};

/** Returns "12 of 40 trials pass the filter"; empty without a filter. @param trials number of all trials */
QString passing_text(const PassingRows& passing, std::int64_t trials);

/**
 * Returns a notice that no trial passes the filter, with what to do; empty if some pass or there is no
 * filter.
 */
QString nothing_passes_notice(const PassingRows& passing, std::int64_t trials);

}  // namespace kernelscape::charts
