#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>

#include "core/base/random.h"
#include "core/store/connection.h"
#include "core/store/stored_values.h"
#include "core/store/trial_columns.h"

namespace kernelscape {
namespace {

/** See the schema. */
Result<std::int64_t> next_trial_id(sqlite::Database& database, SessionId id) {
  sqlite::Query query =
      database.query("SELECT max(id) + 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32)");
  query.bind(id);
  const std::int64_t trial_id = query.next() && !query.is_null(0) ? query.integer(0) : id << 32;
  TRY(query.status());
  return trial_id;
}

/** The id of a message, stored once. Texts of equal hash are told apart. */
Result<std::int64_t> store_message(sqlite::Database& database, std::string_view text) {
  const auto hash = std::bit_cast<std::int64_t>(stable_hash(text));
  sqlite::Query find = database.query("SELECT id FROM message WHERE hash = ? AND text = ?");
  find.bind(hash).bind(text);
  if (find.next()) return find.integer(0);
  TRY(find.status());
  TRY(database.query("INSERT INTO message (hash, text) VALUES (?, ?)").bind(hash).bind(text).run());
  return database.last_insert_id();
}

/** Messages and logs of trials that are stored together: each is looked for once. An empty one has the id 0.
 */
class StoredTexts {
 public:
  explicit StoredTexts(sqlite::Database& database) : database_(database) {}

  Result<std::int64_t> id_of(std::string_view text) {
    if (text.empty()) return 0;
    const auto [known, is_new] = ids_.try_emplace(text, 0);
    if (!is_new) return known->second;
    const Result<std::int64_t> stored = store_message(database_, text);
    if (stored) known->second = *stored;
    return stored;
  }

 private:
  sqlite::Database& database_;
  std::map<std::string_view, std::int64_t> ids_;
};

/** Whether it has what GPU kernels alone have. */
bool of_gpu(const Measurement& measurement) {
  return measurement.resources.has_value() || !measurement.build_log.empty();
}

}  // namespace

Status Store::append_trials(SessionId id, std::span<const Trial> trials, const SessionStatus& status) {
  sqlite::Database& database = connection_->database;
  auto transaction = TRY(connection_->begin_session(id));
  auto trial_id = TRY(next_trial_id(database, id));
  sqlite::Query insert = database.query(insert_trial_sql(false));
  sqlite::Query insert_of_gpu = database.query(insert_trial_sql(true));
  StoredTexts texts(database);
  RowBytes bytes;
  for (const Trial& trial : trials) {
    const std::int64_t message = TRY(texts.id_of(trial.measurement.message));
    const std::int64_t build_log = TRY(texts.id_of(trial.measurement.build_log));
    const bool gpu = of_gpu(trial.measurement);
    TRY(insert_trial(gpu ? insert_of_gpu : insert, gpu, bytes, trial, {id, trial_id++, message, build_log}));
  }
  TRY(connection_->write_status(id, status));
  return transaction.commit();
}

Result<std::vector<Trial>> Store::trials(SessionId id, std::int64_t first, std::int64_t count) const {
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end =
      count < 0 || count > no_end - std::max<std::int64_t>(first, 0) ? no_end : first + count;
  std::vector<Trial> trials;
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) {
    TRY(connection_->visit_recorded(
        id, place, std::max<std::int64_t>(first, 0), end,
        [&](const Recording& recording, const Connection::RecordedTrial& trial) {
          trials.push_back({trial.number, trial.batch, trial.position, recording.configuration(trial.row),
                            recording.measurement(trial.row), trial.finished_seconds});
          if (trial.samples) take_samples(trials.back().measurement, *trial.samples);
        }));
    return trials;
  }
  sqlite::Query query = connection_->database.query(select_trials_sql());
  query.bind(id).bind(first).bind(end).bind(most_sample_bytes);
  RowBytes bytes;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(held_bytes(query)))
      return std::unexpected(
          connection_->damaged(fmt::format("trials of session {}: {}", id, shares_content)));
    std::optional<Trial> trial = read_trial(query, place.has_checksums, bytes);
    // Equal in all trials, since they are of one space.
    const bool sound = trial && (trials.empty() || trials.front().configuration.indices.size() ==
                                                       trial->configuration.indices.size());
    if (!sound) return std::unexpected(connection_->damaged_trial(id, query.integer(0)));
    trials.push_back(*std::move(trial));
  }
  return Connection::finish(query, std::move(trials));
}

Result<Trial> Store::trial(SessionId id, std::int64_t number) const {
  auto found = TRY(trials(id, number, 1));
  if (!found.empty()) return std::move(found.front());
  const auto summary = TRY(session(id));
  return fail(ErrorCode::NotFound, fmt::format("session {} has no trial {}", id, number),
              fmt::format("it has {} trials, numbered from 0", summary.status.trial_count));
}

Status Store::visit_rows(SessionId id, std::int64_t skip,
                         const std::function<void(const ArrivedRow&)>& visit) const {
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) return connection_->visit_recorded_rows(id, place, skip, visit);
  sqlite::Query query = connection_->database.query(select_rows_sql(place.of_gpu));
  query.bind(id).bind(std::max<std::int64_t>(skip, 0));
  ArrivedRow row;
  RowBytes bytes;
  std::optional<std::size_t> knobs;  // equal in all trials, since they are of one space
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    const bool sound = read_row(query, place.of_gpu, place.has_checksums, bytes, row) &&
                       row.configuration.indices.size() == knobs.value_or(row.configuration.indices.size());
    if (!sound) return std::unexpected(connection_->damaged_trial(id, query.integer(0)));
    knobs = row.configuration.indices.size();
    if (!held.take(static_cast<std::int64_t>(*knobs * sizeof(std::uint32_t))))
      return std::unexpected(
          connection_->damaged(fmt::format("trials of session {}: {}", id, shares_content)));
    visit(row);
  }
  return query.status();
}

Result<bool> Store::has_resources(SessionId id) const {
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) {
    const auto recorded = TRY(recording(place.recording));
    return recorded->has_resources();
  }
  if (!place.of_gpu || place.kind == SessionKind::Measured) return place.of_gpu;
  sqlite::Query any = connection_->database.query(
      "SELECT 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32) AND registers IS NOT NULL LIMIT "
      "1");
  const bool found = any.bind(id).next();
  return Connection::finish(any, found);
}

Result<std::vector<Store::ArrivedRow>> Store::rows(SessionId id, std::int64_t skip) const {
  std::vector<ArrivedRow> rows;
  TRY(visit_rows(id, skip, [&](const ArrivedRow& row) { rows.push_back(row); }));
  return rows;
}

}  // namespace kernelscape
