#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

/** Sizes of search spaces and indices into them pass 2^64. */
__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

/** Decimal digits, as parse_uint128 reads them. */
std::string to_string(uint128 value);

/** Decimal digits only; refuses anything else and what does not fit. */
Result<uint128> parse_uint128(std::string_view text);

/** a * b, or the largest value where the product does not fit. */
uint128 saturating_multiply(uint128 a, uint128 b);

}  // namespace kernelscape
