#include <fmt/format.h>

#include <bit>
#include <functional>
#include <limits>
#include <ranges>
#include <set>
#include <stdexcept>

#include "core/base/crc32.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {
namespace {

SessionRecord read_record(const sqlite::Query& row) {
  SessionRecord record;
  int column = 0;
  record.id = row.integer(column++);
  record.name = row.text(column++);
  record.created_utc = row.text(column++);
  record.program_version = row.text(column++);
  record.task_name = row.text(column++);
  record.task_json = row.text(column++);
  record.target_name = row.text(column++);
  record.target_json = row.text(column++);
  record.template_name = row.text(column++);
  record.template_version = static_cast<int>(row.integer(column++));
  record.space_json = row.text(column++);
  record.space_fingerprint = std::bit_cast<std::uint64_t>(row.integer(column++));
  record.tuner = row.text(column++);
  record.settings_json = row.text(column++);
  record.options_json = row.text(column++);
  record.budget_json = row.text(column++);
  record.seed = std::bit_cast<std::uint64_t>(row.integer(column++));
  record.batch_size = row.integer(column++);
  record.history_json = row.text(column++);
  record.real_measurements = row.integer(column++) != 0;
  return record;
}

constexpr int space_column = 10;
constexpr int status_columns_start = 20;
constexpr int owner_columns_start = 30;
constexpr int annotation_columns_start = 33;
constexpr int kind_columns_start = 36;
constexpr int checksum_columns_start = 40;
constexpr int project_column = 43;
constexpr int probe_columns_start = 44;

/**
 * Returns the checksum of the columns that never change. The space's text has a separate checksum, because
 * lists omit it.
 */
std::uint32_t checksum_of(const SessionRecord& record) {
  RowBytes bytes;
  bytes.text(record.created_utc).text(record.program_version).text(record.task_name).text(record.task_json);
  bytes.text(record.target_name).text(record.target_json).text(record.template_name);
  bytes.text(record.tuner).text(record.settings_json).text(record.options_json).text(record.history_json);
  bytes.text(record.origin);
  // Sessions of earlier versions have no project, and their checksums are unchanged.
  if (!record.project_hash.empty()) bytes.text(record.project_hash);
  if (record.usual_probe.known()) {
    bytes.text(record.probe_machine).integers({record.probe_version});
    bytes.reals({record.usual_probe.compute, record.usual_probe.memory});
  }
  bytes.integers({record.id, record.template_version, std::bit_cast<std::int64_t>(record.space_fingerprint),
                  std::bit_cast<std::int64_t>(record.seed), record.batch_size,
                  std::int64_t{record.real_measurements}, static_cast<std::int64_t>(record.kind),
                  record.recording});
  return bytes.take_checksum();
}

/** Reads the kind, and the recording that it needs, into the record. */
Sound<void> read_kind(const sqlite::Query& row, SessionRecord& record) {
  const std::int64_t kind = row.integer(kind_columns_start);
  if (!plausible_count<std::int64_t>(kind, static_cast<std::int64_t>(SessionKind::Imported)))
    return std::unexpected("its kind is unknown");
  record.kind = static_cast<SessionKind>(kind);
  record.recording = row.integer(kind_columns_start + 1);
  const bool needs_recording = record.kind == SessionKind::Replayed || record.kind == SessionKind::Recorded;
  if (!plausible_count<std::int32_t>(record.recording) || (record.recording != 0) != needs_recording)
    return std::unexpected("it has an unexpected recorded space, or its recorded space is missing");
  return {};
}

/** Reads the usual times of the speed probe into the record. */
Sound<void> read_usual_probe(const sqlite::Query& row, SessionRecord& record) {
  if (row.is_null(probe_columns_start + 1)) return {};
  record.probe_machine = row.text(probe_columns_start);
  const std::int64_t version = row.integer(probe_columns_start + 1);
  record.probe_version = trial::clamped<std::int32_t>(version);
  record.usual_probe = {.compute = row.real(probe_columns_start + 2),
                        .memory = row.real(probe_columns_start + 3)};
  const bool sound = record.probe_version == version && version > 0 && record.usual_probe.known() &&
                     trial::plausible_seconds(record.usual_probe.compute) &&
                     trial::plausible_seconds(record.usual_probe.memory);
  if (!sound) return std::unexpected("its usual times of the speed probe are invalid");
  return {};
}

Sound<SessionSummary> read_summary(const sqlite::Query& row, bool with_space) {
  SessionRecord record = read_record(row);
  record.origin = row.text(kind_columns_start + 3);
  record.project_hash = row.text(project_column);
  TRY(read_kind(row, record));
  TRY(read_usual_probe(row, record));
  if (!plausible_time(record.created_utc)) return std::unexpected("its creation time is invalid");
  if (record.batch_size < 0) return std::unexpected("its batch size is negative");
  const bool has_checksum = !row.is_null(checksum_columns_start);
  SessionStatus status =
      TRY(status_from_row(row, record.id, status_columns_start, checksum_columns_start + 1, has_checksum));
  // The space may have been stored by an older version.
  const bool same_space =
      !with_space || matches(row, checksum_columns_start + 2, base::crc32(record.space_json), false);
  if (!same_space || !matches(row, checksum_columns_start, checksum_of(record), false))
    return std::unexpected("its definition differs from what was stored");
  SessionSummary summary{std::move(record), std::move(status), owner_from_row(row, owner_columns_start),
                         annotation_from_row(row, annotation_columns_start)};
  if (!row.is_null(kind_columns_start + 2)) summary.study = row.integer(kind_columns_start + 2);
  interrupt_without_owner(summary.status, summary.owner);
  return summary;
}

/** Selects sessions, newest first. */
constexpr std::string_view select_summaries = R"sql(
  SELECT session.id, name, created_utc, program_version, task_name, task_json, target_name, target_json,
    template_name, template_version, CASE WHEN ?3 THEN coalesce(space.text, '') ELSE '' END, space_fingerprint,
    tuner, settings_json, options_json, budget_json, seed, batch_size, history_json, real_measurements, state,
    state_reason, trial_count, best_trial, best_seconds, session_seconds, search_seconds, build_seconds,
    run_seconds, vendor_json, owner_process_id, owner_boot_id, owner_process_start, tags, note, trashed, kind,
    recording, study_run.study, origin, session.checksum, status.checksum, space.checksum,
    coalesce(project.hash, ''), probe_machine, probe_version, usual_compute_probe_seconds,
    usual_memory_probe_seconds
  FROM session JOIN status ON status.session = session.id
    LEFT JOIN space ON space.id = session.space
    LEFT JOIN project ON project.id = session.project
    LEFT JOIN study_run ON study_run.session = session.id
  WHERE session.id BETWEEN ?1 AND ?2 AND (NOT ?4 OR (trashed = 0 AND (study_run.study IS NULL
    OR study_run.study IN (SELECT id FROM study WHERE trashed = 0
      AND study_json GLOB '{"purpose":"collection",*'))))
  ORDER BY session.id DESC)sql";

