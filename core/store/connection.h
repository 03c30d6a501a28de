#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/store/identifiers.h"
#include "core/store/reading.h"
#include "core/store/sqlite.h"
#include "core/trial/recording.h"

namespace kernelscape::store {

/** An open database, and what all repositories share of it. */
struct Connection {
  explicit Connection(sqlite::Database opened, std::unique_ptr<EmptyLog> made_log = nullptr)
      : log(std::move(made_log)), database(std::move(opened)) {}
  explicit Connection(OpenedToRead opened)
      : snapshot(opened.snapshot), log(std::move(opened.log)), database(std::move(opened.database)) {}

  /** Begins a write transaction. @param durable the commit survives a loss of power */
  Result<sqlite::Transaction> begin(bool durable);
  /**
   * Begins a write transaction for a session. It is durable if the session takes real measurements. Returns
   * NotFound if the session does not exist.
   */
  Result<sqlite::Transaction> begin_session(SessionId id);

  /**
   * Returns Refused if a table has no unused row numbers left. No number is assigned twice, and the numbers
   * of sessions and recorded spaces are stored in the upper half of other numbers. @param last_number SQL
   * that reads the last number. @param things "sessions"
   */
  Status check_numbers_left(std::string_view last_number, std::string_view things);
  /** Removes the texts and recordings that only deleted sessions used. */
  Status sweep(std::span<const RecordingId> recordings);

  /**
   * Sets a text in a separate transaction. @param sql takes the text and the id as parameters. @param missing
   * the error that is returned if no row has the id
   */
  Status set_text(std::int64_t id, std::string_view sql, std::string_view text, const Error& missing);

  /** A recorded space that was read from the database. */
  struct KeptRecording {
    std::shared_ptr<const trial::Recording> recording;
    std::vector<double> finished_seconds;  ///< by row, for the recording as a session; empty until needed
  };
  /**
   * Returns a recording, which is read on first use. The pointer stays valid while the store is open. Returns
   * NotFound if the recording does not exist.
   */
  Result<KeptRecording*> kept_recording(RecordingId id);

  Error no_session(SessionId id) const;  ///< returns NotFound and names the database
  /** Returns the error for a value in the file that the schema does not allow. */
  Error damaged(std::string_view what) const;

  /** Returns `value` if all rows of `query` were read, or else the error of `query`. */
  template <typename T>
  static Result<T> finish(const sqlite::Query& query, T value) {
    TRY(query.status());
    return value;
  }

  bool snapshot = false;          ///< see Store::is_snapshot()
  std::unique_ptr<EmptyLog> log;  ///< destroyed after the database
  sqlite::Database database;
  std::map<SessionId, bool> real_measurements;  ///< whether a session takes real measurements; never changes
                                                ///< during the life of a session
  std::map<RecordingId, KeptRecording> recordings;
  bool synchronous_full = true;
};

}  // namespace kernelscape::store
