#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/importer.h"
#include "core/store/store.h"
#include "core/trial/recording.h"

namespace kernelscape::exchange {

// Measurements of one kernel on one device, whose configurations came in several lists, form one space: it
// has the values of all of them, and exactly the configurations that were measured.

/** A recorded space that is joined with others. */
struct JoinSource {
  std::string shown;  ///< its name in errors and notices: "a.json", "session 3"
  std::shared_ptr<const trial::Recording> recording;
};

/** What a user states about a join. */
struct JoinRequest {
  std::string name;                              ///< of the joined space
  std::map<std::string, std::string> missing{};  ///< by parameter: its value in the spaces that lack it
};

/** A joined space. */
struct JoinedSpace {
  std::shared_ptr<const trial::Recording> recording;
  std::vector<std::string> notices;  ///< what was assumed, and how many configurations repeat
};

/** Returns the recorded space of a session: its own, or one of its trials. */
Result<JoinSource> join_source_of_session(const store::Store& store, store::SessionId session);

/** Returns the recorded space of a file of any import format. Error: it has several tasks. */
Result<JoinSource> join_source_of_file(const ImportSource& source);

/** Returns the names of the parameters that some spaces have and others lack, in their order. */
std::vector<std::string> missing_parameters(std::span<const JoinSource> sources);

/**
 * Joins recorded spaces. A parameter that all spaces have alike stays as it is; any other has the values of
 * all spaces, ascending, and the joined space then belongs to no template or project, which would read the
 * positions of its values otherwise. Several measurements of a configuration become one with the samples of
 * all (repeated_trials.h). InvalidArgument names what differs: the kernel, the device, the template, the
 * objective or its unit, the unit of a metric, or a parameter for which no value is stated. Tables and scans
 * do not name their kernel: the user says that it is the same.
 */
Result<JoinedSpace> join_recordings(std::span<const JoinSource> sources, const JoinRequest& request);

/** Joins recorded spaces and stores the result as a session of kind Recorded. */
Result<ImportOutcome> import_joined(store::Store& store, std::span<const JoinSource> sources,
                                    const JoinRequest& request);

}  // namespace kernelscape::exchange
