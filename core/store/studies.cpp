#include "core/store/studies.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <tuple>

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/session_status.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

constexpr int study_annotation_start = 6;
constexpr int study_owner_start = 9;
constexpr int count_columns_start = 12;

/** Selects studies, newest first. */
constexpr std::string_view select_studies = R"sql(
  SELECT study.id, name, created_utc, program_version, study_json, run_count, tags, note, trashed,
    owner_process_id, owner_boot_id, owner_process_start, coalesce(done, 0), coalesce(failed, 0)
  FROM study LEFT JOIN (
    SELECT study_run.study AS counted, sum(error = '' AND state = 2) AS done,
      sum(error <> '' OR coalesce(state = 3, 0)) AS failed
    FROM study_run LEFT JOIN status ON status.session = study_run.session
    WHERE study_run.study BETWEEN ?1 AND ?2 GROUP BY study_run.study
  ) ON counted = study.id
  WHERE study.id BETWEEN ?1 AND ?2 AND (NOT ?3 OR trashed = 0) ORDER BY study.id DESC)sql";

constexpr NamedTable study_names{
    .one = "study",
    .many = "studies",
    .count_of_id = "SELECT 1 FROM study WHERE id = ? AND trashed = 0",
    .select_names = "SELECT id, name, created_utc FROM study WHERE trashed = 0 ORDER BY id DESC",
    .empty_hint = "it has no studies yet; `kernelscape study` creates one",
    .list_command = "kernelscape study --list"};

std::string named_study(StudyId id) { return fmt::format("study {}", id); }

Sound<StudySummary> read_study(const sqlite::Query& row) {
  if (!plausible_count<std::int64_t>(row.integer(5), max_study_runs))
    return std::unexpected("its number of runs is out of range");
  StudySummary summary;
  summary.record = {row.integer(0), row.text(1), row.text(2), row.text(3), row.text(4), row.integer(5)};
  summary.annotation = annotation_from_row(row, study_annotation_start);
  summary.owner = owner_from_row(row, study_owner_start);
  summary.done_runs = row.integer(count_columns_start);
  summary.failed_runs = row.integer(count_columns_start + 1);
  if (!plausible_time(summary.record.created_utc)) return std::unexpected("its creation time is invalid");
  return summary;
}

Result<std::vector<RecordingId>> recordings_of(sqlite::Database& database, StudyId study) {
  std::vector<RecordingId> ids;
  sqlite::Query query = database.query(
      "SELECT DISTINCT recording FROM study_run JOIN session ON session.id = study_run.session "
      "WHERE study = ? AND recording IS NOT NULL");
  query.bind(study);
  while (query.next()) ids.push_back(query.integer(0));
  TRY(query.status());
  return ids;
}

Status refuse_living_runs(sqlite::Database& database, StudyId study) {
  sqlite::Query query = database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start, status.session "
      "FROM study_run JOIN status ON status.session = study_run.session "
      "WHERE study = ? AND owner_process_id IS NOT NULL");
  query.bind(study);
  while (query.next()) {
    const std::string session = fmt::format("{} with its session {}", named_study(study), query.integer(3));
    TRY(refuse_living_owner(owner_from_row(query, 0), session, "deleted"));
  }
  return query.status();
}

std::int64_t study_measure_checksum(StudyId id, std::string_view kind, std::string_view json) {
  RowBytes bytes;
  return bytes.integers({id}).text(kind).text(json).take_checksum();
}

/** Returns NotFound and names the database. */
Error no_study(const sqlite::Database& database, StudyId id) {
  return {ErrorCode::NotFound, fmt::format("the database {} has no study {}", database.path().string(), id),
          "it may have been deleted"};
}

/**
 * Visits the studies numbered [first, last], newest first. A study that cannot be read is visited as a
 * Corrupt error. @param listed_only excludes trashed studies
 */
Status visit_studies(Connection& connection, StudyId first, StudyId last, bool listed_only,
                     const std::function<void(Result<StudySummary>)>& visit) {
  sqlite::Query query = connection.database.query(select_studies);
  query.bind(first).bind(last).bind(std::int64_t{listed_only});
  sqlite::HeldContent held(connection.database);
  while (query.next()) {
    if (!held.take(query.content_bytes())) {
      visit(std::unexpected(connection.damaged(
          fmt::format("study {} and those before it: {}", query.integer(0), shares_content))));
      break;
    }
    Sound<StudySummary> study = read_study(query);
    if (study) {
      visit(*std::move(study));
    } else {
      visit(
          std::unexpected(connection.damaged(fmt::format("study {}: {}", query.integer(0), study.error()))));
    }
  }
  return query.status();
}

