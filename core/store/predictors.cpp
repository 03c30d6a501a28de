#include "core/store/predictors.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <span>

#include "core/base/crc32.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

/** A row with the values that its blobs are checked with. */
struct PredictorRow {
  PredictorSummary summary;  ///< with the stored state, whether the owner is alive or not
  std::uint32_t checkpoint_checksum = 0;
  std::uint32_t file_checksum = 0;
};

/** Returns the checksum of the columns that never change. */
std::uint32_t predictor_checksum(const PredictorRecord& record) {
  RowBytes bytes;
  bytes.integers({record.id}).text(record.name).text(record.created_utc).text(record.program_version);
  bytes.text(record.template_name).text(record.isa).text(record.definition_json).text(record.origin);
  return bytes.take_checksum();
}

/** Returns the checksum of the columns that change, and of the checksums of the blobs. */
std::uint32_t predictor_state_checksum(const PredictorRow& row) {
  const PredictorSummary& summary = row.summary;
  RowBytes bytes;
  bytes.integers({summary.record.id, static_cast<std::int64_t>(summary.state), summary.byte_count,
                  row.checkpoint_checksum, row.file_checksum});
  bytes.text(summary.state_reason).text(summary.epochs_json).text(summary.hash);
  return bytes.take_checksum();
}

/** Selects predictors without the blobs, newest first. */
constexpr std::string_view select_predictors = R"sql(
  SELECT id, name, created_utc, program_version, template_name, isa, definition_json, origin, state, state_reason,
    epochs_json, hash, length(bytes), owner_process_id, owner_boot_id, owner_process_start, checksum, state_checksum,
    checkpoint_checksum, bytes_checksum
  FROM predictor WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC)sql";
constexpr int predictor_state_start = 8;
constexpr int predictor_owner_start = 13;
constexpr int predictor_checksum_start = 16;

constexpr NamedTable predictor_names{
    .one = "predictor",
    .many = "predictors",
    .count_of_id = "SELECT 1 FROM predictor WHERE id = ?",
    .select_names = "SELECT id, name, created_utc FROM predictor ORDER BY id DESC",
    .empty_hint = "it has no predictors yet; `kernelscape train` creates one",
    .list_command = "kernelscape predictors"};

std::string named_predictor(PredictorId id) { return fmt::format("predictor {}", id); }

Sound<PredictorRow> read_predictor(const sqlite::Query& query) {
  PredictorRow row;
  PredictorSummary& summary = row.summary;
  summary.record = {query.integer(0), query.text(1), query.text(2), query.text(3),
                    query.text(4),    query.text(5), query.text(6), query.text(7)};
  const std::int64_t state = query.integer(predictor_state_start);
  if (!plausible_count<std::int64_t>(state, static_cast<std::int64_t>(PredictorState::Failed)))
    return std::unexpected("its state is unknown");
  summary.state = static_cast<PredictorState>(state);
  summary.state_reason = query.text(predictor_state_start + 1);
  summary.epochs_json = query.text(predictor_state_start + 2);
  summary.hash = query.text(predictor_state_start + 3);
  summary.byte_count = query.integer(predictor_state_start + 4);
  summary.owner = owner_from_row(query, predictor_owner_start);
  const std::int64_t checkpoint = query.integer(predictor_checksum_start + 2);
  const std::int64_t file = query.integer(predictor_checksum_start + 3);
  if (!plausible_count<std::uint32_t>(checkpoint) || !plausible_count<std::uint32_t>(file))
    return std::unexpected("the checksum of its file is out of range");
  row.checkpoint_checksum = static_cast<std::uint32_t>(checkpoint);
  row.file_checksum = static_cast<std::uint32_t>(file);
  if (!plausible_time(summary.record.created_utc)) return std::unexpected("its creation time is invalid");
  const bool done = summary.state == PredictorState::Done;
  if (done == summary.hash.empty() || done != (summary.byte_count > 0))
    return std::unexpected("it is done without a file, or has a file although it is not done");
  if (!matches(query, predictor_checksum_start, predictor_checksum(summary.record), true) ||
      !matches(query, predictor_checksum_start + 1, predictor_state_checksum(row), true))
    return std::unexpected("it differs from what was stored");
  return row;
}

