#pragma once

#include <regex>

namespace kernelscape::project {

/** The syntax of a program's patterns: matching takes polynomial time and no recursion, whatever the text is.
 */
inline constexpr auto program_pattern_syntax =
    std::regex::ECMAScript | std::regex_constants::__polynomial;  // NOLINT(bugprone-reserved-identifier)

}  // namespace kernelscape::project
