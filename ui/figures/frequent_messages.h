#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/figures/shown_trials.h"

namespace kernelscape::figures {

/** A message of failed trials. */
struct FrequentMessage {
  std::int64_t id = 0;  ///< id in the store; 0: these trials failed without a message
  trial::ErrorCategory category = trial::ErrorCategory::UnknownError;
  std::int64_t count = 0;
  std::int64_t first_row = analysis::no_row;
  std::int64_t first_trial = -1;  ///< number of the first trial
  std::string text;

  bool operator==(const FrequentMessage&) const = default;
};

/** Distinct messages of the failures among the trials shown. */
struct FrequentMessages {
  std::vector<FrequentMessage>
      messages;              ///< the most frequent first; of equally frequent messages, the earliest first
  std::size_t distinct = 0;  ///< number of all distinct messages, including those beyond `most`
};

/** Counts messages and reads the texts of at most `most` messages from the database: for a background job. */
Result<FrequentMessages> frequent_messages(const std::filesystem::path& database, const ShownTrials& shown,
                                           std::size_t most, const workspace::JobControl& control);

/**
 * Returns why no trial has a performance, with the messages of most of the failures; empty if a trial has
 * one. For a background job.
 */
QString no_performance_notice(const std::filesystem::path& database, const ShownTrials& shown,
                              const workspace::JobControl& control);

}  // namespace kernelscape::figures
