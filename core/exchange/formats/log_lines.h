#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/exchange/import_text.h"
#include "core/exchange/skipped_entries.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/** Whose lines a log of one of TVM's tuners has. */
enum class TvmLog { Unknown, AutoTvm, Ansor, MetaSchedule };

/** Told by the first line that is one of theirs. @param head the beginning of the text */
TvmLog tvm_log_of(std::string_view head);

/** Whether a text of MetaSchedule begins with a workload, not with a tuning record. */
bool begins_with_workload(std::string_view head);

/**
 * Walks the lines of a log; empty ones and comments ("#") are passed over. A line that is InvalidArgument is
 * skipped, any other error ends the reading. Errors name the file and the line, as a text does that can't be
 * read to its end.
 * @param take gets a line without blanks at its ends, and its number from 1
 */
Status read_log_lines(ImportText& file, SkippedEntries& skipped,
                      const std::function<Status(std::string_view line, std::size_t number)>& take);

/** "line 12": the place of a skipped line. */
std::string line_place(std::size_t line);

/**
 * Takes the error number of a line of AutoTVM or Ansor, from 0 on. The first numbers are the categories, in
 * their order; a number that is not known becomes an unknown error that names it.
 */
void set_error(std::int64_t number, ErrorCategory& category, std::string& message);

/** Puts the file's name before an error that names a line. */
Error error_in_log(const ImportText& file, Error error);

}  // namespace kernelscape
