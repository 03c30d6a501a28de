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

namespace kernelscape::exchange {

/** The tuner of TVM that wrote a log. */
enum class TvmLog { Unknown, AutoTvm, Ansor, MetaSchedule };

/**
 * Determines the log from the first line that any of the tuners wrote. @param head the beginning of the text
 */
TvmLog tvm_log_of(std::string_view head);

/** Returns true if a text of MetaSchedule begins with a workload and not with a tuning record. */
bool begins_with_workload(std::string_view head);

/**
 * Reads the lines of a log without empty lines and comments ("#"). A line with an InvalidArgument error is
 * skipped; any other error ends the reading. Errors name the file and the line, including the error for a
 * text that cannot be read to its end. @param take receives a line without blanks at its ends, and its number
 * from 1 @param enough returns true if the following lines need not be read; empty: all are read
 */
Status read_log_lines(ImportText& file, SkippedEntries& skipped,
                      const std::function<Status(std::string_view line, std::size_t number)>& take,
                      const std::function<bool()>& enough = {});

/** Returns the place of a skipped line: "line 12". */
std::string line_place(std::size_t line);

/**
 * Converts the error number of a line of AutoTVM or Ansor, starting at 0. The first numbers are the
 * categories, in their order; an unknown number becomes an unknown error that names it.
 */
void set_error(std::int64_t number, trial::ErrorCategory& category, std::string& message);

/** Returns the error of a line with the file's name in front. */
Error error_in_log(const ImportText& file, Error error);

}  // namespace kernelscape::exchange