constexpr SessionId first_id = std::numeric_limits<SessionId>::min();
constexpr SessionId last_id = std::numeric_limits<SessionId>::max();

constexpr NamedTable session_names{
    .one = "session",
    .many = "sessions",
    .count_of_id = "SELECT 1 FROM session WHERE id = ? AND trashed = 0",
    .select_names =
        "SELECT id, name, created_utc FROM session WHERE trashed = 0 AND NOT EXISTS "
        "(SELECT 1 FROM study_run JOIN study ON study.id = study_run.study "
        "WHERE study_run.session = session.id AND (study.trashed = 1 "
        "OR NOT study_json GLOB '{\"purpose\":\"collection\",*')) ORDER BY id DESC",
    .empty_hint = "it has no sessions outside of studies; `kernelscape tune TASK` creates one",
    .list_command = "kernelscape sessions"};

std::string named_session(SessionId id) { return fmt::format("session {}", id); }

/** Stores the text of a space once and returns its id. */
Result<std::int64_t> store_space(sqlite::Database& database, const SessionRecord& record) {
  const auto fingerprint = std::bit_cast<std::int64_t>(record.space_fingerprint);
  sqlite::Query find = database.query("SELECT id FROM space WHERE fingerprint = ? AND text = ?");
  find.bind(fingerprint).bind(record.space_json);
  if (find.next()) return find.integer(0);
  TRY(find.status());
  sqlite::Query insert = database.query("INSERT INTO space (fingerprint, text, checksum) VALUES (?, ?, ?)");
  insert.bind(fingerprint).bind(record.space_json).bind(std::int64_t{base::crc32(record.space_json)});
  TRY(insert.run());
  return database.last_insert_id();
}

