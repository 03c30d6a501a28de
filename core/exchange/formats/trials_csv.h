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
#include "core/trial/table.h"

namespace kernelscape::exchange {

/** Names of text columns, which TrialColumns does not have: the texts are read from the store. */
inline constexpr std::string_view message_column_name = "message";
inline constexpr std::size_t message_column = std::numeric_limits<std::size_t>::max();
inline constexpr std::string_view build_log_column_name = "build_log";
inline constexpr std::size_t build_log_column = message_column - 1;

/**
 * Chooses columns by their names. Without names, all columns and the messages are chosen: build logs, which
 * have many lines, must be named. NotFound lists the most similar names.
 */
Result<std::vector<std::size_t>> choose_csv_columns(const analysis::TrialColumns& columns,
                                                    std::span<const std::string> names);

/** Receives a piece of the text; an error ends the writing. */
using TextSink = std::function<Status(std::string_view)>;
/** Reads the text of a message or build log by its id in the store, which is not 0. */
using MessageReader = std::function<Result<std::string>(std::int64_t)>;

/** The source of texts, and how they are written. */
struct CsvTexts {
  MessageReader read_message{};  ///< empty if neither messages nor build logs are chosen
  base::CsvFormulas formulas = base::CsvFormulas::Guarded;
};

/**
 * Writes trials as CSV (RFC 4180 with CRLF, first line: the columns' names) in pieces, with memory
 * independent of the number of rows. Numbers are in the C locale and the shortest that read back as the same
 * double; missing values are empty. @param rows of the snapshot, in the order in which they are written
 * @param chosen column numbers in TrialColumns, or message_column, build_log_column
 */
Status write_trials_csv(const analysis::TrialColumns& columns, const trial::Snapshot& trials,
                        std::span<const std::int64_t> rows, std::span<const std::size_t> chosen,
                        const CsvTexts& texts, const TextSink& sink);

/**
 * Returns the kind of such a file. It is recognised if it has all columns, only those that all trials have,
 * or those chosen here.
 */
base::OutputKind trials_csv_kind(const analysis::TrialColumns& columns, const trial::Snapshot& trials,
                                 std::span<const std::size_t> chosen);

}  // namespace kernelscape::exchange
