#include "core/store/notices.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"
#include "core/trial/field_table.h"
#include "core/trial/slow_phase_notice.h"

namespace kernelscape::store {
namespace {

std::int64_t notice_checksum(SessionId id, std::int64_t position, const trial::SessionNotice& notice) {
  RowBytes bytes;
  bytes.integers({id, position}).reals({notice.session_seconds}).text(notice.kind).text(notice.text);
  return bytes.take_checksum();
}

/** Returns the beginning of a text, cut at a character boundary. */
std::string_view shortened(std::string_view text) {
  if (text.size() <= max_notice_bytes) return text;
  std::size_t end = max_notice_bytes;
  constexpr unsigned continuation_mask = 0xC0;
  constexpr unsigned continuation = 0x80;
  while (end > max_notice_bytes - 3 &&
         (static_cast<unsigned char>(text[end]) & continuation_mask) == continuation)
    --end;
  return text.substr(0, end);
}

/** Returns the position of the next notice of a session. */
Result<std::int64_t> next_position(sqlite::Database& database, SessionId id) {
  sqlite::Query last =
      database.query("SELECT coalesce(max(position), -1) FROM session_notice WHERE session = ?");
  last.bind(id);
  const std::int64_t position = last.next() ? last.integer(0) + 1 : 0;
  TRY(last.status());
  return position;
}

/** Returns true if a session has the notice already. */
Result<bool> was_said(sqlite::Database& database, SessionId id, std::string_view text) {
  sqlite::Query same = database.query("SELECT 1 FROM session_notice WHERE session = ? AND text = ?");
  same.bind(id).bind(text);
  const bool any = same.next();
  TRY(same.status());
  return any;
}

/** Returns the position of the notice of a slow phase that goes on in a later one; nullopt if there is none.
 */
Result<std::optional<std::int64_t>> continued_notice(sqlite::Database& database, SessionId id,
                                                     trial::SessionNotice& later) {
  sqlite::Query query = database.query(
      "SELECT position, text, first_seconds FROM session_notice WHERE session = ? AND kind = ?");
  query.bind(id).bind(trial::machine_notice);
  std::optional<std::int64_t> position;
  while (query.next()) {
    if (!trial::continues_phase(later, {std::string(trial::machine_notice), query.text(1), 0})) continue;
    position = query.integer(0);
    later.session_seconds = query.real(2);
  }
  TRY(query.status());
  return position;
}

Status replace_notice(sqlite::Database& database, SessionId id, std::int64_t position,
                      const trial::SessionNotice& notice) {
  sqlite::Query update =
      database.query("UPDATE session_notice SET text = ?, checksum = ? WHERE session = ? AND position = ?");
  update.bind(notice.text).bind(notice_checksum(id, position, notice)).bind(id).bind(position);
  return update.run();
}

}  // namespace

Status Notices::add(SessionId id, const trial::SessionNotice& notice) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Database& database = connection_->database;
  trial::SessionNotice kept = notice;
  kept.text = shortened(notice.text);
  if (TRY(was_said(database, id, kept.text))) return transaction.commit();
  if (const auto continued = TRY(continued_notice(database, id, kept))) {
    TRY(replace_notice(database, id, *continued, kept));
    return transaction.commit();
  }
  const auto position = TRY(next_position(database, id));
  if (position >= max_session_notices) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} has {} notices, the maximum for a session", id, max_session_notices),
                "the first notices are kept; later ones are only shown while the session runs");
  }
  sqlite::Query insert = database.query(
      "INSERT INTO session_notice (session, position, kind, text, first_seconds, checksum) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(id).bind(position).bind(kept.kind).bind(kept.text).bind(kept.session_seconds);
  TRY(insert.bind(notice_checksum(id, position, kept)).run());
  return transaction.commit();
}

Result<std::vector<trial::SessionNotice>> Notices::of(SessionId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT position, kind, text, first_seconds, checksum FROM session_notice WHERE session = ? "
      "ORDER BY position");
  query.bind(id);
  std::vector<trial::SessionNotice> notices;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("notices of session {}: {}", id, shares_content)));
    trial::SessionNotice notice{query.text(1), query.text(2), query.real(3)};
    if (!trial::plausible_seconds(notice.session_seconds) ||
        !matches(query, 4, notice_checksum(id, query.integer(0), notice), true)) {
      return std::unexpected(
          connection_->damaged(fmt::format("a notice of session {} differs from what was stored", id)));
    }
    notices.push_back(std::move(notice));
  }
  return Connection::finish(query, std::move(notices));
}

}  // namespace kernelscape::store