/** Stores a project once and returns its id; 0 if the session has no project. */
Result<std::int64_t> store_project(sqlite::Database& database, const SessionRecord& record) {
  if (record.project_hash.empty()) return 0;
  sqlite::Query find = database.query("SELECT id FROM project WHERE hash = ? AND json = ?");
  find.bind(record.project_hash).bind(record.project_json);
  if (find.next()) return find.integer(0);
  TRY(find.status());
  sqlite::Query insert = database.query("INSERT INTO project (hash, json, checksum) VALUES (?, ?, ?)");
  insert.bind(record.project_hash)
      .bind(record.project_json)
      .bind(std::int64_t{base::crc32(record.project_json)});
  TRY(insert.run());
  return database.last_insert_id();
}

Status store_usual_probe(sqlite::Database& database, const SessionRecord& record) {
  sqlite::Query update = database.query(
      "UPDATE session SET probe_machine = nullif(?, ''), probe_version = ?, usual_compute_probe_seconds = ?, "
      "usual_memory_probe_seconds = ? WHERE id = ?");
  update.bind(record.probe_machine).bind(std::int64_t{record.probe_version});
  return update.bind(record.usual_probe.compute).bind(record.usual_probe.memory).bind(record.id).run();
}

}  // namespace

std::string_view to_string(SessionState state) {
  switch (state) {
    case SessionState::Running:
      return "running";
    case SessionState::Interrupted:
      return "interrupted";
    case SessionState::Done:
      return "done";
    case SessionState::Failed:
      return "failed";
  }
  throw std::invalid_argument("an unknown session state");
}

std::string_view to_string(SessionKind kind) {
  switch (kind) {
    case SessionKind::Measured:
      return "measured";
    case SessionKind::Replayed:
      return "replayed";
    case SessionKind::Recorded:
      return "recorded space";
    case SessionKind::Imported:
      return "imported";
  }
  throw std::invalid_argument("an unknown kind of session");
}

bool measured_here(const SessionRecord& record) { return record.kind == SessionKind::Measured; }

std::string origin_text(const SessionRecord& record) {
  switch (record.kind) {
    case SessionKind::Measured:
      return {};
    case SessionKind::Replayed:
      return record.origin.empty()
                 ? "a replay of a recorded space, not measured here"
                 : fmt::format("a replay of the recorded space {}, not measured here", record.origin);
    case SessionKind::Recorded:
      return record.origin.empty() ? "a recorded space, not measured here"
                                   : fmt::format("a recorded space, {}, not measured here", record.origin);
    case SessionKind::Imported:
      break;
  }
  return record.origin.empty() ? "imported, not measured here"
                               : fmt::format("imported from {}, not measured here", record.origin);
}

Status Store::Connection::visit_summaries(SessionId first, SessionId last, const Selection& selection,
                                          sqlite::HeldContent& held,
                                          const std::function<void(Result<SessionSummary>)>& visit) {
  sqlite::Query query = database.query(select_summaries);
  query.bind(first).bind(last);
  query.bind(std::int64_t{selection.with_spaces}).bind(std::int64_t{selection.listed_only});
  while (query.next()) {
    if (!held.take(query.content_bytes({space_column}))) {
      visit(std::unexpected(
          damaged(fmt::format("session {} and those before it: {}", query.integer(0), shares_content))));
      break;
    }
    Sound<SessionSummary> summary = read_summary(query, selection.with_spaces);
    if (summary) {
      visit(*std::move(summary));
    } else {
      visit(std::unexpected(damaged(fmt::format("session {}: {}", query.integer(0), summary.error()))));
    }
  }
  return query.status();
}

