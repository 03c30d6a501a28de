#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape {

/** A message that trials failed with. */
struct FrequentMessage {
  std::int64_t id = 0;  ///< in the store; 0: these failed without a message
  ErrorCategory category = ErrorCategory::UnknownError;
  std::int64_t count = 0;
  std::int64_t first_row = no_row;
  std::int64_t first_trial = -1;  ///< its number
  std::string text;

  bool operator==(const FrequentMessage&) const = default;
};

/** Distinct messages of the failures among the trials shown. */
struct FrequentMessages {
  std::vector<FrequentMessage> messages;  ///< the most frequent first, of equally frequent ones the earliest
  std::size_t distinct = 0;               ///< all of them, also those beyond `most`
};

/** Counts messages and reads the texts of at most `most` from the database: for a background job. */
Result<FrequentMessages> frequent_messages(const std::filesystem::path& database, const ShownTrials& shown,
                                           std::size_t most, const JobControl& control);

/** Why none of the trials has a performance, with the messages that most of them failed with; empty where one
 * has. For a background job. */
QString no_performance_notice(const std::filesystem::path& database, const ShownTrials& shown,
                              const JobControl& control);

}  // namespace kernelscape
