#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape::store {

static_assert(std::endian::native == std::endian::little, "the store keeps numbers in little-endian order");

/**
 * Returns the numbers that a blob of the store holds, or nullopt if the blob's size is not a multiple of the
 * number's size.
 */
template <typename Number>
std::optional<std::vector<Number>> numbers_from_blob(std::span<const std::byte> blob) {
  if (blob.size() % sizeof(Number) != 0) return std::nullopt;
  std::vector<Number> values(blob.size() / sizeof(Number));
  if (!values.empty()) std::memcpy(values.data(), blob.data(), blob.size());
  return values;
}

}  // namespace kernelscape::store
