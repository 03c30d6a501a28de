#pragma once

#include <map>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape {

/** What the parts of Store share. */
struct Store::Connection {
  explicit Connection(sqlite::Database opened) : database(std::move(opened)) {}

  /** Starts to write. `durable`: the commit survives a loss of power. */
  Result<sqlite::Transaction> begin(bool durable);
  /** Starts to write to a session, durably where it measures for real; NotFound where it does not exist. */
  Result<sqlite::Transaction> begin_session(SessionId id);

  Result<std::vector<SessionSummary>> summaries(SessionId first, SessionId last, bool with_spaces = true);
  /** All but the trashed ones. */
  Result<std::vector<SessionSummary>> untrashed(bool with_spaces);
  Result<std::optional<Owner>> owner(SessionId id);

  // Parts of a transaction that the caller began.
  Status set_owner(SessionId id, const std::optional<Owner>& owner);
  Status write_status(SessionId id, const SessionStatus& status);

  /** A transaction of its own. @param sql takes the text and the session's id */
  Status set_text(SessionId id, std::string_view sql, std::string_view text);

  Error no_session(SessionId id) const;
  /** A value in the file that the schema does not allow. */
  Error damaged(std::string_view what) const;

  /** The status of `query` once all its rows were read, or why not. */
  template <typename T>
  static Result<T> finish(const sqlite::Query& query, T value) {
    if (Status read = query.status(); !read) return std::unexpected(read.error());
    return value;
  }

  sqlite::Database database;
  std::map<SessionId, bool> real_measurements;  ///< never changes in the life of a session
  bool synchronous_full = true;
};

}  // namespace kernelscape
