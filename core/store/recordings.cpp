#include "core/store/recordings.h"

#include <fmt/format.h>

#include <bit>

#include "core/store/connection.h"

namespace kernelscape::store {

Result<std::optional<RecordingId>> Recordings::find(const trial::Recording& recording) const {
  const std::string_view bytes = recording.bytes();
  sqlite::Query find = connection_->database.query("SELECT id FROM recording WHERE hash = ? AND bytes = ?");
  find.bind(std::bit_cast<std::int64_t>(recording.hash())).bind_blob(bytes.data(), bytes.size());
  std::optional<RecordingId> found;
  if (find.next()) found = find.integer(0);
  return Connection::finish(find, found);
}

Result<RecordingId> Recordings::add(const trial::Recording& recording) {
  sqlite::Database& database = connection_->database;
  const std::string_view bytes = recording.bytes();
  const auto max_bytes = static_cast<std::size_t>(sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1));
  constexpr std::size_t row_overhead = 1 << 16;
  if (bytes.size() + row_overhead > max_bytes) {
    return fail(ErrorCode::Refused,
                fmt::format("the recorded space {} has {} bytes; a database keeps at most {}",
                            recording.header().name, bytes.size(), max_bytes - row_overhead),
                "record fewer configurations or fewer samples of each");
  }
  auto transaction = TRY(connection_->begin(true));
  const auto hash = std::bit_cast<std::int64_t>(recording.hash());
  if (const auto known = TRY(find(recording))) return *known;
  TRY(connection_->check_numbers_left(
      "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'recording'), 0), "
      "coalesce((SELECT max(id) FROM recording), 0))",
      "recorded spaces"));
  sqlite::Query insert = database.query("INSERT INTO recording (hash, name, bytes) VALUES (?, ?, ?)");
  insert.bind(hash).bind(recording.header().name).bind_blob(bytes.data(), bytes.size());
  TRY(insert.run());
  const RecordingId id = database.last_insert_id();
  TRY(transaction.commit());
  return id;
}

Result<std::shared_ptr<const trial::Recording>> Recordings::get(RecordingId id) const {
  const auto kept = TRY(connection_->kept_recording(id));
  return kept->recording;
}

}  // namespace kernelscape::store
