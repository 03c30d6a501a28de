#include "core/store/sessions.h"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <limits>
#include <ranges>
#include <set>
#include <tuple>

#include "core/base/crc32.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/session_status.h"
#include "core/store/stored_values.h"
#include "core/store/studies.h"
#include "core/store/trial_place.h"
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

struct Selection {
  bool with_spaces = true;
  bool listed_only = false;  ///< excludes trashed sessions and sessions of studies
};

/**
 * Visits the sessions numbered [first, last] that `selection` includes, newest first. A session that cannot
 * be read is visited as a Corrupt error. @param held counts the content of sessions that were visited
 * before and are still kept
 */
Status visit_summaries(Connection& connection, SessionId first, SessionId last, const Selection& selection,
                       sqlite::HeldContent& held, const std::function<void(Result<SessionSummary>)>& visit) {
  sqlite::Query query = connection.database.query(select_summaries);
  query.bind(first).bind(last);
  query.bind(std::int64_t{selection.with_spaces}).bind(std::int64_t{selection.listed_only});
  while (query.next()) {
    if (!held.take(query.content_bytes({space_column}))) {
      visit(std::unexpected(connection.damaged(
          fmt::format("session {} and those before it: {}", query.integer(0), shares_content))));
      break;
    }
    Sound<SessionSummary> summary = read_summary(query, selection.with_spaces);
    if (summary) {
      visit(*std::move(summary));
    } else {
      visit(std::unexpected(
          connection.damaged(fmt::format("session {}: {}", query.integer(0), summary.error()))));
    }
  }
  return query.status();
}

/**
 * Returns the ids of the sessions that an index and the table of session states contain, as far as these
 * can be read.
 */
std::set<SessionId> sessions_by_other_pages(sqlite::Database& database) {
  std::set<SessionId> ids;
  for (const std::string_view sql :
       {"SELECT id FROM session INDEXED BY session_name", "SELECT session FROM status"}) {
    sqlite::Query query = database.query(sql);
    while (query.next()) ids.insert(query.integer(0));
  }
  return ids;
}

/**
 * Returns all sessions of `selection` that can be read, newest first. @param unreadable gets one error for
 * each session that cannot be read; may be null
 */
Result<std::vector<SessionSummary>> read_summaries(Connection& connection, const Selection& selection,
                                                   std::vector<Error>* unreadable) {
  std::vector<SessionSummary> all;
  const auto take = [&](Result<SessionSummary> summary) {
    if (summary) {
      all.push_back(*std::move(summary));
    } else if (unreadable != nullptr) {
      unreadable->push_back(std::move(summary).error());
    }
  };
  sqlite::HeldContent held(connection.database);
  const Status read = visit_summaries(connection, first_id, last_id, selection, held, take);
  if (read) return all;
  // A damaged page must not hide sessions on other pages, just as a damaged session must not hide others.
  const std::set<SessionId> ids = sessions_by_other_pages(connection.database);
  if (read.error().code != ErrorCode::Corrupt || ids.empty()) return std::unexpected(read.error());
  all.clear();
  if (unreadable != nullptr) *unreadable = {read.error()};
  sqlite::HeldContent held_by_each(connection.database);
  for (const SessionId id : std::views::reverse(ids)) {
    const Status one = visit_summaries(connection, id, id, selection, held_by_each, take);
    if (!one)
      take(fail(one.error().code, fmt::format("session {}: {}", id, one.error().message), one.error().hint));
  }
  if (all.empty()) return std::unexpected(read.error());
  return all;
}

/**
 * Returns the owner of a session, or nullopt if the session has no owner. Returns NotFound if the session
 * does not exist.
 */
Result<std::optional<Owner>> session_owner(Connection& connection, SessionId id) {
  sqlite::Query query = connection.database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start FROM status WHERE session = ?");
  query.bind(id);
  if (query.next()) return owner_from_row(query, 0);
  Status read = query.status();
  return std::unexpected(read ? connection.no_session(id) : read.error());
}

/** Replaces the owner without any check; nullopt removes the owner. */
Status set_session_owner(sqlite::Database& database, SessionId id, const std::optional<Owner>& owner) {
  sqlite::Query query = database.query(
      "UPDATE status SET owner_process_id = ?, owner_boot_id = ?, owner_process_start = ? WHERE session = ?");
  bind_owner(query, owner);
  return query.bind(id).run();
}

/** Inserts the rows of a session in state Running without trials. Equal texts of spaces are stored once. */
Result<SessionId> insert_session(Connection& connection, const SessionRecord& record, const Owner& owner) {
  TRY(connection.check_numbers_left(
      "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'session'), 0), "
      "coalesce((SELECT max(id) FROM session), 0))",
      "sessions"));
  sqlite::Database& database = connection.database;
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
  TRY(set_session_owner(database, id, owner));
  return id;
}

}  // namespace

Result<SessionId> Sessions::create(const SessionRecord& record, const Owner& owner) {
  auto transaction = TRY(connection_->begin(record.real_measurements));
  auto id = TRY(insert_session(*connection_, record, owner));
  TRY(transaction.commit());
  return id;
}

