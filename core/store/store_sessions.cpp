#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <ctime>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/base/text.h"
#include "core/store/connection.h"

namespace kernelscape {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

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

constexpr int status_columns_start = 20;
constexpr int owner_columns_start = 30;
constexpr int annotation_columns_start = 33;

SessionStatus read_status(const sqlite::Query& row) {
  SessionStatus status;
  int column = status_columns_start;
  status.state = static_cast<SessionState>(row.integer(column++));
  status.state_reason = row.text(column++);
  status.trial_count = row.integer(column++);
  status.best_trial = row.integer(column++);
  status.best_seconds = row.real(column++);
  status.session_seconds = row.real(column++);
  status.search_seconds = row.real(column++);
  status.build_seconds = row.real(column++);
  status.run_seconds = row.real(column++);
  status.vendor_json = row.text(column++);
  return status;
}

std::optional<Owner> read_owner(const sqlite::Query& row, int first_column) {
  if (row.is_null(first_column)) return std::nullopt;
  return Owner{row.integer(first_column), row.text(first_column + 1), row.integer(first_column + 2)};
}

SessionAnnotation read_annotation(const sqlite::Query& row, int first_column) {
  SessionAnnotation annotation;
  std::istringstream tags(row.text(first_column));
  for (std::string tag; std::getline(tags, tag);) annotation.tags.push_back(tag);
  annotation.note = row.text(first_column + 1);
  annotation.trashed = row.integer(first_column + 2) != 0;
  return annotation;
}

SessionSummary read_summary(const sqlite::Query& row) {
  SessionSummary summary{read_record(row), read_status(row), read_owner(row, owner_columns_start),
                         read_annotation(row, annotation_columns_start)};
  // A process that was killed could not say so.
  const bool running = summary.status.state == SessionState::Running;
  if (running && !(summary.owner && summary.owner->alive())) summary.status.state = SessionState::Interrupted;
  return summary;
}

/** Newest first. */
constexpr std::string_view select_summaries = R"sql(
  SELECT id, name, created_utc, program_version, task_name, task_json, target_name, target_json, template_name,
    template_version, CASE WHEN ?3 THEN space_json ELSE '' END, space_fingerprint, tuner, settings_json, options_json, budget_json, seed, batch_size,
    history_json, real_measurements, state, state_reason, trial_count, best_trial, best_seconds, session_seconds,
    search_seconds, build_seconds, run_seconds, vendor_json, owner_process_id, owner_boot_id, owner_process_start,
    tags, note, trashed
  FROM session JOIN status ON status.session = session.id
  WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC)sql";

Status refuse_living(const std::optional<Owner>& owner, SessionId id, std::string_view what) {
  if (!owner || !owner->alive()) return {};
  return fail(ErrorCode::Refused,
              fmt::format("session {} cannot be {}: process {} runs it", id, what, owner->process_id),
              fmt::format("wait for it, or end it: kill -INT {}", owner->process_id));
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
  throw std::invalid_argument("a session state that does not exist");
}

Result<std::vector<SessionSummary>> Store::Connection::summaries(SessionId first, SessionId last,
                                                                 bool with_spaces) {
  std::vector<SessionSummary> all;
  sqlite::Query query = database.query(select_summaries);
  query.bind(first).bind(last).bind(std::int64_t{with_spaces});
  while (query.next()) {
    all.push_back(read_summary(query));
    if (all.back().status.state > SessionState::Failed)
      return std::unexpected(damaged("an unknown session state"));
  }
  return finish(query, std::move(all));
}

Status Store::Connection::write_status(SessionId id, const SessionStatus& status) {
  sqlite::Query query = database.query(
      "UPDATE status SET state = ?, state_reason = ?, trial_count = ?, best_trial = ?, best_seconds = ?, "
      "session_seconds = ?, search_seconds = ?, build_seconds = ?, run_seconds = ?, vendor_json = ? "
      "WHERE session = ?");
  query.bind(static_cast<std::int64_t>(status.state)).bind(status.state_reason);
  query.bind(status.trial_count)
      .bind(status.best_trial)
      .bind(status.best_seconds)
      .bind(status.session_seconds);
  query.bind(status.search_seconds)
      .bind(status.build_seconds)
      .bind(status.run_seconds)
      .bind(status.vendor_json);
  if (Status written = query.bind(id).run(); !written) return written;
  if (database.changes() == 0) return std::unexpected(no_session(id));
  return {};
}