Result<std::vector<SessionSummary>> Store::Connection::summaries(const Selection& selection,
                                                                 std::vector<Error>* unreadable) {
  std::vector<SessionSummary> all;
  const auto take = [&](Result<SessionSummary> summary) {
    if (summary) {
      all.push_back(*std::move(summary));
    } else if (unreadable != nullptr) {
      unreadable->push_back(std::move(summary).error());
    }
  };
  sqlite::HeldContent held(database);
  const Status read = visit_summaries(first_id, last_id, selection, held, take);
  if (read) return all;
  // A damaged page must not hide sessions on other pages, just as a damaged session must not hide others.
  const std::set<SessionId> ids = sessions_by_other_pages();
  if (read.error().code != ErrorCode::Corrupt || ids.empty()) return std::unexpected(read.error());
  all.clear();
  if (unreadable != nullptr) *unreadable = {read.error()};
  sqlite::HeldContent held_by_each(database);
  for (const SessionId id : std::views::reverse(ids)) {
    const Status one = visit_summaries(id, id, selection, held_by_each, take);
    if (!one)
      take(fail(one.error().code, fmt::format("session {}: {}", id, one.error().message), one.error().hint));
  }
  if (all.empty()) return std::unexpected(read.error());
  return all;
}

std::set<SessionId> Store::Connection::sessions_by_other_pages() {
  std::set<SessionId> ids;
  for (const std::string_view sql :
       {"SELECT id FROM session INDEXED BY session_name", "SELECT session FROM status"}) {
    sqlite::Query query = database.query(sql);
    while (query.next()) ids.insert(query.integer(0));
  }
  return ids;
}

Status Store::Connection::write_status(SessionId id, const SessionStatus& status) {
  sqlite::Query query = database.query(
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
  if (database.changes() == 0) return std::unexpected(no_session(id));
  return {};
}

Result<std::optional<Owner>> Store::Connection::owner(SessionId id) {
  sqlite::Query query = database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start FROM status WHERE session = ?");
  query.bind(id);
  if (query.next()) return owner_from_row(query, 0);
  Status read = query.status();
  return std::unexpected(read ? no_session(id) : read.error());
}

Status Store::Connection::set_owner(SessionId id, const std::optional<Owner>& owner) {
  sqlite::Query query = database.query(
      "UPDATE status SET owner_process_id = ?, owner_boot_id = ?, owner_process_start = ? WHERE session = ?");
  bind_owner(query, owner);
  return query.bind(id).run();
}

Result<SessionId> Store::Connection::insert_session(const SessionRecord& record, const Owner& owner) {
  TRY(check_numbers_left(
      "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'session'), 0), "
      "coalesce((SELECT max(id) FROM session), 0))",
      "sessions"));
  const auto space = TRY(store_space(database, record));
  const auto project = TRY(store_project(database, record));
  SessionRecord stored = record;
  stored.created_utc = stored_time();
  sqlite::Query session = database.query(
      "INSERT INTO session (name, created_utc, program_version, task_name, task_json, target_name, "
      "target_json, template_name, template_version, space, space_fingerprint, tuner, settings_json, "
      "options_json, budget_json, seed, batch_size, history_json, real_measurements, kind, recording, "
      "origin, project) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, nullif(?, 0))");
  session.bind(record.name).bind(stored.created_utc).bind(record.program_version);
  session.bind(record.task_name).bind(record.task_json).bind(record.target_name).bind(record.target_json);
  session.bind(record.template_name).bind(std::int64_t{record.template_version});
  session.bind(space).bind(std::bit_cast<std::int64_t>(record.space_fingerprint));
  session.bind(record.tuner).bind(record.settings_json).bind(record.options_json).bind(record.budget_json);
  session.bind(std::bit_cast<std::int64_t>(record.seed)).bind(record.batch_size).bind(record.history_json);
  session.bind(std::int64_t{record.real_measurements}).bind(static_cast<std::int64_t>(record.kind));
  TRY(session.bind(record.recording).bind(record.origin).bind(project).run());
  const SessionId id = stored.id = database.last_insert_id();
  if (stored.usual_probe.known()) TRY(store_usual_probe(database, stored));
  sqlite::Query checksum = database.query("UPDATE session SET checksum = ? WHERE id = ?");
  TRY(checksum.bind(std::int64_t{checksum_of(stored)}).bind(id).run());

  sqlite::Query status = database.query(
      "INSERT INTO status (session, state, state_reason, trial_count, best_trial, best_seconds, "
      "session_seconds, search_seconds, build_seconds, run_seconds, vendor_json, checksum) "
      "VALUES (?, 0, '', 0, -1, 0, 0, 0, 0, 0, '', ?)");
  TRY(status.bind(id).bind(std::int64_t{checksum_of(SessionStatus(), id)}).run());
  TRY(set_owner(id, owner));
  return id;
}

Result<std::string> Store::project_json(SessionId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT project.json, project.checksum FROM session JOIN project ON project.id = session.project "
      "WHERE session.id = ?");
  query.bind(id);
  if (!query.next()) {
    TRY(query.status());
    return fail(ErrorCode::NotFound,
                fmt::format("session {} does not tune a user's own kernel and has no project", id),
                "`kernelscape show` displays the project of a session");
  }
  std::string json = query.text(0);
  if (!matches(query, 1, base::crc32(json), true))
    return std::unexpected(
        connection_->damaged(fmt::format("the project of session {} differs from what was stored", id)));
  return Connection::finish(query, std::move(json));
}

