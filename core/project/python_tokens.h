#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::project {

/** A token of an expression. */
struct PythonToken {
  enum class Kind : std::uint8_t { Integer, Real, Text, Name, Symbol, End };
  Kind kind = Kind::End;
  std::string text{};           ///< a name or a symbol as written; the contents of a text
  std::uint64_t magnitude = 0;  ///< magnitude of an integer, which may be 2^63
  double real = 0;
  std::size_t position = 0;  ///< position of its first byte
};

/**
 * Returns the tokens of a text, followed by an End. Errors name the column of an invalid token, or report a
 * text of more than `max_bytes`.
 */
Result<std::vector<PythonToken>> python_tokens(std::string_view text, std::size_t max_bytes);

}  // namespace kernelscape::project
