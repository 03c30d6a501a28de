#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape {

/** A line of a source file, as a compiler names it. */
struct SourcePlace {
  std::string file;
  std::int64_t line = 0;  ///< from 1

  bool operator==(const SourcePlace&) const = default;
};

/** What a failed trial says first. */
struct FailureText {
  ErrorCategory category = ErrorCategory::NoError;
  std::string text;                    ///< one printable line: "scale.c:12:5: error: 'BLOK' undeclared"
  std::optional<SourcePlace> place{};  ///< of a compiler's error; nullopt: the message names none

  bool operator==(const FailureText&) const = default;
};

/**
 * Finds the line of a failed trial's message that says what failed. Of a compiler's message that is its first
 * error with its file and line, in the forms of GCC and Clang, of NVRTC and of PoCL; warnings, notes and
 * lines such as "In function ..." before it are passed over. Of any other message it is the first line.
 */
FailureText failure_text(ErrorCategory category, std::string_view message);

/** "does not compile: scale.c:12:5: error: 'BLOK' undeclared": what is said of the trial. */
std::string describe(const FailureText& failure);

/**
 * Returns a text that two failures have in common if they failed in the same way: same category, same line of
 * the same file, and the same text but for its numbers and the given values.
 * @param values texts that the configuration has as values of its parameters
 */
std::string failure_signature(const FailureText& failure, std::span<const std::string> values);

}  // namespace kernelscape
