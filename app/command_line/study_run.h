#pragma once

#include <optional>

#include "core/study/study_execution.h"

namespace kernelscape {

// What the commands that make groups of sessions do alike: comparisons, data sets, networks.

/** How a stored study is run and printed. */
struct StudyRunOptions {
  int jobs = 0;          ///< replays at the same time; 0: see replays_at_once()
  bool by_task = false;  ///< of comparisons: a table of every tuner on every task as well
  bool json = false;
};

/** Runs what is missing, shows how it goes, and prints what the study has. @return the exit code */
Result<int> run_stored_study(Store& store, StudyId id, const StudyRunOptions& options);

/** What the study has, by its purpose: a comparison's tables, a data set's tasks, a network's layers. */
Status print_stored_study(const Store& store, StudyId id, const StudyRunOptions& options);

/** All of the database, newest first. @param purpose none: of any */
Result<int> print_stored_studies(const Store& store, std::optional<StudyPurpose> purpose, bool as_json);

/** Deletes it with its sessions, and says so. */
Result<int> delete_stored_study(Store& store, StudyId id);

/** By id or by name. InvalidArgument where it is a study for another purpose. */
Result<StudyId> find_study_for(const Store& store, const std::string& id_or_name, StudyPurpose purpose);

}  // namespace kernelscape
