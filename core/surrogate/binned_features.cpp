#include "core/surrogate/binned_features.h"

#include <algorithm>
#include <numeric>

namespace kernelscape {

BinnedFeatures::BinnedFeatures(std::span<const float> features, std::size_t columns, std::size_t bins)
    : columns_(columns), rows_(features.size() / columns) {
  std::vector<float> values(rows_);
  for (std::size_t c = 0; c < columns; ++c) {
    Column& column = columns_[c];
    for (std::size_t row = 0; row < rows_; ++row) values[row] = features[row * columns + c];
    std::vector<float> distinct = values;
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    const std::size_t count = std::min(bins, distinct.size());
    for (std::size_t bin = 0; bin < count; ++bin) {
      column.lowest.push_back(distinct[bin * distinct.size() / count]);
      column.highest.push_back(distinct[(bin + 1) * distinct.size() / count - 1]);
    }
    column.codes.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto bin = std::ranges::lower_bound(column.highest, values[row]) - column.highest.begin();
      column.codes[row] = static_cast<std::uint16_t>(bin);
    }
  }
}

float BinnedFeatures::threshold(std::size_t column, std::size_t lower, std::size_t upper) const {
  const float below = columns_[column].highest[lower];
  const float above = columns_[column].lowest[upper];
  const float middle = std::midpoint(below, above);
  return middle < above ? middle : below;  // of two neighbouring floats the midpoint may be the upper one
}

}  // namespace kernelscape
