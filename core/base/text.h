#pragma once

#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** The known names nearest to a mistyped one, best first, at most three; empty where none is near. */
std::vector<std::string> nearest_names(std::string_view wrong, std::span<const std::string> known);

/**
 * "did you mean a, b?", or "known: ..." where none is near: the way out of an unknown name. Empty names are
 * passed over; never empty itself.
 */
std::string suggest(std::string_view wrong, std::span<const std::string> names);

/** Without blanks at its ends; refers to the text. @param blanks every letter that is one */
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

/** The parts between separators, empty ones too: n separators give n + 1 parts, an empty text gives one. */
std::vector<std::string> split_text(std::string_view text, char separator);
/** The parts with the separator between them; empty where there are none. */
std::string join(std::span<const std::string> parts, std::string_view separator);

/** A moment as "2026-01-31T12:00:00Z". */
std::string utc_text(std::time_t moment);
/** The same of this moment. */
std::string utc_now();

}  // namespace kernelscape
