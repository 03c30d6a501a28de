#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

// Kinds of notices, as they are stored: never rename.
inline constexpr std::string_view machine_notice = "machine";  ///< what of the machine disturbed timings
inline constexpr std::string_view process_notice = "process";  ///< one that disturbed them
inline constexpr std::string_view note_notice = "note";        ///< what its user should know of the search
inline constexpr std::string_view failure_notice = "failure";  ///< its first failed trial, before a valid one
inline constexpr std::string_view problem_notice = "problem";  ///< something that could not be done
inline constexpr std::string_view import_notice = "import";    ///< what a file's reader left out or changed

/**
 * What a session said beside its trials that whoever reads its numbers has to know: what the machine did
 * meanwhile, what could not be confirmed, what an importer left out.
 */
struct SessionNotice {
  std::string kind;            ///< of those above; another version's may be another
  std::string text;            ///< a sentence without its full stop, in the past tense where it tells a state
  double session_seconds = 0;  ///< when it was said first, on the session's clock; 0 before it began

  bool operator==(const SessionNotice&) const = default;
};

/** Whether no number of the session should be read without it: of the machine, a process or a problem. */
bool disturbs(const SessionNotice& notice);

/** The texts of those that disturb, in their order. */
std::vector<std::string> disturbances(std::span<const SessionNotice> notices);

/** What was said several times with other numbers. */
struct RepeatedText {
  std::string text;  ///< with the least and the greatest of its numbers: "took up to 5 to 30 % longer"
  std::int64_t times = 1;

  bool operator==(const RepeatedText&) const = default;
};

/** Texts that differ in their numbers alone as one, in the order in which they were said first. */
std::vector<RepeatedText> repeated_texts(std::span<const std::string> texts);

}  // namespace kernelscape
