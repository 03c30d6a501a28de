#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelscape::base {

/** Code of a byte that belongs to no character. */
inline constexpr char32_t invalid_utf8 = 0xFFFFFFFF;

/** A character of a text, or one byte that belongs to no character. */
struct Utf8Character {
  char32_t code = invalid_utf8;
  std::size_t bytes = 1;  ///< length in the text
};

/**
 * Returns the first character of a text, which must not be empty. Overlong forms and surrogates are invalid.
 */
Utf8Character first_character(std::string_view text);

/** Appends a character, which is not `invalid_utf8`. */
void append_utf8(std::string& text, char32_t code);

}  // namespace kernelscape::base
