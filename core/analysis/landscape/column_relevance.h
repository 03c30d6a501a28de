#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/series_table.h"
#include "core/surrogate/product_kernel.h"

namespace kernelscape::analysis {

/** The relevance of a column of the space according to a Gaussian process. */
struct ColumnRelevance {
  std::string column;      ///< "tile_oc[3]"
  std::string knob;        ///< the knob of the column: "tile_oc"
  double lengthscale = 1;  ///< in units of the column's whole range
  /**
   * The share of the correlation of two configurations that a move over the column's whole range removes, see
   * `relevance_of`.
   */
  double share = 0;
  double knob_share = 0;  ///< the share that moving all columns of the knob at once removes

  bool operator==(const ColumnRelevance&) const = default;
};

/**
 * Returns the share of the correlation that a move over the whole range of a column removes: (1 - damping) (1
 * - g(1 / l)), by default from 0.016 for the longest lengthscale, 50, to 0.8 for the shortest, 0.02. It
 * increases as the lengthscale decreases.
 * @param lengthscale positive, in units of the column's range
 */
double relevance_of(double lengthscale, const surrogate::KernelShape& kernel = {});

/**
 * Returns the columns for which a session's tuner reported lengthscales, by the latest value of each; the
 * most relevant first, columns with equal lengthscales by name. Leaves out values that are not lengthscales
 * (not positive, infinite).
 */
std::vector<ColumnRelevance> column_relevance(const SeriesSnapshot& series,
                                              const surrogate::KernelShape& kernel = {});

/** Returns the latest trial for which a lengthscale was reported, or -1 if none was. */
std::int64_t latest_lengthscales(const SeriesSnapshot& series);

}  // namespace kernelscape::analysis
