#include "core/analysis/error_breakdown.h"

#include <span>

namespace kernelscape::analysis {
namespace {

CategoryTotals sum(std::span<const CategoryTotals> categories) {
  CategoryTotals total;
  for (const CategoryTotals& category : categories) total += category;
  return total;
}

}  // namespace

CategoryTotals& CategoryTotals::operator+=(const CategoryTotals& other) {
  trials += other.trials;
  build_seconds += other.build_seconds;
  run_seconds += other.run_seconds;
  return *this;
}

CategoryTotals ErrorBreakdown::all() const { return sum(categories); }
CategoryTotals ErrorBreakdown::errors() const { return sum(std::span(categories).subspan(1)); }

ErrorBreakdown error_breakdown(const trial::Snapshot& trials) {
  ErrorBreakdown breakdown;
  for (std::int64_t index = 0; index < trials.size(); ++index) {
    const trial::Row row = trials.row(index);
    breakdown.categories[static_cast<std::size_t>(row.category)] += {1, row.build_seconds, row.run_seconds};
  }
  return breakdown;
}

}  // namespace kernelscape::analysis
