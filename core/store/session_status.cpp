#include "core/store/session_status.h"

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {

Sound<SessionStatus> status_from_row(const sqlite::Query& row, SessionId id, int first_column,
                                     int checksum_column, bool checksum_needed) {
  SessionStatus status;
  int column = first_column;
  const std::int64_t state = row.integer(column++);
  if (!plausible_count<std::int64_t>(state, static_cast<std::int64_t>(SessionState::Failed)))
    return std::unexpected("its state is unknown");
  status.state = static_cast<SessionState>(state);
  status.state_reason = row.text(column++);
  status.trial_count = row.integer(column++);
  status.best_trial = row.integer(column++);
  status.best_seconds = row.real(column++);
  status.session_seconds = row.real(column++);
  status.search_seconds = row.real(column++);
  status.build_seconds = row.real(column++);
  status.run_seconds = row.real(column++);
  status.vendor_json = row.text(column++);
  if (status.trial_count < 0 || status.best_trial < -1)
    return std::unexpected("its number of trials or its best trial is negative");
  for (const double seconds : {status.best_seconds, status.session_seconds, status.search_seconds,
                               status.build_seconds, status.run_seconds})
    if (!trial::plausible_seconds(seconds))
      return std::unexpected("a time in its status is negative or not a number");
  if (!matches(row, checksum_column, checksum_of(status, id), checksum_needed))
    return std::unexpected("its status differs from what was stored");
  return status;
}

std::uint32_t checksum_of(const SessionStatus& status, SessionId id) {
  RowBytes bytes;
  bytes.integers({id, static_cast<std::int64_t>(status.state), status.trial_count, status.best_trial});
  bytes.reals({status.best_seconds, status.session_seconds, status.search_seconds, status.build_seconds,
               status.run_seconds});
  bytes.text(status.state_reason).text(status.vendor_json);
  return bytes.take_checksum();
}

void interrupt_without_owner(SessionStatus& status, const std::optional<Owner>& owner) {
  const bool running = status.state == SessionState::Running;
  if (running && !(owner && owner->alive())) status.state = SessionState::Interrupted;
}

Status write_status(Connection& connection, SessionId id, const SessionStatus& status) {
  sqlite::Query query = connection.database.query(
      "UPDATE status SET state = ?, state_reason = ?, trial_count = ?, best_trial = ?, best_seconds = ?, "
      "session_seconds = ?, search_seconds = ?, build_seconds = ?, run_seconds = ?, vendor_json = ?, "
      "checksum = ? WHERE session = ?");
  query.bind(static_cast<std::int64_t>(status.state)).bind(status.state_reason);
  query.bind(status.trial_count)
      .bind(status.best_trial)
      .bind(status.best_seconds)
      .bind(status.session_seconds);
  query.bind(status.search_seconds)
      .bind(status.build_seconds)
      .bind(status.run_seconds)
      .bind(status.vendor_json);
  TRY(query.bind(std::int64_t{checksum_of(status, id)}).bind(id).run());
  if (connection.database.changes() == 0) return std::unexpected(connection.no_session(id));
  return {};
}

}  // namespace kernelscape::store
