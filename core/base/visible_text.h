#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelscape {

// Texts of files and databases as people see them: nothing in them steers what shows them.

/**
 * Whether a character does something instead of being seen: controls (line ends and tabs among them), those
 * that turn the direction of a line, and those that can't be seen at all. Joiners are part of words.
 */
bool is_unseen(char32_t code);

/**
 * One line of a terminal: what does something is written as "\n", "\x1b" or "\u202e", a byte that is no UTF-8
 * as "\xff". A backslash stays as it is.
 */
std::string visible_text(std::string_view text);

/**
 * The same, of at most so many characters: of a longer text the beginning and the end, " ... " between them
 * where there is room for it.
 */
std::string visible_text(std::string_view text, std::size_t most_characters);

/**
 * What a message quotes of a file, without its quotes: the first line as visible_text() has it, cut with
 * "..." where it is longer than `most_characters` or goes on in another line.
 */
std::string one_line(std::string_view text, std::size_t most_characters = 80);

/** The same in double quotes. */
std::string quoted_line(std::string_view text, std::size_t most_characters = 80);

/**
 * A text for a page: what does something is shown as a picture ("␛") or a number ("[U+202E]"), and what is no
 * character as U+FFFD. Line ends, which become line feeds, and tabs stay.
 */
std::string printable_text(std::string_view text);

}  // namespace kernelscape
