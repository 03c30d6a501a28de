#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

std::int64_t notice_checksum(SessionId id, std::int64_t position, const trial::SessionNotice& notice) {
  RowBytes bytes;
  bytes.integers({id, position}).reals({notice.session_seconds}).text(notice.kind).text(notice.text);
  return bytes.take_checksum();
}

std::int64_t measure_checksum(std::string_view machine, std::string_view kind, std::string_view json) {
  RowBytes bytes;
  return bytes.text(machine).text(kind).text(json).take_checksum();
}

std::int64_t study_measure_checksum(StudyId id, std::string_view kind, std::string_view json) {
  RowBytes bytes;
  return bytes.integers({id}).text(kind).text(json).take_checksum();
}

std::int64_t insight_checksum(SessionId id, std::int64_t trial, std::string_view kind,
                              std::string_view json) {
  RowBytes bytes;
  return bytes.integers({id, trial}).text(kind).text(json).take_checksum();
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

}  // namespace

Status Store::add_notice(SessionId id, const trial::SessionNotice& notice) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Database& database = connection_->database;
  trial::SessionNotice kept = notice;
  kept.text = shortened(notice.text);
  if (TRY(was_said(database, id, kept.text))) return transaction.commit();
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

Result<std::vector<trial::SessionNotice>> Store::notices(SessionId id) const {
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

Result<std::optional<std::string>> Store::machine_measure(std::string_view machine,
                                                          std::string_view kind) const {
  sqlite::Query query = connection_->database.query(
      "SELECT json, checksum FROM machine_measure WHERE machine = ? AND kind = ?");
  query.bind(machine).bind(kind);
  std::optional<std::string> json;
  if (query.next()) {
    json = query.text(0);
    if (!matches(query, 1, measure_checksum(machine, kind, *json), true))
      return std::unexpected(connection_->damaged(
          fmt::format("a measurement of a machine ({}) differs from what was stored", kind)));
  }
  return Connection::finish(query, std::move(json));
}

Status Store::save_machine_measure(std::string_view machine, std::string_view kind, std::string_view json) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO machine_measure (machine, kind, json, measured_utc, checksum) "
      "VALUES (?, ?, ?, ?, ?)");
  const std::string now = stored_time();
  insert.bind(machine).bind(kind).bind(json).bind(now);
  TRY(insert.bind(measure_checksum(machine, kind, json)).run());
  return transaction.commit();
}

Result<std::optional<std::string>> Store::study_measure(StudyId id, std::string_view kind) const {
  sqlite::Query query =
      connection_->database.query("SELECT json, checksum FROM study_measure WHERE study = ? AND kind = ?");
  query.bind(id).bind(kind);
  std::optional<std::string> json;
  if (query.next()) {
    json = query.text(0);
    if (!matches(query, 1, study_measure_checksum(id, kind, *json), true))
      return std::unexpected(connection_->damaged(
          fmt::format("a measurement of study {} ({}) differs from what was stored", id, kind)));
  }
  return Connection::finish(query, std::move(json));
}

Status Store::save_study_measure(StudyId id, std::string_view kind, std::string_view json) {
  TRY(study(id));
  auto transaction = TRY(connection_->begin(true));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO study_measure (study, kind, json, measured_utc, checksum) "
      "VALUES (?, ?, ?, ?, ?)");
  const std::string now = stored_time();
  insert.bind(id).bind(kind).bind(json).bind(now);
  TRY(insert.bind(study_measure_checksum(id, kind, json)).run());
  return transaction.commit();
}

Result<std::optional<std::string>> Store::trial_insight(SessionId id, std::int64_t trial,
                                                        std::string_view kind) const {
  sqlite::Query query = connection_->database.query(
      "SELECT json, checksum FROM trial_insight WHERE session = ? AND trial = ? AND kind = ?");
  query.bind(id).bind(trial).bind(kind);
  std::optional<std::string> json;
  if (query.next()) {
    json = query.text(0);
    if (!matches(query, 1, insight_checksum(id, trial, kind, *json), true))
      return std::unexpected(connection_->damaged(fmt::format(
          "an analysis of trial {} of session {} ({}) differs from what was stored", trial, id, kind)));
  }
  return Connection::finish(query, std::move(json));
}

Status Store::save_trial_insight(SessionId id, std::int64_t trial, std::string_view kind,
                                 std::string_view json) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO trial_insight (session, trial, kind, json, checksum) VALUES (?, ?, ?, ?, ?)");
  insert.bind(id).bind(trial).bind(kind).bind(json);
  TRY(insert.bind(insight_checksum(id, trial, kind, json)).run());
  return transaction.commit();
}

}  // namespace kernelscape::store
