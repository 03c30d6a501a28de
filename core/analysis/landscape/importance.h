#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/landscape/performance_column.h"
#include "core/base/result.h"
#include "core/surrogate/random_forest.h"

namespace kernelscape::analysis {

/** One ordinal column of a knob: a factor, an item's position, or the value. Must be finite for every row. */
struct KnobColumn {
  std::size_t knob = 0;
  std::span<const double> values;  ///< by row of the table
};

struct ImportanceOptions {
  bool complete = false;         ///< the rows are all members of the space: computed exactly, without forests
  std::size_t sample = 100'000;  ///< maximum number of rows for the forest, drawn with the seed
  int trees = 64;
  double features_per_split = 0.5;   ///< share of the columns
  std::size_t strongest_pairs = 20;  ///< number of pairs to report
  std::uint64_t seed = 1;
  int threads = 2;
};

/** The share of the variance that two knobs explain together beyond each alone. */
struct PairImportance {
  std::size_t first = 0;  ///< knob
  std::size_t second = 0;
  double share = 0;
};

/** The importance of the knobs, as shares of a variance (0 to 1). */
struct Importance {
  /** By knob: the share that its value alone explains, with all its columns together. */
  std::vector<double> knobs;
  std::vector<PairImportance> pairs;  ///< the strongest, descending
  double all_pairs = 0;               ///< sum over all pairs of knobs
  std::int64_t rows = 0;              ///< number of usable rows
  std::int64_t sample = 0;            ///< number of rows used
  bool exact = false;                 ///< computed from a complete space; otherwise estimated by forests
  /**
   * False for an exact result if combinations of the knobs' values are missing, because the space has
   * constraints or configurations failed: what several knobs explain together then counts for the strongest.
   */
  bool independent = true;
  std::optional<double> out_of_bag_r2;  ///< of the forest; nullopt if exact

  /**
   * Returns true if the result should be shown. With an R2 below 0.5, the forest does not explain the
   * performance.
   */
  bool explains() const { return exact || out_of_bag_r2.value_or(0) >= 0.5; }
};

/** Minimum number of valid rows for computing importance. */
inline constexpr std::size_t min_importance_rows = 20;

/**
 * Returns the rows per leaf of the forests: one in 5,000 of the sample, from 3 to 20 (for 100,000 rows and
 * more).
 */
std::size_t importance_minimum_leaf(std::size_t sample);

/**
 * Computes the importance of the knobs for performance: shares of the variance of log2(performance) over the
 * valid rows. By forests: functional analysis of variance (`decompose_variance`) with the knobs as factors,
 * uniform over their values in the sample, or over a seeded 256 of these if there are more; columns with over
 * 4,096 values are grouped into ranges. Exact: by the means of the rows with a knob's value, and with the
 * values of two knobs. Shares of knobs and pairs sum to at most 1.
 * Returns an error for fewer than 20 valid rows, constant performance, or a column that does not fit; Refused
 * if `proceed` cancelled it.
 * @param rows ascending
 */
Result<Importance> performance_importance(std::span<const KnobColumn> columns,
                                          const PerformanceColumn& performance,
                                          std::span<const std::int64_t> rows,
                                          const ImportanceOptions& options,
                                          const surrogate::Proceed& proceed = {});

/** Computes the importance of the knobs for validity, with 1 (valid) and 0 instead of the performance. */
Result<Importance> validity_importance(std::span<const KnobColumn> columns,
                                       const PerformanceColumn& performance,
                                       std::span<const std::int64_t> rows, const ImportanceOptions& options,
                                       const surrogate::Proceed& proceed = {});

}  // namespace kernelscape::analysis
