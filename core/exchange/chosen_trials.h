#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/columns.h"
#include "core/base/result.h"
#include "core/exchange/export_formats.h"
#include "core/space/search_space.h"
#include "core/task/task.h"
#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::exchange {

/** A session whose trials are exported. */
struct ExportedSession {
  store::SessionSummary summary;
  space::SearchSpace space;
  task::Task task;
  bool with_resources = false;                        ///< the trials are of GPU kernels
  std::optional<std::vector<std::string>> workers{};  ///< workers of the fleet that measured the trials;
                                                      ///< empty: a single machine did
  bool own_objectives = false;                        ///< see Trials::has_own_objectives()
  bool with_probes = false;                           ///< see Trials::has_probes()
  std::vector<trial::MetricName> metrics{};           ///< see Trials::metrics()
};

/** All trials of a session in order of arrival. */
struct ExportedRows {
  trial::Snapshot trials;
  /**
   * The columns that filters and tables name: knobs, times, and resources, workers and the machine's speed if
   * the session has them.
   */
  analysis::TrialColumns columns;
};

/**
 * Reads a session without its trials. Returns NotFound if the session does not exist, and Corrupt if its
 * stored texts are damaged.
 */
Result<ExportedSession> read_exported_session(const ExportRequest& request);

/** Reads all trials of the session. Returns Corrupt if a configuration does not fit the space. */
Result<ExportedRows> read_trial_rows(const ExportRequest& request, const ExportedSession& session);

/** Returns the rows that pass the request's filter, in order of arrival. */
Result<std::vector<std::int64_t>> choose_rows(const ExportRequest& request,
                                              const analysis::TrialColumns& columns,
                                              const trial::Snapshot& trials);

/**
 * Calls `visit` with every complete trial that passes the request's filter, by ascending number, until an
 * error occurs. Only a few thousand trials are in memory at a time.
 */
Status visit_chosen_trials(const ExportRequest& request, const ExportedSession& session,
                           const std::function<Status(const trial::Trial&)>& visit);

/**
 * Visits the chosen trials for formats in which a result without an error has a time. Returns an error if a
 * trial was built but never run.
 */
Status visit_timed_trials(const ExportRequest& request, const ExportedSession& session,
                          const std::function<Status(const trial::Trial&)>& visit);

}  // namespace kernelscape::exchange
