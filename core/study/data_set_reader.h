#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/predictor/data_set.h"
#include "core/store/store.h"

namespace kernelscape::study {

/** Maximum number of samples that are read into one data set, whose features must fit in memory. */
inline constexpr std::size_t max_data_set_samples = 500'000;

/**
 * Converts sources from the form that users write to the form that is stored. Stored: "study 3", "session 5",
 * "recorded:" with an absolute path or the number of a recorded space. Users write a study by number or name,
 * with or without "study" in front; "session" and a number or name; "recorded:" and a file, or a recorded
 * space of the database.
 * Returns an error if there are no sources, if one does not exist (the error lists similar names), or if one
 * is in the trash.
 */
Result<std::vector<std::string>> resolve_data_sources(const store::Store& store,
                                                      const std::vector<std::string>& sources);

/** What read_data_set() does if only some of the templates have trials in the sources. */
enum class AbsentTemplates : std::uint8_t { Refused, LeftOut };

/**
 * Reads the valid trials of the sources as a data set, in the order in which the sources name them. A study
 * contributes its sessions that are done or interrupted and not in the trash, ordered by run. A task that
 * occurs in several sources with one template becomes one task. A configuration that was measured several
 * times gets the median.
 * Returns the errors of resolve_data_sources(), and an error for a study or session that a process still
 * runs; for sources of several templates if none is chosen (the error lists them); for another version of a
 * template than the current one; for several ISAs; if there is no valid trial; or for more than
 * max_data_set_samples.
 * @param templates other templates are left out: a template, several in the form of
 *     predictor::templates_text(), or an operation ("conv2d") for all templates of its tasks in the sources,
 * and these tasks alone; empty: all sources must have the same template
 * @param absent Refused: an error names a template without trials. LeftOut: the others are read, as for the
 *     evaluation of a predictor of several templates on a session, which has one
 */
Result<predictor::DataSet> read_data_set(const store::Store& store, const std::vector<std::string>& sources,
                                         std::string_view templates = {},
                                         AbsentTemplates absent = AbsentTemplates::Refused);

}  // namespace kernelscape::study
