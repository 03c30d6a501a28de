#pragma once

#include <cstdint>
#include <string_view>

namespace kernelscape::base {

/**
 * Returns the CRC-32 used by gzip, PNG and Ethernet (polynomial 0x04C11DB7, reflected). It detects damage,
 * not forgery.
 */
std::uint32_t crc32(std::string_view bytes);

}  // namespace kernelscape::base
