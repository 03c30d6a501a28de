#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::analysis {

enum class TokenKind : std::uint8_t {
  Name,    ///< a column, label or unit: gflops, tile_oc[3], `odd name`
  Text,    ///< a label in "..."
  Number,  ///< including the unit that follows without a space, if there is one
  Operator,
  And,
  Or,
  Not,
  In,
  Open,
  Close,
  OpenTuple,
  CloseTuple,
  Comma,
  Range,
  Broken,  ///< not a token: `text` is the reason, `hint` the solution
  End
};

struct FilterToken {
  TokenKind kind = TokenKind::End;
  std::string text;  ///< without quotes; operators in a single form: "=" for "=="
  std::string hint = {};
  bool quoted = false;  ///< a name in `...`: never a keyword, a label or a unit
  double number = 0;
  std::string unit = {};
  std::size_t position = 0;
  std::size_t length = 0;  ///< in bytes, including quotes

  std::size_t end() const { return position + length; }  ///< one past its last byte in the text
};

/** Splits any bytes into tokens; the last token is always End. */
std::vector<FilterToken> filter_tokens(std::string_view text);

/** Compares texts, ignoring the case of ASCII letters only. */
bool equal_ignoring_case(std::string_view a, std::string_view b);

/** Returns true if this unquoted name is `valid` or `invalid`. */
bool is_reserved(std::string_view name);

}  // namespace kernelscape::analysis
