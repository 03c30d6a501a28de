#include "core/exchange/model/arranged_bytes.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "core/exchange/model/strided_loops.h"

namespace kernelscape::exchange {
namespace {

/** Copies elements of one size by the loops of a nest, of which the first view is written. */
template <std::size_t Bytes>
void copy_by_loops(const StridedNest& nest, std::size_t depth, std::int64_t write, std::int64_t read,
                   std::byte* to, const std::byte* from) {
  constexpr auto size = static_cast<std::int64_t>(Bytes);
  if (depth == nest.loops.size()) {
    std::memcpy(to + write * size, from + read * size, Bytes);
    return;
  }
  const StridedLoop& loop = nest.loops[depth];
  if (depth + 1 < nest.loops.size()) {
    for (std::int64_t i = 0; i < loop.extent; ++i, write += loop.strides[0], read += loop.strides[1])
      copy_by_loops<Bytes>(nest, depth + 1, write, read, to, from);
    return;
  }
  for (std::int64_t i = 0; i < loop.extent; ++i)
    std::memcpy(to + (write + i * loop.strides[0]) * size, from + (read + i * loop.strides[1]) * size, Bytes);
}

template <std::size_t Bytes>
void arrange(std::span<const std::byte> plain, const loop_nest::Layout& layout, std::vector<std::byte>& to) {
  const std::vector<TensorView> views{{.layout = layout},
                                      {.layout = loop_nest::row_major("plain", layout.shape)}};
  if (const std::optional<std::vector<StridedNest>> nests = strided_nests(layout.shape, views)) {
    for (const StridedNest& nest : *nests)
      copy_by_loops<Bytes>(nest, 0, nest.bases[0], nest.bases[1], to.data(), plain.data());
    return;
  }
  const std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(to.data() + static_cast<std::size_t>(offsets[i]) * Bytes, plain.data() + i * Bytes, Bytes);
}

}  // namespace

std::vector<std::byte> arranged_bytes(std::span<const std::byte> plain, const loop_nest::Layout& layout,
                                      std::size_t element_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(layout.physical_count()) * element_bytes);
  if (element_bytes == 4)
    arrange<4>(plain, layout, bytes);
  else if (element_bytes == 8)
    arrange<8>(plain, layout, bytes);
  else
    arrange<1>(plain, layout, bytes);
  return bytes;
}

}  // namespace kernelscape::exchange
