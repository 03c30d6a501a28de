#pragma once

#include <QString>
#include <cstdint>
#include <memory>

#include "core/analysis/filter/row_set.h"

namespace kernelscape {

/** Which trials of a session pass the filters: what a chart of its course is told beside the trials. */
struct PassingRows {
  QString filter = {};                           ///< as it was written; empty: none, every row passes
  std::shared_ptr<const RowSet> rows = nullptr;  ///< those that pass; rows beyond its size don't

  /** Whether there is a filter. */
  bool filters() const { return !filter.isEmpty() && rows != nullptr; }
  /** Whether a row passes. */
  bool holds(std::int64_t row) const { return !filters() || (row < rows->size() && rows->test(row)); }
};

/** "12 of 40 trials pass the filter"; empty without a filter. @param trials all of them */
QString passing_text(const PassingRows& passing, std::int64_t trials);

/** In place of data: no trial passes, and what to do; empty where some do, or there is no filter. */
QString nothing_passes_notice(const PassingRows& passing, std::int64_t trials);

}  // namespace kernelscape
