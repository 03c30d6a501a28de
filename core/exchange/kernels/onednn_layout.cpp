#include "core/exchange/kernels/onednn_layout.h"

#include <charconv>
#include <ranges>
#include <string>
#include <utility>

namespace kernelscape::exchange {
namespace {

/** Maximum number of dimensions with a letter, as in oneDNN. */
constexpr std::size_t max_dimensions = 12;
/** Maximum product of all blocks. */
constexpr std::int64_t max_in_blocks = 4096;
/** Maximum number of places in memory. */
constexpr double max_places = 9e15;

struct Block {
  std::size_t dimension = 0;
  std::int64_t extent = 1;
};

/** Parses "16b16a". */
std::optional<std::vector<Block>> blocks_of(std::string_view text, std::size_t dimensions) {
  std::vector<Block> blocks;
  std::int64_t all = 1;
  while (!text.empty()) {
    Block block;
    const char* const end_of_text = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), end_of_text, block.extent);
    if (error != std::errc() || end == end_of_text || block.extent < 2 || block.extent > max_in_blocks)
      return std::nullopt;
    if (*end < 'a' || *end >= 'a' + static_cast<int>(dimensions)) return std::nullopt;
    block.dimension = static_cast<std::size_t>(*end - 'a');
    all *= block.extent;
    if (all > max_in_blocks) return std::nullopt;
    blocks.push_back(block);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  return blocks;
}

bool strides_are_row_major(const task::StridedTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t d = tensor.dimensions.size(); d-- > 0;) {
    if (tensor.strides[d] != expected) return false;
    expected *= tensor.dimensions[d];
  }
  return true;
}

}  // namespace

std::optional<loop_nest::Layout> onednn_layout(std::string_view name,
                                               const std::vector<std::int64_t>& dimensions) {
  const std::size_t count = dimensions.size();
  if (count > max_dimensions || name.size() < count) return std::nullopt;
  const std::optional<std::vector<Block>> blocks = blocks_of(name.substr(count), count);
  if (!blocks) return std::nullopt;
  std::vector<std::int64_t> divisors(count, 1);
  std::vector<loop_nest::LayoutDimension> inner;
  for (const Block& block : *blocks | std::views::reverse) {
    inner.push_back({static_cast<int>(block.dimension), divisors[block.dimension], block.extent});
    divisors[block.dimension] *= block.extent;
  }
  loop_nest::Layout layout{std::string(name), dimensions, {}};
  std::vector<bool> seen(count);
  for (const char letter : name.substr(0, count)) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    const int number = letter - (capital ? 'A' : 'a');
    if (number < 0 || number >= static_cast<int>(count)) return std::nullopt;
    const auto d = static_cast<std::size_t>(number);
    if (seen[d] || capital != (divisors[d] > 1)) return std::nullopt;
    seen[d] = true;
    layout.dimensions.push_back({number, divisors[d], (dimensions[d] + divisors[d] - 1) / divisors[d]});
  }
  layout.dimensions.insert(layout.dimensions.end(), inner.rbegin(), inner.rend());
  double places = 1;
  for (const loop_nest::LayoutDimension& dimension : layout.dimensions)
    places *= static_cast<double>(dimension.extent);
  if (places > max_places) return std::nullopt;
  return layout;
}

std::optional<std::array<loop_nest::Layout, 3>> onednn_layouts(const task::Task& task,
                                                               std::string_view reported) {
  if (!task.op) return std::nullopt;
  const task::LibraryTensors tensors = task::library_tensors(task);
  const std::array<std::pair<const std::string*, const task::StridedTensor*>, 3> all{
      {{&task.op->inputs[0].tensor, &tensors.data},
       {&task.op->inputs[1].tensor, &tensors.weight},
       {&task.op->output.tensor, &tensors.output}}};
  constexpr std::string_view separator = ", ";
  std::array<loop_nest::Layout, 3> layouts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view entry = reported.substr(0, reported.find(separator));
    if (!entry.starts_with(*all[i].first + ' ')) return std::nullopt;
    std::optional<loop_nest::Layout> layout =
        onednn_layout(entry.substr(all[i].first->size() + 1), all[i].second->dimensions);
    if (!layout) return std::nullopt;
    layouts[i] = renumbered(std::move(*layout), *all[i].second);
    const bool last = i + 1 == all.size();
    if (last != (entry.size() == reported.size())) return std::nullopt;
    reported.remove_prefix(last ? reported.size() : entry.size() + separator.size());
  }
  return layouts;
}

loop_nest::Layout renumbered(loop_nest::Layout layout, const task::StridedTensor& tensor) {
  if (strides_are_row_major(tensor)) return layout;
  const std::size_t last = layout.shape.size() - 1;
  std::swap(layout.shape[last - 1], layout.shape[last]);
  for (loop_nest::LayoutDimension& dimension : layout.dimensions) {
    const auto source = static_cast<std::size_t>(dimension.source);
    if (source + 1 >= last) dimension.source = static_cast<int>(source == last ? last - 1 : last);
  }
  return layout;
}

}  // namespace kernelscape::exchange
