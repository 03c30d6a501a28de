#include "core/base/int128.h"

#include <fmt/format.h>

#include "core/base/visible_text.h"

namespace kernelscape::base {

std::string to_string(uint128 value) { return fmt::format("{}", value); }

Result<uint128> parse_uint128(std::string_view text) {
  constexpr uint128 largest = ~uint128{0};
  if (text.empty()) return fail(ErrorCode::InvalidArgument, "an empty text is not a number");
  uint128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9')
      return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a whole number", quoted_line(text)));
    const auto digit = static_cast<uint128>(c - '0');
    if (value > (largest - digit) / 10)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} does not fit into 128 bits", quoted_line(text)));
    value = value * 10 + digit;
  }
  return value;
}

uint128 saturating_multiply(uint128 a, uint128 b) {
  constexpr uint128 largest = ~uint128{0};
  if (a != 0 && b > largest / a) return largest;
  return a * b;
}

}  // namespace kernelscape::base
