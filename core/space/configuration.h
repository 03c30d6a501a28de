#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernelscape {

/** One choice for every knob: value indices in the order of the space's knobs. */
struct Configuration {
  std::vector<std::uint32_t> indices;

  bool operator==(const Configuration&) const = default;
  auto operator<=>(const Configuration&) const = default;
};

/** Little-endian 32-bit indices, as the store keeps them. */
std::string to_blob(const Configuration& configuration);

/** Whole indices only: a rest of up to three bytes is left out. What comes from a file needs
 * SearchSpace::contains. */
Configuration configuration_from_blob(const void* data, std::size_t bytes);

}  // namespace kernelscape

template <>
struct std::hash<kernelscape::Configuration> {
  std::size_t operator()(const kernelscape::Configuration& configuration) const noexcept;
};
