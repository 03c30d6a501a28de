#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"
#include "core/base/media/csv.h"
#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** Columns of texts, which TrialColumns does not have: they stay in the store. */
inline constexpr std::string_view message_column_name = "message";
inline constexpr std::size_t message_column = std::numeric_limits<std::size_t>::max();
inline constexpr std::string_view build_log_column_name = "build_log";
inline constexpr std::size_t build_log_column = message_column - 1;

/** Columns by their names; all of them, and the messages, where no name is given: build logs, which have many
 * lines, have to be named. NotFound offers the nearest. */
Result<std::vector<std::size_t>> choose_csv_columns(const TrialColumns& columns,
                                                    std::span<const std::string> names);

/** Takes a piece of the text; an error ends the writing. */
using TextSink = std::function<Status(std::string_view)>;
/** The text of a message or build log by its id in the store, which is not 0. */
using MessageReader = std::function<Result<std::string>(std::int64_t)>;

/** Where texts come from, and how they are written. */
struct CsvTexts {
  MessageReader read_message{};  ///< empty where neither messages nor build logs are chosen
  CsvFormulas formulas = CsvFormulas::Guarded;
};

/**
 * Trials as CSV (RFC 4180 with CRLF, first line: the columns' names), in pieces: nothing grows with the
 * number of rows. Numbers are in the C locale and the shortest that read back as the same double; what a
 * trial has not is empty.
 * @param rows of the snapshot, in the order in which they are written
 * @param chosen numbers in TrialColumns, or message_column, build_log_column
 */
Status write_trials_csv(const TrialColumns& columns, const TrialSnapshot& trials,
                        std::span<const std::int64_t> rows, std::span<const std::size_t> chosen,
                        const CsvTexts& texts, const TextSink& sink);

/** Such a file: recognised where it has all columns, only those that all trials have, or those chosen here.
 */
OutputKind trials_csv_kind(const TrialColumns& columns, const TrialSnapshot& trials,
                           std::span<const std::size_t> chosen);

}  // namespace kernelscape
