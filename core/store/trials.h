#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"
#include "core/store/identifiers.h"
#include "core/store/records.h"
#include "core/store/repository.h"
#include "core/trial/table.h"
#include "core/trial/trial.h"

namespace kernelscape::store {

/**
 * A trial without samples and texts, to fill a trial table. Rows come in order of arrival after the first
 * `skip`.
 */
struct ArrivedRow : trial::Row {
  space::Configuration configuration;
  std::vector<double> metrics;  ///< in the order of Trials::metrics(); NaN, or beyond the end: none
};

/** The trials of the sessions of a database, whether they are stored as rows or taken from a recording. */
class Trials : public Repository {
 public:
  using Repository::Repository;

  /**
   * Commits trials together with the session's counters. The commit is durable if the session takes real
   * measurements, and happens before any other component is notified of the trials. Trials of a batch may be
   * in any order.
   */
  Status append(SessionId id, std::span<const trial::Trial> trials, const SessionStatus& status);

  /** Returns the trials numbered [first, first + count), with samples, messages and build logs. */
  Result<std::vector<trial::Trial>> of(SessionId id, std::int64_t first = 0, std::int64_t count = -1) const;
  /** Returns one complete trial by its number, or NotFound if the session has no such trial. */
  Result<trial::Trial> get(SessionId id, std::int64_t number) const;

  /** Returns the rows by value, each with its configuration. Use visit_rows() if they need not be kept. */
  Result<std::vector<ArrivedRow>> rows(SessionId id, std::int64_t skip = 0) const;
  /** Visits the rows of rows() one by one without keeping them. The row is valid during the call. */
  Status visit_rows(SessionId id, std::int64_t skip,
                    const std::function<void(const ArrivedRow&)>& visit) const;
  /**
   * Returns the fleet workers that measured trials of the session, in the order of their numbers from 1;
   * empty if this machine measured all trials.
   */
  Result<std::vector<std::string>> workers(SessionId id) const;
  /**
   * Returns the metrics that trials of the session have beside their times, in the order of their first
   * occurrence; empty if there are none.
   */
  Result<std::vector<trial::MetricName>> metrics(SessionId id) const;
  /** Returns the text of a row's message or build log. */
  Result<std::string> message(std::int64_t message_id) const;
  /**
   * Returns true if the session measures on a GPU, so that its trials have, or may get, resource figures of
   * GPU compilers. Rows of the target "cpu" are read without these columns.
   */
  Result<bool> has_resources(SessionId id) const;
  /**
   * Returns true if trials are ranked by an objective that an imported file defines and that is not the
   * median of their samples.
   */
  Result<bool> has_own_objectives(SessionId id) const;
  /** Returns true if trials of the session have, or will get, times of the speed probe. */
  Result<bool> has_probes(SessionId id) const;

  /**
   * Returns the stored result of an analysis of one trial after its session, in the format of its creator, or
   * nullopt if there was no analysis or the database is an older one that is open read-only. The result is
   * deleted with its session. @param kind "counters"
   */
  Result<std::optional<std::string>> insight(SessionId id, std::int64_t trial, std::string_view kind) const;
  /**
   * Stores the result of an analysis and replaces the earlier one of the same trial and kind. Returns
   * NotFound if the session does not exist.
   */
  Status save_insight(SessionId id, std::int64_t trial, std::string_view kind, std::string_view json);
};

}  // namespace kernelscape::store
