#pragma once

#include <cstddef>
#include <string>

#include "core/exchange/importer.h"

namespace kernelscape::exchange {

// A file may have several trials of one configuration. In a session they are separate trials. A recorded
// space contains a configuration once: the trials are merged into one trial with the samples of all of them.

/** Returns how many trials of a part repeat the configuration of an earlier trial. */
std::size_t count_repeated_trials(const ImportedTrials& part);

/** Returns the import's notice about the repeated trials of its file; empty if there are none. */
std::string repeated_trials_notice(std::size_t repeated, bool recorded);

/**
 * Merges a later measurement of the same configuration into an earlier one: samples and build and run times
 * of both, and the mean of their objectives, weighted by the number of samples, and the later one's metrics
 * before those of the earlier one. If one failed, the valid result with its metrics is used.
 */
void merge_measurement(trial::Measurement& earlier, const trial::Measurement& later);

}  // namespace kernelscape::exchange
