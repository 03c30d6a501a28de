#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

enum class TokenKind : std::uint8_t {
  Name,    ///< a column, label or unit: gflops, tile_oc[3], `odd name`
  Text,    ///< a label in "..."
  Number,  ///< with the unit that follows without a space, if one does
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
  Broken,  ///< no token: `text` says why, `hint` the way out
  End
};

struct FilterToken {
  TokenKind kind = TokenKind::End;
  std::string text;  ///< without quotes; operators one way: "=" for "=="
  std::string hint = {};
  bool quoted = false;  ///< a name in `...`: never a word of the language, a label or a unit
  double number = 0;
  std::string unit = {};
  std::size_t position = 0;
  std::size_t length = 0;  ///< in bytes, quotes included

  std::size_t end() const { return position + length; }  ///< one past its last byte in the text
};

/** Any bytes; the last one is always End. */
std::vector<FilterToken> filter_tokens(std::string_view text);

/** Of ASCII letters; other bytes have to be the same. */
bool equal_ignoring_case(std::string_view a, std::string_view b);

/** Whether this unquoted name is `valid` or `invalid`. */
bool is_reserved(std::string_view name);

}  // namespace kernelscape
