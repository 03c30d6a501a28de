#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernelscape::space {

/** One choice for every knob: value indices in the order of the space's knobs. */
struct Configuration {
  std::vector<std::uint32_t> indices;

  bool operator==(const Configuration&) const = default;
  auto operator<=>(const Configuration&) const = default;
};

/** Returns the indices as little-endian 32-bit integers, the format of the store. */
std::string to_blob(const Configuration& configuration);

/**
 * Reads a configuration from whole indices; up to three trailing bytes are ignored. Check data from a file
 * with SearchSpace::contains.
 */
Configuration configuration_from_blob(const void* data, std::size_t bytes);

}  // namespace kernelscape::space

template <>
struct std::hash<kernelscape::space::Configuration> {
  std::size_t operator()(const kernelscape::space::Configuration& configuration) const noexcept;
};
