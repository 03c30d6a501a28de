#pragma once

#include <cstddef>
#include <string>

#include "core/exchange/importer.h"

namespace kernelscape {

// A file may have several trials of one configuration. In a session each is a trial of its own. A recorded
// space has a configuration once: there the trials become one, whose samples are those of all of them.

/** How many trials of a part repeat the configuration of an earlier one. */
std::size_t count_repeated_trials(const ImportedTrials& part);

/** What an import says of the repeated trials in its file; empty if there are none. */
std::string repeated_trials_notice(std::size_t repeated, bool recorded);

/**
 * Adds a later measurement of the same configuration to an earlier one: samples and work seconds of both, and
 * the mean of what they rank by, weighted by their samples. If one failed, the valid result counts.
 */
void merge_measurement(Measurement& earlier, const Measurement& later);

}  // namespace kernelscape
