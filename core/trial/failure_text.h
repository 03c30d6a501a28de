#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/trial/measurement.h"

namespace kernelscape::trial {

/** A line of a source file, as named by a compiler. */
struct SourcePlace {
  std::string file;
  std::int64_t line = 0;  ///< from 1

  bool operator==(const SourcePlace&) const = default;
};

/** The essential line of a failed trial's message. */
struct FailureText {
  ErrorCategory category = ErrorCategory::NoError;
  std::string text;                    ///< one printable line: "scale.c:12:5: error: 'BLOK' undeclared"
  std::optional<SourcePlace> place{};  ///< place of a compiler's error; nullopt: the message names none

  bool operator==(const FailureText&) const = default;
};

/**
 * Finds the line of a failed trial's message that states the failure. For a compiler's message it is the
 * first error with file and line, in the forms of GCC and Clang, of NVRTC and of PoCL; preceding warnings,
 * notes and lines such as "In function ..." are skipped. For any other message it is the first line.
 */
FailureText failure_text(ErrorCategory category, std::string_view message);

/** Returns a description of the failure: "does not compile: scale.c:12:5: error: 'BLOK' undeclared". */
std::string describe(const FailureText& failure);

/**
 * Returns a text that is equal for two failures of the same kind: same category, same line of the same file,
 * and the same text except for its numbers and the given values.
 * @param values values of the configuration's parameters, as text
 */
std::string failure_signature(const FailureText& failure, std::span<const std::string> values);

}  // namespace kernelscape::trial