Error no_predictor(const sqlite::Database& database, PredictorId id) {
  return {ErrorCode::NotFound,
          fmt::format("the database {} has no predictor {}", database.path().string(), id),
          "`kernelscape predictors` lists its predictors"};
}

Error damaged_predictor(const sqlite::Database& database, PredictorId id, std::string_view what) {
  return sqlite::make_error(SQLITE_CORRUPT, fmt::format("{}: {}", named_predictor(id), what),
                            database.subject());
}

/**
 * Visits the predictors numbered [first, last], newest first. A predictor that cannot be read is visited as a
 * Corrupt error.
 */
Status visit_predictors(sqlite::Database& database, PredictorId first, PredictorId last,
                        const std::function<void(Result<PredictorRow>)>& visit) {
  sqlite::Query query = database.query(select_predictors);
  query.bind(first).bind(last);
  sqlite::HeldContent held(database);
  while (query.next()) {
    if (!held.take(query.content_bytes())) {
      visit(std::unexpected(damaged_predictor(database, query.integer(0), shares_content)));
      break;
    }
    Sound<PredictorRow> row = read_predictor(query);
    if (row) {
      visit(*std::move(row));
    } else {
      visit(std::unexpected(damaged_predictor(database, query.integer(0), row.error())));
    }
  }
  return query.status();
}

Result<PredictorRow> predictor_row(sqlite::Database& database, PredictorId id) {
  Result<PredictorRow> found = std::unexpected(no_predictor(database, id));
  TRY(visit_predictors(database, id, id, [&](Result<PredictorRow> row) { found = std::move(row); }));
  return found;
}

/**
 * Returns the summary of a row. Training becomes Interrupted without a living owner, because a killed process
 * could not store its end.
 */
PredictorSummary as_read(PredictorRow row) {
  PredictorSummary summary = std::move(row.summary);
  const bool training = summary.state == PredictorState::Training;
  if (training && !(summary.owner && summary.owner->alive())) summary.state = PredictorState::Interrupted;
  return summary;
}

/** Returns the row of a predictor in training, to change it. */
Result<PredictorRow> row_in_training(sqlite::Database& database, PredictorId id) {
  PredictorRow row = TRY(predictor_row(database, id));
  if (row.summary.state == PredictorState::Training) return row;
  return fail(
      ErrorCode::Refused,
      fmt::format("{} is not in training: it is {}", named_predictor(id), to_string(row.summary.state)),
      "another process owns it now, or ended it");
}

/** Writes all changing columns except the blobs. */
Status write_predictor_state(sqlite::Database& database, const PredictorRow& row) {
  const PredictorSummary& summary = row.summary;
  sqlite::Query update = database.query(
      "UPDATE predictor SET state = ?, state_reason = ?, epochs_json = ?, owner_process_id = ?, "
      "owner_boot_id = ?, owner_process_start = ?, state_checksum = ? WHERE id = ?");
  update.bind(static_cast<std::int64_t>(summary.state)).bind(summary.state_reason).bind(summary.epochs_json);
  bind_owner(update, summary.owner);
  return update.bind(std::int64_t{predictor_state_checksum(row)}).bind(summary.record.id).run();
}

/** Writes the predictor file and the columns that change with it. */
Status write_predictor_file(sqlite::Database& database, const PredictorRow& row, std::string_view bytes) {
  const PredictorSummary& summary = row.summary;
  sqlite::Query update = database.query(
      "UPDATE predictor SET state = ?, state_reason = '', hash = ?, owner_process_id = NULL, "
      "owner_boot_id = NULL, owner_process_start = NULL, state_checksum = ?, checkpoint_checksum = ?, "
      "bytes_checksum = ?, checkpoint = x'', bytes = ? WHERE id = ?");
  update.bind(static_cast<std::int64_t>(summary.state)).bind(summary.hash);
  update.bind(std::int64_t{predictor_state_checksum(row)});
  update.bind(std::int64_t{row.checkpoint_checksum}).bind(std::int64_t{row.file_checksum});
  return update.bind_blob(bytes.data(), bytes.size()).bind(summary.record.id).run();
}

