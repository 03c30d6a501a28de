#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/series_table.h"
#include "core/surrogate/product_kernel.h"

namespace kernelscape {

/** How much a Gaussian process takes a column of the space to matter. */
struct ColumnRelevance {
  std::string column;      ///< "tile_oc[3]"
  std::string knob;        ///< whose column it is: "tile_oc"
  double lengthscale = 1;  ///< in units of the column's whole range
  /** Of the correlation of two configurations, the share that a move over the column's whole range takes
   * away, see `relevance_of`. */
  double share = 0;
  double knob_share = 0;  ///< the same where all columns of the knob move at once

  bool operator==(const ColumnRelevance&) const = default;
};

/**
 * The share of the correlation that a move over the whole range of a column takes away:
 * (1 - damping) (1 - g(1 / l)), by default from 0.016 for the longest lengthscale, 50, to 0.8 for the
 * shortest, 0.02. The shorter the lengthscale, the greater.
 * @param lengthscale positive, in units of the column's range
 */
double relevance_of(double lengthscale, const KernelShape& kernel = {});

/**
 * The columns whose lengthscales a session's tuner reported, by the latest value of each; the most
 * relevant first, columns of one lengthscale by name. Values that are no lengthscale (not positive, infinite)
 * are left out.
 */
std::vector<ColumnRelevance> column_relevance(const SeriesSnapshot& series, const KernelShape& kernel = {});

/** The latest trial for which a lengthscale was reported; -1: none was. */
std::int64_t latest_lengthscales(const SeriesSnapshot& series);

}  // namespace kernelscape
