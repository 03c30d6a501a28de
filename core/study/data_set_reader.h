#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/data_set.h"
#include "core/store/store.h"

namespace kernelscape {

/** As many samples as are read into one data set: their features have to fit in memory. */
inline constexpr std::size_t most_data_set_samples = 500'000;

/**
 * Sources as they are stored: "study 3", "session 5", "recorded:" with an absolute path or the number of a
 * recorded space. Written by users: a study by number or name, with or without "study" in front; "session"
 * and a number or name; "recorded:" and a file, or a recorded space of the database.
 *
 * Errors: none at all, one that does not exist, with what is near; one in the trash.
 */
Result<std::vector<std::string>> resolve_data_sources(const Store& store,
                                                      const std::vector<std::string>& sources);

/**
 * The valid trials of the sources, as a data set. Of a study the sessions that are done or interrupted and
 * not in the trash, by run. A task that several have is one; of a configuration that was measured several
 * times it is the median. Order: as the sources name them.
 *
 * Errors: as of resolve_data_sources(); a study or session that a process still runs; sources of several
 * templates where none is chosen, which it lists; of another version of the template than today's; of several
 * ISAs; no valid trial; over most_data_set_samples.
 * @param template_name others are left out; empty: all have to be of one
 */
Result<DataSet> read_data_set(const Store& store, const std::vector<std::string>& sources,
                              std::string_view template_name = {});

}  // namespace kernelscape
