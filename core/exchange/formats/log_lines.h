#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/import_text.h"

namespace kernelscape {

/** Whose lines a log of one of TVM's tuners has. */
enum class TvmLog { Unknown, AutoTvm, Ansor, MetaSchedule };

/** Told by the first line that is one of theirs. @param head the beginning of the text */
TvmLog tvm_log_of(std::string_view head);

/** Whether a text of MetaSchedule begins with a workload, not with a tuning record. */
bool begins_with_workload(std::string_view head);

/** Lines of a log that could not be read: the others count, and these are told. */
class SkippedLines {
 public:
  /** Notes a line of the file, by its number from 1. */
  void add(const ImportText& file, std::size_t line, const Error& why);

  std::size_t count() const { return count_; }                  ///< of them all
  const std::optional<Error>& first() const { return first_; }  ///< with its file and line
  /** A notice for each of the first ones, and one that counts the others. */
  std::vector<std::string> notices() const;

 private:
  std::size_t count_ = 0;
  std::optional<Error> first_;
  std::vector<std::string> told_;
  std::string file_;
};

/**
 * Walks the lines of a log; empty ones and comments ("#") are passed over. A line that is InvalidArgument is
 * skipped, any other error ends the reading. Errors name the file and the line, as a text does that can't be
 * read to its end.
 * @param take gets a line without blanks at its ends, and its number from 1
 */
Status read_log_lines(ImportText& file, SkippedLines& skipped,
                      const std::function<Status(std::string_view line, std::size_t number)>& take);

/** A line's place before an error's message; of line and column in JSON of one line, the column. */
Error error_at_line(const ImportText& file, std::size_t line, Error error);

}  // namespace kernelscape
