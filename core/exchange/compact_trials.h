#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/importer.h"
#include "core/space/configuration.h"
#include "core/trial/measurement.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

/**
 * The trials of a table by column. A table may have a million rows: as ImportedTrial, each takes about half a
 * kilobyte, and here 8 bytes for its time and 4 for each knob.
 */
struct CompactTrials {
  /** A kind of failure, shared by all trials that failed in this way. */
  struct Failure {
    trial::ErrorCategory category = trial::ErrorCategory::UnknownError;
    std::string message;  ///< clean, within the limits of a message
  };

  std::vector<std::vector<std::uint32_t>> choices{};  ///< by knob, by trial: index of the value
  std::vector<double> samples_seconds{};              ///< of all trials, in their order
  std::vector<std::uint64_t> sample_ends{};           ///< by trial: end of its samples; none: it failed
  std::vector<std::uint32_t> failure_of{};  ///< by trial: position in failures; ignored if it is valid
  std::vector<Failure> failures{};
  std::vector<double> build_seconds{};  ///< by trial; empty: not known

  std::size_t size() const { return sample_ends.size(); }  ///< number of trials
  /** Sets the indices of a trial's values. */
  void configuration(std::size_t trial, space::Configuration& configuration) const;
  /** Sets the members of a measurement that a table has; the measurement must have no others. */
  void measurement(std::size_t trial, trial::Measurement& measurement) const;
};

/** Returns the number of trials of a part, compact or not. */
std::size_t trial_count(const ImportedTrials& part);

/** Returns how many compact trials of a part repeat the configuration of an earlier one. */
std::size_t count_repeated_compact_trials(const ImportedTrials& part);

/**
 * Returns the recorded space of a part with compact trials, as recording_of(): the trials of a configuration
 * are merged.
 */
Result<std::shared_ptr<const trial::Recording>> recording_of_compact(const ImportedTrials& part);

/**
 * Replaces compact trials by ImportedTrials::trials in the order of the file, and the space by one whose
 * members are their configurations: the form in which a session is stored.
 */
Status expand_trials(ImportedTrials& part);

/** Validates compact trials (validation.h); the error names the trial. @param flops of the task; 0: unknown
 */
Status check_compact_trials(const CompactTrials& trials, double flops);

}  // namespace kernelscape::exchange
