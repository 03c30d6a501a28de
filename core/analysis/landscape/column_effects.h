#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/comparison/intervals.h"
#include "core/analysis/landscape/performance_column.h"
#include "core/analysis/order_statistics.h"

namespace kernelscape::analysis {

/** The rows that share a value of a column, or a range of values. */
struct EffectGroup {
  double low = 0;
  double high = 0;  ///< equal to `low` for a single value
  std::int64_t count = 0;
  std::int64_t valid = 0;
  Quartiles performance;                      ///< of the valid rows
  std::optional<double> mean;                 ///< nullopt without a valid row
  std::optional<ConfidenceInterval> mean_95;  ///< Student's t; nullopt below two valid rows
  double share_valid = 0;
  ConfidenceInterval share_valid_95;  ///< Wilson
};

struct ColumnEffect {
  std::vector<EffectGroup> groups;  ///< ascending
  bool exact = true;                ///< one group per value; false: ranges of about equally many rows
  std::int64_t without_value = 0;   ///< rows for which the column has no value
};

/**
 * Computes performance and validity by the values of a column. The intervals are valid for a random sample or
 * a complete space; trials chosen by a tuner do not represent the space.
 * @param values of the column, by row of the table
 * @param rows the rows to use, ascending
 * @param most maximum number of distinct values with a group each; beyond, ranges
 */
ColumnEffect column_effect(std::span<const double> values, const PerformanceColumn& performance,
                           std::span<const std::int64_t> rows, std::size_t most = 64);

}  // namespace kernelscape::analysis
