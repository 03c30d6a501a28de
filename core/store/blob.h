#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace kernelscape {

static_assert(std::endian::native == std::endian::little, "the store keeps numbers in little-endian order");

/** Doubles as the store keeps them; nothing where the size does not fit. */
inline std::optional<std::vector<double>> doubles_from_blob(std::span<const std::byte> blob) {
  if (blob.size() % sizeof(double) != 0) return std::nullopt;
  std::vector<double> values(blob.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), blob.data(), blob.size());
  return values;
}

}  // namespace kernelscape
