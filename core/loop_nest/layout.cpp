#include "core/loop_nest/layout.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace kernelscape::loop_nest {

std::int64_t Layout::physical_count() const {
  std::int64_t count = 1;
  for (const LayoutDimension& dimension : dimensions) count *= dimension.extent;
  return count;
}

std::int64_t Layout::logical_count() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t Layout::offset(const std::vector<std::int64_t>& index) const {
  std::int64_t result = 0;
  for (const LayoutDimension& dimension : dimensions)
    result = result * dimension.extent +
             index[static_cast<std::size_t>(dimension.source)] / dimension.divisor % dimension.extent;
  return result;
}

Layout row_major(std::string name, std::vector<std::int64_t> shape) {
  Layout layout{std::move(name), std::move(shape), {}};
  for (std::size_t i = 0; i < layout.shape.size(); ++i)
    layout.dimensions.push_back({static_cast<int>(i), 1, layout.shape[i]});
  return layout;
}

std::vector<std::int64_t> physical_offsets(const Layout& layout) {
  // The contribution of an index to the offset does not depend on other dimensions: a table for each logical
  // dimension.
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::int64_t extent : layout.shape)
    parts.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(extent, 0)), 0);
  std::int64_t stride = 1;
  for (const LayoutDimension& dimension : std::views::reverse(layout.dimensions)) {
    std::vector<std::int64_t>& part = parts[static_cast<std::size_t>(dimension.source)];
    for (std::size_t i = 0; i < part.size(); ++i)
      part[i] += static_cast<std::int64_t>(i) / dimension.divisor % dimension.extent * stride;
    stride *= dimension.extent;
  }
  std::vector<std::int64_t> offsets{0};
  for (const std::vector<std::int64_t>& part : parts) {
    std::vector<std::int64_t> finer;
    finer.reserve(offsets.size() * part.size());
    for (const std::int64_t outer : offsets)
      for (const std::int64_t inner : part) finer.push_back(outer + inner);
    offsets = std::move(finer);
  }
  return offsets;
}

}  // namespace kernelscape::loop_nest
