#include "core/space/permutation.h"

#include <algorithm>
#include <numeric>

namespace kernelscape::space {

std::uint32_t count_permutations(std::size_t items) {
  std::uint32_t count = 1;
  for (std::uint32_t factor = 2; factor <= items; ++factor) count *= factor;
  return count;
}

void permutation_at(std::uint32_t index, std::span<std::int64_t> order) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::uint32_t each = count_permutations(order.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    each /= static_cast<std::uint32_t>(order.size() - position);
    // Of the items that are left, in ascending order, so many have orders before this one.
    const auto rest = order.subspan(position);
    const std::uint32_t before = index / each;
    index %= each;
    std::rotate(rest.begin(), rest.begin() + before, rest.begin() + before + 1);
  }
}

std::optional<std::uint32_t> index_of_permutation(std::span<const std::int64_t> order) {
  if (order.size() > max_permuted_items) return std::nullopt;
  std::uint32_t index = 0;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const std::int64_t item = order[position];
    if (item < 0 || item >= std::ssize(order)) return std::nullopt;
    const auto earlier = order.first(position);
    if (std::ranges::find(earlier, item) != earlier.end()) return std::nullopt;
    const auto smaller_earlier =
        std::ranges::count_if(earlier, [&](std::int64_t other) { return other < item; });
    const auto before = static_cast<std::uint32_t>(item - smaller_earlier);
    index = index * static_cast<std::uint32_t>(order.size() - position) + before;
  }
  return index;
}

}  // namespace kernelscape::space