/** Replaces the owner of a study without any check; nullopt removes the owner. */
Status set_study_owner(sqlite::Database& database, StudyId id, const std::optional<Owner>& owner) {
  sqlite::Query query = database.query(
      "UPDATE study SET owner_process_id = ?, owner_boot_id = ?, owner_process_start = ? WHERE id = ?");
  bind_owner(query, owner);
  return query.bind(id).run();
}

}  // namespace

Result<StudyId> Studies::create(const StudyRecord& record) {
  auto transaction = TRY(connection_->begin(true));
  TRY(connection_->check_numbers_left(
      "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'study'), 0), "
      "coalesce((SELECT max(id) FROM study), 0))",
      "studies"));
  const std::string created_utc = stored_time();
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO study (name, created_utc, program_version, study_json, run_count) VALUES (?, ?, ?, ?, ?)");
  insert.bind(record.name).bind(created_utc).bind(record.program_version).bind(record.study_json);
  TRY(insert.bind(record.run_count).run());
  const StudyId id = connection_->database.last_insert_id();
  TRY(transaction.commit());
  return id;
}

Status Studies::claim(StudyId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(this->owner(id));
  TRY(refuse_living_owner(current, named_study(id), "taken"));
  TRY(set_study_owner(connection_->database, id, owner));
  return transaction.commit();
}

Status Studies::release(StudyId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(this->owner(id));
  TRY(refuse_other_owner(current, owner, named_study(id)));
  TRY(set_study_owner(connection_->database, id, std::nullopt));
  return transaction.commit();
}

Result<std::optional<Owner>> Studies::owner(StudyId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start FROM study WHERE id = ?");
  query.bind(id);
  if (query.next()) return owner_from_row(query, 0);
  Status read = query.status();
  return std::unexpected(read ? no_study(connection_->database, id) : read.error());
}

Result<std::vector<StudySummary>> Studies::all(std::vector<Error>* unreadable) const {
  std::vector<StudySummary> all;
  const auto take = [&](Result<StudySummary> study) {
    if (study) {
      all.push_back(*std::move(study));
    } else if (unreadable != nullptr) {
      unreadable->push_back(std::move(study).error());
    }
  };
  TRY(visit_studies(*connection_, std::numeric_limits<StudyId>::min(), std::numeric_limits<StudyId>::max(),
                    true, take));
  return all;
}

Result<StudySummary> Studies::get(StudyId id) const {
  Result<StudySummary> found = std::unexpected(no_study(connection_->database, id));
  TRY(visit_studies(*connection_, id, id, false,
                    [&](Result<StudySummary> study) { found = std::move(study); }));
  return found;
}

Result<StudyId> Studies::find(std::string_view id_or_name) const {
  return find_by_id_or_name(connection_->database, study_names, id_or_name);
}

Result<std::vector<StudyRun>> Studies::runs(StudyId id) const {
  const auto summary = TRY(get(id));
  std::vector<StudyRun> runs(static_cast<std::size_t>(summary.record.run_count));
  for (std::size_t run = 0; run < runs.size(); ++run) runs[run].run = static_cast<std::int64_t>(run);
  sqlite::Query query = connection_->database.query(
      "SELECT run, study_run.session, error, state, state_reason, trial_count, best_trial, best_seconds, "
      "session_seconds, search_seconds, build_seconds, run_seconds, vendor_json, owner_process_id, "
      "owner_boot_id, owner_process_start, checksum "
      "FROM study_run LEFT JOIN status ON status.session = study_run.session WHERE study = ? ORDER BY run");
  query.bind(id);
  constexpr int session_column = 1;
  constexpr int run_status_start = 3;
  constexpr int run_owner_start = 13;
  constexpr int run_checksum_column = 16;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(connection_->damaged(fmt::format("runs of study {}: {}", id, shares_content)));
    const std::int64_t number = query.integer(0);
    if (number < 0 || number >= summary.record.run_count)
      return std::unexpected(connection_->damaged(fmt::format("run {} of study {}", number, id)));
    StudyRun& run = runs[static_cast<std::size_t>(number)];
    run.error = query.text(2);
    if (query.is_null(session_column)) continue;
    run.session = query.integer(session_column);
    Sound<SessionStatus> status =
        status_from_row(query, *run.session, run_status_start, run_checksum_column, false);
    if (!status) {
      run.status.state = SessionState::Failed;
      run.error = connection_->damaged(fmt::format("session {}: {}", *run.session, status.error())).message;
      run.status.state_reason = run.error;
      continue;
    }
    run.status = *std::move(status);
    interrupt_without_owner(run.status, owner_from_row(query, run_owner_start));
  }
  return Connection::finish(query, std::move(runs));
}