/** Returns a row for a predictor that is complete, with the given file. */
PredictorRow with_file(PredictorRow row, std::string_view bytes, const std::string& hash) {
  row.summary.state = PredictorState::Done;
  row.summary.state_reason.clear();
  row.summary.hash = hash;
  row.summary.byte_count = std::ssize(bytes);
  row.summary.owner = std::nullopt;
  row.checkpoint_checksum = base::crc32("");
  row.file_checksum = base::crc32(bytes);
  return row;
}

/** Inserts a new row in training. */
Result<PredictorRow> insert_predictor(sqlite::Database& database, const PredictorRecord& record,
                                      const std::optional<Owner>& owner) {
  PredictorRow row;
  row.summary.record = record;
  row.summary.record.created_utc = stored_time();
  row.summary.owner = owner;
  row.checkpoint_checksum = row.file_checksum = base::crc32("");
  PredictorRecord& stored = row.summary.record;
  sqlite::Query insert = database.query(
      "INSERT INTO predictor (name, created_utc, program_version, template_name, isa, definition_json, "
      "origin, state, state_reason, epochs_json, hash, checksum, state_checksum, checkpoint_checksum, "
      "bytes_checksum, checkpoint, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', '', '', 0, 0, ?, ?, x'', x'')");
  insert.bind(stored.name).bind(stored.created_utc).bind(stored.program_version);
  insert.bind(stored.template_name).bind(stored.isa).bind(stored.definition_json).bind(stored.origin);
  TRY(insert.bind(std::int64_t{row.checkpoint_checksum}).bind(std::int64_t{row.file_checksum}).run());
  stored.id = database.last_insert_id();
  sqlite::Query checksum = database.query("UPDATE predictor SET checksum = ? WHERE id = ?");
  TRY(checksum.bind(std::int64_t{predictor_checksum(stored)}).bind(stored.id).run());
  TRY(write_predictor_state(database, row));
  return row;
}

constexpr std::string_view last_predictor_number =
    "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'predictor'), 0), "
    "coalesce((SELECT max(id) FROM predictor), 0))";

/** Reads a blob column. @param sql takes the id. @param checksum checksum of the stored bytes */
Result<std::string> read_predictor_blob(sqlite::Database& database, PredictorId id, std::string_view sql,
                                        std::uint32_t checksum) {
  sqlite::Query query = database.query(sql);
  if (!query.bind(id).next()) {
    TRY(query.status());
    return std::unexpected(no_predictor(database, id));
  }
  const std::span<const std::byte> blob = query.blob(0);
  std::string bytes(reinterpret_cast<const char*>(blob.data()), blob.size());
  if (base::crc32(bytes) == checksum) return bytes;
  return std::unexpected(damaged_predictor(database, id, "it differs from what was stored"));
}

}  // namespace

Result<PredictorId> Predictors::create_training(const PredictorRecord& record, const Owner& owner) {
  auto transaction = TRY(connection_->begin(true));
  TRY(connection_->check_numbers_left(last_predictor_number, "predictors"));
  const PredictorRow row = TRY(insert_predictor(connection_->database, record, owner));
  TRY(transaction.commit());
  return row.summary.record.id;
}

Status Predictors::claim_training(PredictorId id, const Owner& owner) {
  auto transaction = TRY(connection_->begin(true));
  PredictorRow row = TRY(predictor_row(connection_->database, id));
  if (row.summary.state == PredictorState::Done) {
    return fail(ErrorCode::Refused, fmt::format("{} is trained already", named_predictor(id)),
                "train another one with `kernelscape train`");
  }
  TRY(refuse_living_owner(row.summary.owner, named_predictor(id), "taken"));
  row.summary.state = PredictorState::Training;
  row.summary.state_reason.clear();
  row.summary.owner = owner;
  TRY(write_predictor_state(connection_->database, row));
  return transaction.commit();
}

Status Predictors::save_epoch(PredictorId id, const std::string& epochs_json, std::string_view checkpoint) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Database& database = connection_->database;
  PredictorRow row = TRY(row_in_training(database, id));
  row.summary.epochs_json = epochs_json;
  row.checkpoint_checksum = base::crc32(checkpoint);
  TRY(write_predictor_state(database, row));
  sqlite::Query update =
      database.query("UPDATE predictor SET checkpoint_checksum = ?, checkpoint = ? WHERE id = ?");
  update.bind(std::int64_t{row.checkpoint_checksum}).bind_blob(checkpoint.data(), checkpoint.size());
  TRY(update.bind(id).run());
  return transaction.commit();
}

