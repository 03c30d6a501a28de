#pragma once

#include <optional>

#include "core/study/execution.h"

namespace kernelscape::command_line {

// Functions shared by the commands that create groups of sessions: comparisons, data sets, networks.

/** Options of running and printing a stored study. */
struct StudyRunOptions {
  int jobs = 0;          ///< concurrent replays; 0: see replays_at_once()
  bool by_task = false;  ///< for comparisons: also a table of every tuner on every task
  bool json = false;
};

/**
 * Runs the missing runs of a study with progress, and prints its results.
 * @return the exit code
 */
Result<int> run_stored_study(store::Store& store, store::StudyId id, const StudyRunOptions& options);

/**
 * Prints the results of a study by its purpose: a comparison's tables, a data set's tasks, a network's
 * layers.
 */
Status print_stored_study(const store::Store& store, store::StudyId id, const StudyRunOptions& options);

/**
 * Prints all studies of the database, newest first.
 * @param purpose nullopt: studies of any purpose
 */
Result<int> print_stored_studies(const store::Store& store, std::optional<study::Purpose> purpose,
                                 bool as_json);

/** Deletes a study with its sessions, and prints a confirmation. */
Result<int> delete_stored_study(store::Store& store, store::StudyId id);

/** Finds a study by id or by name. Error: InvalidArgument if the study has another purpose. */
Result<store::StudyId> find_study_for(const store::Store& store, const std::string& id_or_name,
                                      study::Purpose purpose);

}  // namespace kernelscape::command_line