Status Studies::set_run_error(StudyId id, std::int64_t run, std::string_view error) {
  auto transaction = TRY(connection_->begin(true));
  std::ignore = TRY(owner(id));
  sqlite::Query set = connection_->database.query(
      "INSERT INTO study_run (study, run, error) "
      "SELECT id, ?2, ?3 FROM study WHERE id = ?1 AND ?2 BETWEEN 0 AND run_count - 1 "
      "ON CONFLICT (study, run) DO UPDATE SET error = excluded.error");
  TRY(set.bind(id).bind(run).bind(error).run());
  if (connection_->database.changes() == 0) {
    return fail(ErrorCode::NotFound, fmt::format("{} has no run {}", named_study(id), run),
                "runs are numbered from 0");
  }
  return transaction.commit();
}

Status Studies::enter_session(StudyId study, std::int64_t run, SessionId session) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Database& database = connection_->database;
  sqlite::Query enter = database.query(
      "INSERT INTO study_run (study, run, session, error) "
      "SELECT id, ?2, ?3, '' FROM study WHERE id = ?1 AND ?2 BETWEEN 0 AND run_count - 1 "
      "ON CONFLICT (study, run) DO UPDATE SET session = excluded.session, error = '' WHERE session IS NULL");
  TRY(enter.bind(study).bind(run).bind(session).run());
  if (database.changes() > 0) return transaction.commit();
  return fail(ErrorCode::Refused,
              fmt::format("run {} of study {} has a session already, or does not exist", run, study),
              "another process may run the study");
}

Status Studies::set_name(StudyId id, const std::string& name) {
  return connection_->set_text(id, "UPDATE study SET name = ? WHERE id = ?", name,
                               no_study(connection_->database, id));
}

Status Studies::set_note(StudyId id, const std::string& note) {
  return connection_->set_text(id, "UPDATE study SET note = ? WHERE id = ?", note,
                               no_study(connection_->database, id));
}

Status Studies::set_tags(StudyId id, std::span<const std::string> tags) {
  const auto lines = TRY(tags_to_text(tags));
  return connection_->set_text(id, "UPDATE study SET tags = ? WHERE id = ?", lines,
                               no_study(connection_->database, id));
}

Status Studies::trash(StudyId id) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(owner(id));
  TRY(refuse_living_owner(current, named_study(id), "deleted"));
  sqlite::Database& database = connection_->database;
  const Status trashed = database.query("UPDATE study SET trashed = 1 WHERE id = ?").bind(id).run();
  return trashed ? transaction.commit() : trashed;
}

Status Studies::restore(StudyId id) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Database& database = connection_->database;
  TRY(database.query("UPDATE study SET trashed = 0 WHERE id = ?").bind(id).run());
  if (database.changes() == 0) return std::unexpected(no_study(connection_->database, id));
  return transaction.commit();
}

Result<std::vector<StudyId>> Studies::trashed() const {
  std::vector<StudyId> ids;
  sqlite::Query query = connection_->database.query("SELECT id FROM study WHERE trashed = 1 ORDER BY id");
  while (query.next()) ids.push_back(query.integer(0));
  return Connection::finish(query, std::move(ids));
}

Status Studies::remove(StudyId id) {
  auto transaction = TRY(connection_->begin(true));
  const auto current = TRY(owner(id));
  TRY(refuse_living_owner(current, named_study(id), "deleted"));
  sqlite::Database& database = connection_->database;
  TRY(refuse_living_runs(database, id));
  const auto recordings = TRY(recordings_of(database, id));
  for (const std::string_view sql :
       {"DELETE FROM session WHERE id IN (SELECT session FROM study_run WHERE study = ?)",
        "DELETE FROM study WHERE id = ?"})
    TRY(database.query(sql).bind(id).run());
  Status swept = connection_->sweep(recordings);
  return swept ? transaction.commit() : swept;
}

Result<std::optional<std::string>> Studies::measure(StudyId id, std::string_view kind) const {
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

Status Studies::save_measure(StudyId id, std::string_view kind, std::string_view json) {
  std::ignore = TRY(get(id));
  auto transaction = TRY(connection_->begin(true));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO study_measure (study, kind, json, measured_utc, checksum) "
      "VALUES (?, ?, ?, ?, ?)");
  const std::string now = stored_time();
  insert.bind(id).bind(kind).bind(json).bind(now);
  TRY(insert.bind(study_measure_checksum(id, kind, json)).run());
  return transaction.commit();
}

}  // namespace kernelscape::store
