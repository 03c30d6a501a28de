#include "core/store/interruptions.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/stored_values.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {

Status Interruptions::append(SessionId id, double at_session_seconds, const std::string& kind) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO interruption (session, at_session_seconds, kind) VALUES (?, ?, ?)");
  TRY(insert.bind(id).bind(at_session_seconds).bind(kind).run());
  return transaction.commit();
}

Result<std::vector<SessionInterruption>> Interruptions::of(SessionId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT at_session_seconds, kind FROM interruption WHERE session = ? ORDER BY id");
  query.bind(id);
  std::vector<SessionInterruption> interruptions;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("interruptions of session {}: {}", id, shares_content)));
    interruptions.push_back({query.real(0), query.text(1)});
    if (!trial::plausible_seconds(interruptions.back().at_session_seconds))
      return std::unexpected(connection_->damaged(fmt::format("an interruption of session {}", id)));
  }
  return Connection::finish(query, std::move(interruptions));
}

}  // namespace kernelscape::store
