#include "core/surrogate/column_selection.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/random.h"

namespace kernelscape::surrogate {

std::vector<std::size_t> informative_columns(std::span<const float> features, std::size_t columns) {
  const std::size_t rows = features.size() / columns;
  std::vector<std::size_t> informative;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash;  // for look-up only
  std::vector<float> values(rows);
  const auto equals = [&](std::size_t other) {
    for (std::size_t row = 0; row < rows; ++row)
      if (features[row * columns + other] != values[row]) return false;
    return true;
  };
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row) values[row] = features[row * columns + column];
    if (std::ranges::all_of(values, [&](float value) { return value == values.front(); })) continue;
    for (float& value : values) value += 0.0F;  // maps -0 to 0
    const std::uint64_t hash =
        base::stable_hash({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    const auto [first, last] = by_hash.equal_range(hash);
    if (std::any_of(first, last, [&](const auto& entry) { return equals(entry.second); })) continue;
    by_hash.emplace(hash, column);
    informative.push_back(column);
  }
  if (informative.empty()) informative.push_back(0);
  return informative;
}

std::vector<float> select_columns(std::span<const float> features, std::size_t columns,
                                  std::span<const std::size_t> selected) {
  std::vector<float> result;
  result.reserve(features.size() / columns * selected.size());
  for (std::size_t row = 0; row < features.size(); row += columns)
    for (const std::size_t column : selected) result.push_back(features[row + column]);
  return result;
}

}  // namespace kernelscape::surrogate
