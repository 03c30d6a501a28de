#include "core/loop_nest/layout.h"

namespace kernelscape {

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
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(layout.logical_count()));
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  for (std::int64_t flat = 0, count = layout.logical_count(); flat < count; ++flat) {
    offsets.push_back(layout.offset(index));
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < layout.shape[i]) break;
      index[i] = 0;
    }
  }
  return offsets;
}

}  // namespace kernelscape