Result<SessionId> Store::create_session(const SessionRecord& record, const Owner& owner) {
  auto transaction = TRY(connection_->begin(record.real_measurements));
  auto id = TRY(connection_->insert_session(record, owner));
  TRY(transaction.commit());
  return id;
}

Status Store::claim_session(SessionId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(connection_->owner(id));
  TRY(refuse_living_owner(current, named_session(id), "taken"));
  TRY(connection_->set_owner(id, owner));
  return transaction.commit();
}

Status Store::release_session(SessionId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(connection_->owner(id));
  TRY(refuse_other_owner(current, owner, named_session(id)));
  TRY(connection_->set_owner(id, std::nullopt));
  return transaction.commit();
}

Result<std::vector<SessionSummary>> Store::sessions(std::vector<Error>* unreadable) const {
  return connection_->summaries({.with_spaces = true, .listed_only = true}, unreadable);
}

Result<std::vector<SessionSummary>> Store::session_list(std::vector<Error>* unreadable) const {
  return connection_->summaries({.with_spaces = false, .listed_only = true}, unreadable);
}

Result<SessionSummary> Store::session(SessionId id) const {
  Result<SessionSummary> found = std::unexpected(connection_->no_session(id));
  sqlite::HeldContent held(connection_->database);
  TRY(connection_->visit_summaries(id, id, {}, held,
                                   [&](Result<SessionSummary> summary) { found = std::move(summary); }));
  return found;
}

Result<SessionId> Store::find_session(std::string_view id_or_name) const {
  return find_by_id_or_name(connection_->database, session_names, id_or_name);
}

Status Store::delete_session(SessionId id) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(connection_->owner(id));
  TRY(refuse_living_owner(current, named_session(id), "deleted"));
  const auto place = TRY(connection_->trial_place(id));
  sqlite::Database& database = connection_->database;
  TRY(database.query("DELETE FROM session WHERE id = ?").bind(id).run());
  Status swept = connection_->sweep({&place.recording, 1});
  return swept ? transaction.commit() : swept;
}

