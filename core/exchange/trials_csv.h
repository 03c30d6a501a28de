#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns.h"
#include "core/base/result.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** The column of messages, which TrialColumns does not have: their texts stay in the store. */
inline constexpr std::string_view message_column_name = "message";
inline constexpr std::size_t message_column = std::numeric_limits<std::size_t>::max();

/** Columns by their names; all of them, and the messages, where no name is given. NotFound offers the
 * nearest. */
Result<std::vector<std::size_t>> choose_csv_columns(const TrialColumns& columns,
                                                    std::span<const std::string> names);

/** Takes a piece of the text; an error ends the writing. */
using TextSink = std::function<Status(std::string_view)>;
/** The text of a message by its id in the store, which is not 0. */
using MessageReader = std::function<Result<std::string>(std::int64_t)>;

/**
 * Trials as CSV (RFC 4180 with CRLF, first line: the columns' names), in pieces: nothing grows with the
 * number of rows. Numbers are in the C locale and the shortest that read back as the same double; what a
 * trial has not is empty.
 * @param rows of the snapshot, in the order in which they are written
 * @param chosen numbers in TrialColumns, or message_column
 * @param read_message may be empty where message_column is not chosen
 */
Status write_trials_csv(const TrialColumns& columns, const TrialSnapshot& trials,
                        std::span<const std::int64_t> rows, std::span<const std::size_t> chosen,
                        const MessageReader& read_message, const TextSink& sink);

}  // namespace kernelscape
