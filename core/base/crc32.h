#pragma once

#include <cstdint>
#include <string_view>

namespace kernelscape {

/** CRC-32 as gzip, PNG and Ethernet have it (polynomial 0x04C11DB7, reflected): finds damage, not forgery. */
std::uint32_t crc32(std::string_view bytes);

}  // namespace kernelscape
