#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kernelscape::testing {

/** A number at a place of a file's bytes; 0 beyond its end. */
template <typename Number>
Number number_at(std::string_view bytes, std::uint64_t place) {
  Number value{};
  if (place + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

/** The bytes of a section of a 64-bit ELF file; empty where it has none of this name. */
inline std::string_view elf_section(std::string_view file, std::string_view name) {
  const auto headers = number_at<std::uint64_t>(file, 0x28);
  const auto header_bytes = number_at<std::uint16_t>(file, 0x3a);
  const auto count = number_at<std::uint16_t>(file, 0x3c);
  const auto names_header = headers + std::uint64_t{header_bytes} * number_at<std::uint16_t>(file, 0x3e);
  const auto names = number_at<std::uint64_t>(file, names_header + 0x18);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t header = headers + i * header_bytes;
    const std::uint64_t place = names + number_at<std::uint32_t>(file, header);
    if (place >= file.size() || file.substr(place, file.find('\0', place) - place) != name) continue;
    return file.substr(number_at<std::uint64_t>(file, header + 0x18),
                       number_at<std::uint64_t>(file, header + 0x20));
  }
  return {};
}

/** Threads of a block that a CUDA kernel was built for, as its cubin says (EIATTR_MAX_THREADS); 0: not said.
 */
inline std::int64_t threads_of_cubin(std::string_view cubin, const std::string& entry) {
  constexpr std::uint8_t sized_value = 0x04;  // the attribute's length and value follow
  constexpr std::uint8_t max_threads = 0x05;
  std::string_view attributes = elf_section(cubin, ".nv.info." + entry);
  while (attributes.size() >= 4) {
    const auto format = number_at<std::uint8_t>(attributes, 0);
    const auto attribute = number_at<std::uint8_t>(attributes, 1);
    const std::size_t bytes = format == sized_value ? number_at<std::uint16_t>(attributes, 2) : 0;
    if (format == sized_value && attribute == max_threads) {
      std::int64_t threads = 1;
      for (const unsigned dimension : {4U, 8U, 12U})
        threads *= number_at<std::uint32_t>(attributes, dimension);
      return threads;
    }
    attributes.remove_prefix(std::min(attributes.size(), 4 + bytes));
  }
  return 0;
}

}  // namespace kernelscape::testing
