#include "core/store/connection.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace kernelscape::store {
namespace {

std::string view_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

}  // namespace

Result<sqlite::Transaction> Connection::begin(bool durable) {
  // A nested transaction inherits the setting of the outer one.
  if (!database.in_transaction() && durable != synchronous_full) {
    // A short log is overwritten repeatedly, which syncs faster than a growing log; without a sync at every
    // commit, the cost of checkpoints dominates.
    const std::string settings = durable ? "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000"
                                         : "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000";
    TRY(database.execute(settings));
    synchronous_full = durable;
  }
  return sqlite::Transaction::begin(database);
}

Result<sqlite::Transaction> Connection::begin_session(SessionId id) {
  auto known = real_measurements.find(id);
  if (known == real_measurements.end()) {
    sqlite::Query query = database.query("SELECT real_measurements FROM session WHERE id = ?");
    query.bind(id);
    if (!query.next()) {
      Status read = query.status();
      return std::unexpected(read ? no_session(id) : read.error());
    }
    known = real_measurements.emplace(id, query.integer(0) != 0).first;
  }
  return begin(known->second);
}

Status Connection::check_numbers_left(std::string_view last_number, std::string_view things) {
  // The next number is still below 2^31 in the condition of a session's trials.
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 2;
  const auto last = TRY(database.integer(last_number));
  if (last < most) return {};
  return fail(ErrorCode::Refused,
              fmt::format("the database {} has no unused ids for more {}: the last id was {}",
                          database.path().string(), things, last),
              "name another database with --db, then export from this one and import there");
}

Status Connection::set_text(std::int64_t id, std::string_view sql, std::string_view text,
                            const Error& missing) {
  auto transaction = TRY(begin(true));
  TRY(database.query(sql).bind(text).bind(id).run());
  if (database.changes() == 0) return std::unexpected(missing);
  return transaction.commit();
}

Result<Connection::KeptRecording*> Connection::kept_recording(RecordingId id) {
  if (const auto known = recordings.find(id); known != recordings.end()) return &known->second;
  sqlite::Query query = database.query("SELECT name, bytes FROM recording WHERE id = ?");
  query.bind(id);
  if (!query.next()) {
    TRY(query.status());
    return fail(ErrorCode::NotFound,
                fmt::format("the database {} has no recorded space {}", database.path().string(), id),
                "it may have been deleted; import its file again");
  }
  const std::string name = fmt::format("{} of the database {}", query.text(0), database.path().string());
  auto read = TRY(trial::Recording::from_bytes(view_of(query.blob(1)), name));
  return &recordings.emplace(id, KeptRecording{std::move(read), {}}).first->second;
}

Status Connection::sweep(std::span<const RecordingId> unused) {
  TRY(database
          .query("DELETE FROM message WHERE NOT EXISTS (SELECT 1 FROM trial "
                 "WHERE trial.message IS NOT NULL AND trial.message = message.id) "
                 "AND NOT EXISTS (SELECT 1 FROM trial "
                 "WHERE trial.build_log IS NOT NULL AND trial.build_log = message.id)")
          .run());
  TRY(database
          .query("DELETE FROM space WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.space = space.id)")
          .run());
  TRY(database
          .query("DELETE FROM project WHERE NOT EXISTS "
                 "(SELECT 1 FROM session WHERE session.project IS NOT NULL AND session.project = project.id)")
          .run());
  // A recording that was just added and waits for its first session is kept.
  sqlite::Query recording = database.query(
      "DELETE FROM recording WHERE id = ? AND NOT EXISTS "
      "(SELECT 1 FROM session WHERE session.recording = recording.id)");
  for (const RecordingId id : unused) TRY(recording.bind(id).run());
  return {};
}

Error Connection::no_session(SessionId id) const {
  return {ErrorCode::NotFound, fmt::format("the database {} has no session {}", database.path().string(), id),
          "`kernelscape sessions` lists its sessions"};
}

Error Connection::damaged(std::string_view what) const {
  return sqlite::make_error(SQLITE_CORRUPT, what, database.subject());
}

}  // namespace kernelscape::store