Status Store::Connection::sweep(std::span<const RecordingId> unused) {
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

Status Store::update_status(SessionId id, const SessionStatus& status) {
  auto transaction = TRY(connection_->begin_session(id));
  TRY(connection_->write_status(id, status));
  return transaction.commit();
}

Status Store::Connection::set_text(std::int64_t id, std::string_view sql, std::string_view text,
                                   const Error& missing) {
  auto transaction = TRY(begin(true));
  TRY(database.query(sql).bind(text).bind(id).run());
  if (database.changes() == 0) return std::unexpected(missing);
  return transaction.commit();
}

Status Store::update_budget(SessionId id, const std::string& budget_json) {
  return connection_->set_text(id, "UPDATE session SET budget_json = ? WHERE id = ?", budget_json,
                               connection_->no_session(id));
}

Status Store::set_usual_probe(SessionId id, const std::string& machine, const trial::ProbeSeconds& usual) {
  if (machine.empty() || !usual.known())
    return fail(ErrorCode::InvalidArgument, "the usual times of a session's speed probe are not known",
                "measure them first");
  auto transaction = TRY(connection_->begin_session(id));
  SessionRecord record = TRY(session(id)).record;
  record.probe_machine = machine;
  record.probe_version = kernelscape::trial::probe_version;
  record.usual_probe = usual;
  sqlite::Database& database = connection_->database;
  TRY(store_usual_probe(database, record));
  // Sessions of early versions have no checksums.
  sqlite::Query checksum =
      database.query("UPDATE session SET checksum = ? WHERE id = ? AND checksum IS NOT NULL");
  TRY(checksum.bind(std::int64_t{checksum_of(record)}).bind(id).run());
  return transaction.commit();
}

Result<std::optional<trial::ProbeSeconds>> Store::usual_probe(std::string_view machine) const {
  sqlite::Query query = connection_->database.query(
      "SELECT min(usual_compute_probe_seconds), min(usual_memory_probe_seconds) FROM (SELECT "
      "usual_compute_probe_seconds, usual_memory_probe_seconds FROM session WHERE probe_machine IS NOT NULL "
      "AND probe_machine = ? AND probe_version = ? AND kind = 0 ORDER BY id DESC LIMIT 20)");
  query.bind(machine).bind(std::int64_t{kernelscape::trial::probe_version});
  std::optional<trial::ProbeSeconds> usual;
  if (query.next() && !query.is_null(0))
    usual = trial::ProbeSeconds{.compute = query.real(0), .memory = query.real(1)};
  TRY(query.status());
  // Damaged times are no reason to refuse a new session, which measures its own.
  if (usual && !(usual->known() && trial::plausible_seconds(usual->compute) &&
                 trial::plausible_seconds(usual->memory)))
    usual.reset();
  return usual;
}

Status Store::trash_session(SessionId id) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(connection_->owner(id));
  TRY(refuse_living_owner(current, named_session(id), "deleted"));
  sqlite::Database& database = connection_->database;
  const Status trashed = database.query("UPDATE session SET trashed = 1 WHERE id = ?").bind(id).run();
  return trashed ? transaction.commit() : trashed;
}

Status Store::restore_trashed(SessionId id) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Database& database = connection_->database;
  const Status restored = database.query("UPDATE session SET trashed = 0 WHERE id = ?").bind(id).run();
  return restored ? transaction.commit() : restored;
}

Result<std::vector<SessionId>> Store::trashed_sessions() const {
  std::vector<SessionId> ids;
  sqlite::Query query = connection_->database.query("SELECT id FROM session WHERE trashed = 1 ORDER BY id");
  while (query.next()) ids.push_back(query.integer(0));
  return Connection::finish(query, std::move(ids));
}

Status Store::set_note(SessionId id, const std::string& note) {
  return connection_->set_text(id, "UPDATE session SET note = ? WHERE id = ?", note,
                               connection_->no_session(id));
}

Status Store::set_tags(SessionId id, std::span<const std::string> tags) {
  const auto lines = TRY(tags_to_text(tags));
  return connection_->set_text(id, "UPDATE session SET tags = ? WHERE id = ?", lines,
                               connection_->no_session(id));
}

Status Store::set_name(SessionId id, const std::string& name) {
  return connection_->set_text(id, "UPDATE session SET name = ? WHERE id = ?", name,
                               connection_->no_session(id));
}

}  // namespace kernelscape::store
