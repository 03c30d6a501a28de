#pragma once

#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::base {

/**
 * Returns at most three known names that are most similar to a mistyped one, best first; empty if no name is
 * similar.
 */
std::vector<std::string> nearest_names(std::string_view wrong, std::span<const std::string> known);

/**
 * Returns the hint for an unknown name: "did you mean a, b?", or "known: ..." if no name is similar. Empty
 * names are ignored; the hint is never empty.
 */
std::string suggest(std::string_view wrong, std::span<const std::string> names);

/**
 * Returns the text without leading and trailing blanks, as a view into it.
 * @param blanks the characters to remove
 */
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

/** Returns the text with the ASCII letters A to Z in lower case. */
std::string lower_case(std::string_view text);

/**
 * Returns a text as a sentence, so that it can stand beside others: with a capital letter, unless the first
 * word is a name ("oneDNN", "tile_x", "make (process 7)"), and with a period, unless it has an end. An empty
 * text stays empty.
 */
std::string sentence(std::string_view text);

/**
 * Returns the parts between separators, including empty ones: n separators give n + 1 parts, an empty text
 * gives one.
 */
std::vector<std::string> split_text(std::string_view text, char separator);
/** Joins the parts with the separator between them; empty if there are no parts. */
std::string join(std::span<const std::string> parts, std::string_view separator);

/** Returns a time as "2026-01-31T12:00:00Z". */
std::string utc_text(std::time_t moment);
/** Returns the current time in the format of utc_text(). */
std::string utc_now();

}  // namespace kernelscape::base