Result<std::optional<Owner>> Store::Connection::owner(SessionId id) {
  sqlite::Query query = database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start FROM status WHERE session = ?");
  query.bind(id);
  if (query.next()) return read_owner(query, 0);
  Status read = query.status();
  return std::unexpected(read ? no_session(id) : read.error());
}

Status Store::Connection::set_owner(SessionId id, const std::optional<Owner>& owner) {
  sqlite::Query query = database.query(
      "UPDATE status SET owner_process_id = ?, owner_boot_id = ?, owner_process_start = ? WHERE session = ?");
  if (owner) {
    query.bind(owner->process_id).bind(owner->boot_id).bind(owner->process_start);
  } else {
    query.bind_null().bind_null().bind_null();
  }
  return query.bind(id).run();
}

Result<SessionId> Store::create_session(const SessionRecord& record, const Owner& owner) {
  sqlite::Database& database = connection_->database;
  auto transaction = connection_->begin(record.real_measurements);
  if (!transaction) return std::unexpected(transaction.error());
  const std::string created_utc = now_utc();
  sqlite::Query session = database.query(
      "INSERT INTO session (name, created_utc, program_version, task_name, task_json, target_name, "
      "target_json, "
      "template_name, template_version, space_json, space_fingerprint, tuner, "
      "settings_json, options_json, "
      "budget_json, seed, batch_size, history_json, real_measurements) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  session.bind(record.name).bind(created_utc).bind(record.program_version);
  session.bind(record.task_name).bind(record.task_json).bind(record.target_name).bind(record.target_json);
  session.bind(record.template_name).bind(std::int64_t{record.template_version});
  session.bind(record.space_json).bind(std::bit_cast<std::int64_t>(record.space_fingerprint));
  session.bind(record.tuner).bind(record.settings_json).bind(record.options_json).bind(record.budget_json);
  session.bind(std::bit_cast<std::int64_t>(record.seed)).bind(record.batch_size).bind(record.history_json);
  session.bind(std::int64_t{record.real_measurements});
  if (Status inserted = session.run(); !inserted) return std::unexpected(inserted.error());
  const SessionId id = database.last_insert_id();

  sqlite::Query status = database.query(
      "INSERT INTO status (session, state, state_reason, trial_count, best_trial, best_seconds, "
      "session_seconds, "
      "search_seconds, build_seconds, run_seconds, vendor_json) VALUES (?, 0, '', 0, -1, 0, 0, 0, 0, 0, '')");
  if (Status inserted = status.bind(id).run(); !inserted) return std::unexpected(inserted.error());
  if (Status owned = connection_->set_owner(id, owner); !owned) return std::unexpected(owned.error());
  if (Status committed = transaction->commit(); !committed) return std::unexpected(committed.error());
  return id;
}

Status Store::claim_session(SessionId id, const Owner& owner) {
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  const auto current = connection_->owner(id);
  if (!current) return std::unexpected(current.error());
  if (Status free = refuse_living(*current, id, "taken"); !free) return free;
  if (Status owned = connection_->set_owner(id, owner); !owned) return owned;
  return transaction->commit();
}

Status Store::release_session(SessionId id, const Owner& owner) {
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  const auto current = connection_->owner(id);
  if (!current) return std::unexpected(current.error());
  if (*current != owner) {
    return fail(ErrorCode::Refused,
                fmt::format("session {} cannot be released by process {}: it owns it no longer", id,
                            owner.process_id),
                "another process has taken the session over");
  }
  if (Status freed = connection_->set_owner(id, std::nullopt); !freed) return freed;
  return transaction->commit();
}

Result<std::vector<SessionSummary>> Store::Connection::untrashed(bool with_spaces) {
  auto all =
      summaries(std::numeric_limits<SessionId>::min(), std::numeric_limits<SessionId>::max(), with_spaces);
  if (all) std::erase_if(*all, [](const SessionSummary& session) { return session.annotation.trashed; });
  return all;
}

Result<std::vector<SessionSummary>> Store::sessions() const { return connection_->untrashed(true); }

Result<std::vector<SessionSummary>> Store::session_list() const { return connection_->untrashed(false); }

Result<SessionSummary> Store::session(SessionId id) const {
  auto found = connection_->summaries(id, id);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return std::unexpected(connection_->no_session(id));
  return std::move(found->front());
}

Result<SessionId> Store::find_session(std::string_view id_or_name) const {
  SessionId id = 0;
  const char* end = id_or_name.data() + id_or_name.size();
  const auto [parsed_end, error] = std::from_chars(id_or_name.data(), end, id);
  const bool is_number = error == std::errc() && parsed_end == end;

  std::vector<SessionId> matches;
  std::vector<std::string> descriptions;
  std::set<std::string> names;
  sqlite::Query query = connection_->database.query(
      "SELECT id, name, created_utc FROM session WHERE trashed = 0 ORDER BY id DESC");
  while (query.next()) {
    const SessionId candidate = query.integer(0);
    const std::string name = query.text(1);
    if (is_number && candidate == id) return id;
    if (name == id_or_name) {
      matches.push_back(candidate);
      descriptions.push_back(fmt::format("{} ({})", candidate, query.text(2)));
    }
    names.insert(name);
  }
  if (Status read = query.status(); !read) return std::unexpected(read.error());
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} sessions are named '{}'", matches.size(), id_or_name),
                fmt::format("name one by its number: {}", join(descriptions, ", ")));
  }
  const std::vector<std::string> known(names.begin(), names.end());
  return fail(
      ErrorCode::NotFound, fmt::format("the database {} has no session '{}'", path().string(), id_or_name),
      known.empty() ? "it has no sessions yet; kernelscape tune makes one" : suggest(id_or_name, known));
}

