#include "core/analysis/landscape/column_relevance.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/trial/series.h"

namespace kernelscape::analysis {
namespace {

/** Returns the knob of a column: "tile_oc[3]" and "order[ic]" are columns of "tile_oc" and "order". */
std::string knob_of(const std::string& column) { return column.substr(0, column.find('[')); }

/** A kernel is a product over its columns, and so is the remaining correlation of all of them. */
void share_knobs(std::vector<ColumnRelevance>& columns) {
  std::map<std::string, double> left;
  for (const ColumnRelevance& column : columns)
    left.try_emplace(column.knob, 1.0).first->second *= 1 - column.share;
  for (ColumnRelevance& column : columns) column.knob_share = 1 - left.at(column.knob);
}

}  // namespace

double relevance_of(double lengthscale, const surrogate::KernelShape& kernel) {
  return (1 - kernel.damping) * (1 - surrogate::correlation_at(kernel.correlation, 1 / lengthscale));
}

std::vector<ColumnRelevance> column_relevance(const SeriesSnapshot& series,
                                              const surrogate::KernelShape& kernel) {
  std::vector<ColumnRelevance> columns;
  for (const SeriesColumn& values : series.columns()) {
    const auto column = trial::member_of_family(trial::lengthscale_series, values.name());
    const double lengthscale = values.at(values.end() - 1);
    if (!column || !std::isfinite(lengthscale) || lengthscale <= 0) continue;
    columns.push_back({*column, knob_of(*column), lengthscale, relevance_of(lengthscale, kernel)});
  }
  share_knobs(columns);
  // Series are ordered by name. The shares of very short lengthscales are equal numbers.
  std::ranges::stable_sort(columns, {}, &ColumnRelevance::lengthscale);
  return columns;
}

std::int64_t latest_lengthscales(const SeriesSnapshot& series) {
  std::int64_t end = 0;
  for (const SeriesColumn& values : series.columns())
    if (trial::member_of_family(trial::lengthscale_series, values.name())) end = std::max(end, values.end());
  return end - 1;
}

}  // namespace kernelscape::analysis
