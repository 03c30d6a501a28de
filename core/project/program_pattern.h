#pragma once

#include <regex>

namespace kernelscape::project {

/**
 * The syntax of a program's patterns: matching takes polynomial time, whatever the text is. It is still slow,
 * and its recursion grows with the pattern: both are kept short.
 */
inline constexpr auto program_pattern_syntax =
    std::regex::ECMAScript | std::regex_constants::__polynomial;  // NOLINT(bugprone-reserved-identifier)

}  // namespace kernelscape::project