Status Predictors::finish_training(PredictorId id, std::string_view bytes, const std::string& hash) {
  auto transaction = TRY(connection_->begin(true));
  PredictorRow row = TRY(row_in_training(connection_->database, id));
  TRY(write_predictor_file(connection_->database, with_file(std::move(row), bytes, hash), bytes));
  return transaction.commit();
}

Status Predictors::end_training(PredictorId id, PredictorState state, const std::string& reason) {
  auto transaction = TRY(connection_->begin(true));
  PredictorRow row = TRY(row_in_training(connection_->database, id));
  row.summary.state = state;
  row.summary.state_reason = reason;
  row.summary.owner = std::nullopt;
  TRY(write_predictor_state(connection_->database, row));
  return transaction.commit();
}

Result<PredictorId> Predictors::add(const PredictorRecord& record, std::string_view bytes,
                                    const std::string& hash) {
  auto transaction = TRY(connection_->begin(true));
  if (const auto known = TRY(with_hash(hash))) return *known;
  TRY(connection_->check_numbers_left(last_predictor_number, "predictors"));
  PredictorRow row = TRY(insert_predictor(connection_->database, record, std::nullopt));
  const PredictorId id = row.summary.record.id;
  TRY(write_predictor_file(connection_->database, with_file(std::move(row), bytes, hash), bytes));
  TRY(transaction.commit());
  return id;
}

Result<std::vector<PredictorSummary>> Predictors::all(std::vector<Error>* unreadable) const {
  std::vector<PredictorSummary> all;
  const auto take = [&](Result<PredictorRow> row) {
    if (row) {
      all.push_back(as_read(*std::move(row)));
    } else if (unreadable != nullptr) {
      unreadable->push_back(std::move(row).error());
    }
  };
  TRY(visit_predictors(connection_->database, std::numeric_limits<PredictorId>::min(),
                       std::numeric_limits<PredictorId>::max(), take));
  return all;
}

Result<PredictorSummary> Predictors::get(PredictorId id) const {
  return as_read(TRY(predictor_row(connection_->database, id)));
}

Result<std::string> Predictors::bytes(PredictorId id) const {
  const PredictorRow row = TRY(predictor_row(connection_->database, id));
  if (row.summary.state != PredictorState::Done) {
    return fail(ErrorCode::Refused, fmt::format("{} is not trained yet", named_predictor(id)),
                "wait for its training, or resume it");
  }
  return read_predictor_blob(connection_->database, id, "SELECT bytes FROM predictor WHERE id = ?",
                             row.file_checksum);
}

Result<std::string> Predictors::checkpoint(PredictorId id) const {
  const PredictorRow row = TRY(predictor_row(connection_->database, id));
  return read_predictor_blob(connection_->database, id, "SELECT checkpoint FROM predictor WHERE id = ?",
                             row.checkpoint_checksum);
}

Result<PredictorId> Predictors::find(std::string_view id_or_name) const {
  return find_by_id_or_name(connection_->database, predictor_names, id_or_name);
}

Result<std::optional<PredictorId>> Predictors::with_hash(std::string_view hash) const {
  sqlite::Query query = connection_->database.query(
      "SELECT id FROM predictor WHERE hash = ? AND state = 2 ORDER BY id DESC LIMIT 1");
  std::optional<PredictorId> found;
  if (query.bind(hash).next()) found = query.integer(0);
  return Connection::finish(query, found);
}

Status Predictors::remove(PredictorId id) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Database& database = connection_->database;
  sqlite::Query find = database.query(
      "SELECT owner_process_id, owner_boot_id, owner_process_start FROM predictor WHERE id = ?");
  if (!find.bind(id).next()) {
    TRY(find.status());
    return std::unexpected(no_predictor(database, id));
  }
  TRY(refuse_living_owner(owner_from_row(find, 0), named_predictor(id), "deleted"));
  TRY(database.query("DELETE FROM predictor WHERE id = ?").bind(id).run());
  return transaction.commit();
}

}  // namespace kernelscape::store
