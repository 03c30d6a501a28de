#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

/** SHA-256 (FIPS 180-4) in 64 small hexadecimal digits: nobody finds two texts that have the same. */
std::string sha256(std::string_view bytes);

}  // namespace kernelscape
