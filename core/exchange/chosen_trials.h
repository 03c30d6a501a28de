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
#include "core/trial/trial.h"
#include "core/trial/trial_table.h"

namespace kernelscape {

/** A session of which trials are exported. */
struct ExportedSession {
  SessionSummary summary;
  SearchSpace space;
  Task task;
  bool with_resources = false;  ///< its trials are of GPU kernels
  std::optional<std::vector<std::string>>
      workers{};                ///< of a fleet that measured them; none: one machine did
  bool own_objectives = false;  ///< see Store::has_own_objectives()

  /** What filters and tables name: knobs, times, resources and workers where there are some. */
  TrialColumns columns() const { return {space, task.flops(), with_resources, workers, own_objectives}; }
};

/** Reads no trials. NotFound where there is no such session; Corrupt where its stored texts are damaged. */
Result<ExportedSession> read_exported_session(const ExportRequest& request);

/** All trials of the session, in the order in which they arrived. */
Result<TrialSnapshot> read_trial_rows(const ExportRequest& request, const SearchSpace& space);

/** Rows that pass the request's filter, in the order in which the trials arrived. */
Result<std::vector<std::int64_t>> choose_rows(const ExportRequest& request, const TrialColumns& columns,
                                              const TrialSnapshot& trials);

/**
 * Calls `visit` with every trial that passes the request's filter, whole, by ascending number, as long as it
 * succeeds. Only some thousands are in memory at a time.
 */
Status visit_chosen_trials(const ExportRequest& request, const ExportedSession& session,
                           const std::function<Status(const Trial&)>& visit);

/**
 * The same for formats in which a result without an error has a time: one that was built and never run is
 * refused.
 */
Status visit_timed_trials(const ExportRequest& request, const ExportedSession& session,
                          const std::function<Status(const Trial&)>& visit);

}  // namespace kernelscape
