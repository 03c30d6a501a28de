#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/base/result.h"
#include "core/surrogate/random_forest.h"

namespace kernelscape {

/** One ordinal column of a knob: a factor, an item's position, or the value. Finite for every row. */
struct KnobColumn {
  std::size_t knob = 0;
  std::span<const double> values;  ///< by row of the table
};

struct ImportanceOptions {
  bool complete = false;         ///< the rows are all members of the space: computed exactly, without forests
  std::size_t sample = 100'000;  ///< rows to learn from, drawn by the seed, at most
  int trees = 64;
  double features_per_split = 0.5;   ///< of the columns
  std::size_t strongest_pairs = 20;  ///< to report
  std::uint64_t seed = 1;
  int threads = 2;
};

/** Share of the variance that two knobs explain together beyond each alone. */
struct PairImportance {
  std::size_t first = 0;  ///< knob
  std::size_t second = 0;
  double share = 0;
};

/** Which knobs decide, as shares of a variance (0 to 1). */
struct Importance {
  std::vector<double> knobs;            ///< by knob: what its value alone explains, all its columns together
  std::vector<PairImportance> pairs;    ///< the strongest, descending
  double all_pairs = 0;                 ///< sum over all pairs of knobs
  std::int64_t rows = 0;                ///< that it could be learnt from
  std::int64_t sample = 0;              ///< that it was learnt from
  bool exact = false;                   ///< from a complete space; otherwise from forests
  std::optional<double> out_of_bag_r2;  ///< of the forest; none where exact

  /** Whether to show it at all: below an R2 of 0.5 the forest "does not explain". */
  bool explains() const { return exact || out_of_bag_r2.value_or(0) >= 0.5; }
};

/** Importance is learnt from at least so many valid rows. */
inline constexpr std::size_t min_importance_rows = 20;

/** Rows per leaf of the forests: one in 5,000 of the sample, from 3 to 20 (for 100,000 rows and more). */
std::size_t importance_minimum_leaf(std::size_t sample);

/**
 * What decides performance: the variance of its log2 over the valid rows. By forests: functional analysis of
 * variance (`decompose_variance`) with the knobs as factors, uniform over the values that the sample has of
 * them, a seeded 256 of these where they are more; columns of over 4,096 values are joined to ranges. Exact:
 * by the means of the rows with a knob's value, and with the values of two knobs.
 *
 * Errors: fewer than 20 valid rows, nothing varies, a column that does not fit, given up (Refused).
 * @param rows ascending
 */
Result<Importance> performance_importance(std::span<const KnobColumn> columns,
                                          const PerformanceColumn& performance,
                                          std::span<const std::int64_t> rows,
                                          const ImportanceOptions& options, const Proceed& proceed = {});

/** What decides whether a configuration is valid: the same for 1 (valid) and 0. */
Result<Importance> validity_importance(std::span<const KnobColumn> columns,
                                       const PerformanceColumn& performance,
                                       std::span<const std::int64_t> rows, const ImportanceOptions& options,
                                       const Proceed& proceed = {});

}  // namespace kernelscape
