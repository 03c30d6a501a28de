#include "core/space/configuration.h"

namespace kernelscape::space {

std::string to_blob(const Configuration& configuration) {
  std::string blob;
  blob.reserve(configuration.indices.size() * 4);
  for (const std::uint32_t index : configuration.indices)
    for (unsigned shift = 0; shift < 32; shift += 8)
      blob.push_back(static_cast<char>(static_cast<unsigned char>(index >> shift)));
  return blob;
}

Configuration configuration_from_blob(const void* data, std::size_t bytes) {
  const auto* source = static_cast<const unsigned char*>(data);
  Configuration configuration;
  configuration.indices.reserve(bytes / 4);
  for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
    std::uint32_t index = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      index |= static_cast<std::uint32_t>(source[i + byte]) << (8 * byte);
    configuration.indices.push_back(index);
  }
  return configuration;
}

}  // namespace kernelscape::space

std::size_t std::hash<kernelscape::space::Configuration>::operator()(
    const kernelscape::space::Configuration& configuration) const noexcept {
  // One multiply and shift per index: neighbouring configurations spread over the whole range.
  std::uint64_t mixed = 0x9e3779b97f4a7c15ULL;
  for (const std::uint32_t index : configuration.indices) {
    mixed = (mixed ^ index) * 0xbf58476d1ce4e5b9ULL;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}
