#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::base {

/** Integers for the sizes of search spaces and indices into them, which can exceed 2^64. */
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

/** Returns the decimal digits, as parse_uint128 reads them. */
std::string to_string(uint128 value);

/** Reads decimal digits. Error: any other character, or a number that does not fit. */
Result<uint128> parse_uint128(std::string_view text);

/** Returns a * b, or the largest value if the product does not fit. */
uint128 saturating_multiply(uint128 a, uint128 b);

}  // namespace kernelscape::base
