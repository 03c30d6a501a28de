#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelscape::base {

// Makes texts from files and databases safe to display: no character in them can control the terminal or
// page.

/**
 * Returns true for characters that are not displayed as a glyph: controls (line ends and tabs included),
 * characters that change the text direction, and invisible ones. Joiners are part of words, and return false.
 */
bool is_unseen(char32_t code);

/**
 * Returns a text as one line for a terminal: characters for which is_unseen() is true are written as "\n",
 * "\x1b" or "\u202e", bytes that are not UTF-8 as "\xff". A backslash is not changed.
 */
std::string visible_text(std::string_view text);

/**
 * As visible_text(text), but of at most `max_characters`: a longer text is reduced to its beginning and end,
 * with " ... " between them if there is room for it.
 */
std::string visible_text(std::string_view text, std::size_t max_characters);

/**
 * Returns the part of a text that a message quotes, without the quotation marks: the first line as
 * visible_text() returns it, cut with "..." if it is longer than `max_characters` or more lines follow.
 */
std::string one_line(std::string_view text, std::size_t max_characters = 80);

/** Returns one_line() in double quotes. */
std::string quoted_line(std::string_view text, std::size_t max_characters = 80);

/**
 * Returns a text for an HTML page or a window: characters for which is_unseen() is true are shown as a
 * control picture ("␛") or a number ("[U+202E]"), invalid bytes as U+FFFD. Line ends become line feeds; tabs
 * stay.
 */
std::string printable_text(std::string_view text);

}  // namespace kernelscape::base
