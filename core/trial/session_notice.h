#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::trial {

// Kinds of notices as stored: never rename.
/// a property of the machine that disturbed timings
inline constexpr std::string_view machine_notice = "machine";
inline constexpr std::string_view process_notice = "process";  ///< a process that disturbed timings
inline constexpr std::string_view note_notice = "note";        ///< information for the user about the search
inline constexpr std::string_view failure_notice = "failure";  ///< the first failed trial, before a valid one
inline constexpr std::string_view problem_notice = "problem";  ///< an operation that failed
inline constexpr std::string_view import_notice = "import";    ///< omissions and changes of an importer

/**
 * A notice of a session that is needed to interpret its numbers: a disturbance by the machine, a confirmation
 * that failed, an omission of an importer.
 */
struct SessionNotice {
  std::string kind;  ///< one of the kinds above; other versions may have other kinds
  std::string text;  ///< a sentence without its full stop; states are in the past tense
  /// time of its first occurrence on the session's clock; 0 before the session began
  double session_seconds = 0;

  bool operator==(const SessionNotice&) const = default;
};

/**
 * Returns true if the notice affects the interpretation of all numbers of the session: a notice about the
 * machine, a process or a problem.
 */
bool disturbs(const SessionNotice& notice);

/** Returns the texts of the notices for which disturbs() is true, in their order. */
std::vector<std::string> disturbances(std::span<const SessionNotice> notices);

/** A text that occurred several times with different numbers. */
struct RepeatedText {
  std::string text;  ///< with the smallest and the largest of its numbers: "took up to 5 to 30 % longer"
  std::int64_t times = 1;

  bool operator==(const RepeatedText&) const = default;
};

/** Merges texts that differ only in their numbers, in the order of their first occurrence. */
std::vector<RepeatedText> repeated_texts(std::span<const std::string> texts);

}  // namespace kernelscape::trial