Status Store::delete_session(SessionId id) {
  auto transaction = connection_->begin(true);
  if (!transaction) return std::unexpected(transaction.error());
  const auto current = connection_->owner(id);
  if (!current) return std::unexpected(current.error());
  if (Status free = refuse_living(*current, id, "deleted"); !free) return free;
  sqlite::Database& database = connection_->database;
  if (Status deleted = database.query("DELETE FROM session WHERE id = ?").bind(id).run(); !deleted)
    return deleted;
  // Messages may be shared with other sessions.
  Status tidied = database
                      .query(
                          "DELETE FROM message WHERE NOT EXISTS (SELECT 1 FROM trial "
                          "WHERE trial.message IS NOT NULL AND trial.message = message.id)")
                      .run();
  return tidied ? transaction->commit() : tidied;
}

Status Store::update_status(SessionId id, const SessionStatus& status) {
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  if (Status written = connection_->write_status(id, status); !written) return written;
  return transaction->commit();
}

Status Store::Connection::set_text(SessionId id, std::string_view sql, std::string_view text) {
  auto transaction = begin(true);
  if (!transaction) return std::unexpected(transaction.error());
  if (Status updated = database.query(sql).bind(text).bind(id).run(); !updated) return updated;
  if (database.changes() == 0) return std::unexpected(no_session(id));
  return transaction->commit();
}

Status Store::update_budget(SessionId id, const std::string& budget_json) {
  return connection_->set_text(id, "UPDATE session SET budget_json = ? WHERE id = ?", budget_json);
}

Status Store::trash_session(SessionId id) {
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  const auto current = connection_->owner(id);
  if (!current) return std::unexpected(current.error());
  if (Status free = refuse_living(*current, id, "deleted"); !free) return free;
  sqlite::Database& database = connection_->database;
  const Status trashed = database.query("UPDATE session SET trashed = 1 WHERE id = ?").bind(id).run();
  return trashed ? transaction->commit() : trashed;
}

Status Store::restore_trashed(SessionId id) {
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  sqlite::Database& database = connection_->database;
  const Status restored = database.query("UPDATE session SET trashed = 0 WHERE id = ?").bind(id).run();
  return restored ? transaction->commit() : restored;
}

Result<std::vector<SessionId>> Store::trashed_sessions() const {
  std::vector<SessionId> ids;
  sqlite::Query query = connection_->database.query("SELECT id FROM session WHERE trashed = 1 ORDER BY id");
  while (query.next()) ids.push_back(query.integer(0));
  return Connection::finish(query, std::move(ids));
}

Status Store::set_note(SessionId id, const std::string& note) {
  return connection_->set_text(id, "UPDATE session SET note = ? WHERE id = ?", note);
}

Status Store::set_tags(SessionId id, std::span<const std::string> tags) {
  std::string lines;
  for (const std::string& tag : tags) {
    if (tag.empty() || tag.contains('\n'))
      return fail(ErrorCode::InvalidArgument, "a tag is empty or has more than one line",
                  "write it as a few words");
    lines += tag + '\n';
  }
  return connection_->set_text(id, "UPDATE session SET tags = ? WHERE id = ?", lines);
}

Status Store::set_name(SessionId id, const std::string& name) {
  return connection_->set_text(id, "UPDATE session SET name = ? WHERE id = ?", name);
}

}  // namespace kernelscape
