#include "core/surrogate/recall.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace kernelscape::surrogate {
namespace {

std::vector<std::size_t> first_in_descending_order(std::span<const float> values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [values](std::size_t a, std::size_t b) {
                      return values[a] > values[b] || (values[a] == values[b] && a < b);
                    });
  order.resize(count);
  return order;
}

}  // namespace

std::vector<std::size_t> descending_ranks(std::span<const float> values) {
  const std::vector<std::size_t> order = first_in_descending_order(values, values.size());
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

double average_recall(std::span<const float> predictions, std::span<const std::size_t> true_ranks,
                      std::size_t n) {
  const std::vector<std::size_t> order = first_in_descending_order(predictions, n);
  double sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto recalled = std::ranges::count_if(order | std::views::take(i),
                                                [&](std::size_t item) { return true_ranks[item] <= i; });
    sum += static_cast<double>(recalled) / static_cast<double>(i + 1);
  }
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

}  // namespace kernelscape::surrogate