Result<SessionId> Sessions::create(const SessionRecord& record, const Owner& owner, StudyId study,
                                   std::int64_t run) {
  auto transaction = TRY(connection_->begin(record.real_measurements));
  Studies studies(*connection_);
  std::ignore = TRY(studies.owner(study));
  auto id = TRY(insert_session(*connection_, record, owner));
  TRY(studies.enter_session(study, run, id));
  TRY(transaction.commit());
  return id;
}

Status Sessions::claim(SessionId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(session_owner(*connection_, id));
  TRY(refuse_living_owner(current, named_session(id), "taken"));
  TRY(set_session_owner(connection_->database, id, owner));
  return transaction.commit();
}

Status Sessions::release(SessionId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(session_owner(*connection_, id));
  TRY(refuse_other_owner(current, owner, named_session(id)));
  TRY(set_session_owner(connection_->database, id, std::nullopt));
  return transaction.commit();
}

Result<std::vector<SessionSummary>> Sessions::all(std::vector<Error>* unreadable) const {
  return read_summaries(*connection_, {.with_spaces = true, .listed_only = true}, unreadable);
}

Result<std::vector<SessionSummary>> Sessions::list(std::vector<Error>* unreadable) const {
  return read_summaries(*connection_, {.with_spaces = false, .listed_only = true}, unreadable);
}

Result<SessionSummary> Sessions::get(SessionId id) const {
  Result<SessionSummary> found = std::unexpected(connection_->no_session(id));
  sqlite::HeldContent held(connection_->database);
  TRY(visit_summaries(*connection_, id, id, {}, held,
                      [&](Result<SessionSummary> summary) { found = std::move(summary); }));
  return found;
}

Result<std::string> Sessions::project_json(SessionId id) const {
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

Result<SessionId> Sessions::find(std::string_view id_or_name) const {
  return find_by_id_or_name(connection_->database, session_names, id_or_name);
}

Status Sessions::remove(SessionId id) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(session_owner(*connection_, id));
  TRY(refuse_living_owner(current, named_session(id), "deleted"));
  const auto place = TRY(trial_place(*connection_, id));
  sqlite::Database& database = connection_->database;
  TRY(database.query("DELETE FROM session WHERE id = ?").bind(id).run());
  Status swept = connection_->sweep({&place.recording, 1});
  return swept ? transaction.commit() : swept;
}

Status Sessions::update_status(SessionId id, const SessionStatus& status) {
  auto transaction = TRY(connection_->begin_session(id));
  TRY(write_status(*connection_, id, status));
  return transaction.commit();
}

Status Sessions::update_budget(SessionId id, const std::string& budget_json) {
  return connection_->set_text(id, "UPDATE session SET budget_json = ? WHERE id = ?", budget_json,
                               connection_->no_session(id));
}

Status Sessions::set_usual_probe(SessionId id, const std::string& machine, const trial::ProbeSeconds& usual) {
  if (machine.empty() || !usual.known())
    return fail(ErrorCode::InvalidArgument, "the usual times of a session's speed probe are not known",
                "measure them first");
  auto transaction = TRY(connection_->begin_session(id));
  SessionRecord record = TRY(get(id)).record;
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

Status Sessions::set_name(SessionId id, const std::string& name) {
  return connection_->set_text(id, "UPDATE session SET name = ? WHERE id = ?", name,
                               connection_->no_session(id));
}

Status Sessions::set_note(SessionId id, const std::string& note) {
  return connection_->set_text(id, "UPDATE session SET note = ? WHERE id = ?", note,
                               connection_->no_session(id));
}

Status Sessions::set_tags(SessionId id, std::span<const std::string> tags) {
  const auto lines = TRY(tags_to_text(tags));
  return connection_->set_text(id, "UPDATE session SET tags = ? WHERE id = ?", lines,
                               connection_->no_session(id));
}

Status Sessions::trash(SessionId id) {
  auto transaction = TRY(connection_->begin_session(id));
  const auto current = TRY(session_owner(*connection_, id));
  TRY(refuse_living_owner(current, named_session(id), "deleted"));
  sqlite::Database& database = connection_->database;
  const Status trashed = database.query("UPDATE session SET trashed = 1 WHERE id = ?").bind(id).run();
  return trashed ? transaction.commit() : trashed;
}

Status Sessions::restore(SessionId id) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Database& database = connection_->database;
  const Status restored = database.query("UPDATE session SET trashed = 0 WHERE id = ?").bind(id).run();
  return restored ? transaction.commit() : restored;
}

Result<std::vector<SessionId>> Sessions::trashed() const {
  std::vector<SessionId> ids;
  sqlite::Query query = connection_->database.query("SELECT id FROM session WHERE trashed = 1 ORDER BY id");
  while (query.next()) ids.push_back(query.integer(0));
  return Connection::finish(query, std::move(ids));
}

}  // namespace kernelscape::store
