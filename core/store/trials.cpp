#include "core/store/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "core/base/random.h"
#include "core/store/connection.h"
#include "core/store/recorded_trials.h"
#include "core/store/recordings.h"
#include "core/store/row_bytes.h"
#include "core/store/rows_ahead.h"
#include "core/store/session_status.h"
#include "core/store/sessions.h"
#include "core/store/stored_metrics.h"
#include "core/store/stored_texts.h"
#include "core/store/stored_values.h"
#include "core/store/stored_workers.h"
#include "core/store/trial_columns.h"
#include "core/store/trial_place.h"

namespace kernelscape::store {
namespace {

/** Returns the id of the next trial: see the schema. */
Result<std::int64_t> next_trial_id(sqlite::Database& database, SessionId id) {
  sqlite::Query query =
      database.query("SELECT max(id) + 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32)");
  query.bind(id);
  const std::int64_t trial_id = query.next() && !query.is_null(0) ? query.integer(0) : id << 32;
  TRY(query.status());
  return trial_id;
}

bool names_workers(std::span<const trial::Trial> trials) {
  return std::ranges::any_of(trials,
                             [](const trial::Trial& trial) { return !trial.measurement.worker.empty(); });
}

bool has_metrics(std::span<const trial::Trial> trials) {
  return std::ranges::any_of(trials,
                             [](const trial::Trial& trial) { return !trial.measurement.metrics.empty(); });
}

/** Returns true if the measurement has values that only GPU kernels have. */
bool of_gpu(const trial::Measurement& measurement) {
  return measurement.resources.has_value() || !measurement.build_log.empty();
}

std::int64_t insight_checksum(SessionId id, std::int64_t trial, std::string_view kind,
                              std::string_view json) {
  RowBytes bytes;
  return bytes.integers({id, trial}).text(kind).text(json).take_checksum();
}

/** Returns the error for a trial whose values violate the schema or differ from the stored checksum. */
Error damaged_trial(const Connection& connection, SessionId id, std::int64_t number) {
  return connection.damaged(fmt::format("trial {} of session {} differs from what was stored", number, id));
}

}  // namespace

Status Trials::append(SessionId id, std::span<const trial::Trial> trials, const SessionStatus& status) {
  sqlite::Database& database = connection_->database;
  auto transaction = TRY(connection_->begin_session(id));
  auto trial_id = TRY(next_trial_id(database, id));
  sqlite::Query insert = database.query(insert_trial_sql(false));
  sqlite::Query insert_of_gpu = database.query(insert_trial_sql(true));
  StoredTexts texts(database);
  std::vector<std::string> known_workers;
  if (names_workers(trials)) known_workers = TRY(workers(id));
  StoredWorkers places(database, id, std::move(known_workers));
  std::vector<trial::MetricName> known_metrics;
  if (has_metrics(trials)) known_metrics = TRY(metrics(id));
  StoredMetrics stored_metrics(database, id, known_metrics);
  RowBytes bytes;
  for (const trial::Trial& trial : trials) {
    const std::int64_t message = TRY(texts.id_of(trial.measurement.message));
    const std::int64_t build_log = TRY(texts.id_of(trial.measurement.build_log));
    const bool gpu = of_gpu(trial.measurement);
    const std::uint16_t worker = TRY(places.place_of(trial.measurement.worker));
    const std::vector<double> values = TRY(stored_metrics.values_of(trial.measurement));
    TRY(insert_trial(gpu ? insert_of_gpu : insert, gpu, bytes, trial,
                     {id, trial_id++, message, build_log, worker, values}));
  }
  TRY(write_status(*connection_, id, status));
  return transaction.commit();
}

Result<std::vector<trial::Trial>> Trials::of(SessionId id, std::int64_t first, std::int64_t count) const {
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end =
      count < 0 || count > no_end - std::max<std::int64_t>(first, 0) ? no_end : first + count;
  std::vector<trial::Trial> trials;
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) {
    TRY(RecordedTrials(*connection_, id, place)
            .visit(std::max<std::int64_t>(first, 0), end,
                   [&](const trial::Recording& recording, const RecordedTrial& trial) {
                     trials.push_back({trial.number, trial.batch, trial.position,
                                       recording.configuration(trial.row), recording.measurement(trial.row),
                                       trial.finished_seconds});
                     if (trial.samples) trial::take_samples(trials.back().measurement, *trial.samples);
                   }));
    return trials;
  }
  sqlite::Query query = connection_->database.query(select_trials_sql());
  query.bind(id).bind(first).bind(end).bind(max_sample_bytes);
  RowBytes bytes;
  std::vector<std::string> names;  // names of workers, read with the first trial that has a worker
  std::vector<trial::MetricName> metric_names;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(held_bytes(query)))
      return std::unexpected(
          connection_->damaged(fmt::format("trials of session {}: {}", id, shares_content)));
    std::optional<ReadTrial> read = read_trial(query, place.has_checksums, bytes);
    if (read && read->worker > names.size()) names = TRY(workers(id));
    if (read && read->metrics.size() > metric_names.size()) metric_names = TRY(metrics(id));
    // Equal for all trials, because they belong to one space.
    const bool sound = read && read->worker <= names.size() && read->metrics.size() <= metric_names.size() &&
                       (trials.empty() || trials.front().configuration.indices.size() ==
                                              read->trial.configuration.indices.size());
    if (!sound) return std::unexpected(damaged_trial(*connection_, id, query.integer(0)));
    if (read->worker != 0) read->trial.measurement.worker = names[read->worker - 1U];
    read->trial.measurement.metrics = named_metrics(metric_names, read->metrics);
    trials.push_back(std::move(read->trial));
  }
  return Connection::finish(query, std::move(trials));
}

Result<trial::Trial> Trials::get(SessionId id, std::int64_t number) const {
  auto found = TRY(of(id, number, 1));
  if (!found.empty()) return std::move(found.front());
  const auto summary = TRY(Sessions(*connection_).get(id));
  return fail(ErrorCode::NotFound, fmt::format("session {} has no trial {}", id, number),
              fmt::format("it has {} trials, numbered from 0", summary.status.trial_count));
}

Result<std::vector<ArrivedRow>> Trials::rows(SessionId id, std::int64_t skip) const {
  std::vector<ArrivedRow> rows;
  TRY(visit_rows(id, skip, [&](const ArrivedRow& row) { rows.push_back(row); }));
  return rows;
}

Status Trials::visit_rows(SessionId id, std::int64_t skip,
                          const std::function<void(const ArrivedRow&)>& visit) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) return RecordedTrials(*connection_, id, place).visit_rows(skip, visit);
  sqlite::Database& database = connection_->database;
  std::optional<std::size_t> knobs;  // equal for all trials, because they belong to one space
  std::size_t worker_count = 0;
  std::size_t metric_count = 0;
  sqlite::HeldContent held(database);
  const auto take = [&](const ArrivedRow& row) -> Status {
    if (row.worker > worker_count) worker_count = TRY(workers(id)).size();
    if (row.metrics.size() > metric_count) metric_count = TRY(metrics(id)).size();
    if (row.worker > worker_count || row.metrics.size() > metric_count ||
        row.configuration.indices.size() != knobs.value_or(row.configuration.indices.size()))
      return std::unexpected(damaged_trial(*connection_, id, row.number));
    knobs = row.configuration.indices.size();
    if (!held.take(
            static_cast<std::int64_t>(*knobs * sizeof(std::uint32_t) + row.metrics.size() * sizeof(double))))
      return std::unexpected(
          connection_->damaged(fmt::format("trials of session {}: {}", id, shares_content)));
    visit(row);
    return {};
  };
  std::int64_t first = std::max<std::int64_t>(skip, 0);
  RowsAhead::Rows rows{id, place.of_gpu, place.has_checksums, first, 0};
  rows.count = (TRY(next_trial_id(database, id)) - (id << 32)) - first;
  if (const auto ahead = RowsAhead::begin(database, rows, {})) {
    for (auto read = ahead->next(); !read.empty(); read = ahead->next()) {
      for (const ArrivedRow& row : read) TRY(take(row));
      first += std::ssize(read);
    }
  }
  sqlite::Query query = database.query(select_rows_sql(place.of_gpu));
  query.bind(id).bind(first).bind(std::int64_t{-1});
  ArrivedRow row;
  RowBytes bytes;
  while (query.next()) {
    if (!read_row(query, place.of_gpu, place.has_checksums, bytes, row))
      return std::unexpected(damaged_trial(*connection_, id, query.integer(0)));
    TRY(take(row));
  }
  return query.status();
}

Result<std::vector<std::string>> Trials::workers(SessionId id) const {
  return read_workers(*connection_, id);
}

Result<std::vector<trial::MetricName>> Trials::metrics(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (place.stored()) return read_metrics(*connection_, id);
  const auto recorded = TRY(Recordings(*connection_).get(place.recording));
  return recorded->metric_names();
}

Result<std::string> Trials::message(std::int64_t message_id) const {
  if (message_id < 0) {
    const RecordingId id = recording_of_message(message_id);
    const auto kept = TRY(connection_->kept_recording(id));
    const std::vector<std::string>& messages = kept->recording->messages();
    const std::int64_t position = message_id - first_message_of(id);
    if (position < std::ssize(messages)) return messages[static_cast<std::size_t>(position)];
  } else {
    sqlite::Query query = connection_->database.query("SELECT text, hash FROM message WHERE id = ?");
    query.bind(message_id);
    if (query.next()) {
      std::string text = query.text(0);
      if (std::bit_cast<std::int64_t>(base::stable_hash(text)) == query.integer(1)) return text;
      return std::unexpected(
          connection_->damaged(fmt::format("message {} differs from what was stored", message_id)));
    }
    TRY(query.status());
  }
  return fail(
      ErrorCode::NotFound,
      fmt::format("the database {} has no message {}", connection_->database.path().string(), message_id),
      "its session may have been deleted");
}

Result<bool> Trials::has_resources(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) {
    const auto recorded = TRY(Recordings(*connection_).get(place.recording));
    return recorded->has_resources();
  }
  if (!place.of_gpu || place.kind == SessionKind::Measured) return place.of_gpu;
  sqlite::Query any = connection_->database.query(
      "SELECT 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32) AND registers IS NOT NULL LIMIT "
      "1");
  const bool found = any.bind(id).next();
  return Connection::finish(any, found);
}

Result<bool> Trials::has_own_objectives(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) {
    const auto recorded = TRY(Recordings(*connection_).get(place.recording));
    return recorded->has_own_objectives();
  }
  if (place.kind == SessionKind::Measured) return false;
  bool found = false;
  TRY(visit_rows(id, 0, [&](const ArrivedRow& row) {
    found = found ||
            (row.category == trial::ErrorCategory::NoError && row.objective != trial::ObjectiveKind::Median);
  }));
  return found;
}

Result<bool> Trials::has_probes(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) {
    const auto recorded = TRY(Recordings(*connection_).get(place.recording));
    return recorded->has_probes();
  }
  // Trials whose build failed have no probes, so the first trial is not enough. Reading all trials of an old
  // session, which has none, would take long.
  sqlite::Query any = connection_->database.query(
      "SELECT 1 FROM session WHERE id = ?1 AND probe_version IS NOT NULL UNION ALL SELECT 1 FROM "
      "(SELECT coalesce(compute_probe_before_seconds, memory_probe_before_seconds, "
      "compute_probe_after_seconds, memory_probe_after_seconds) AS probe FROM trial "
      "WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32) ORDER BY id LIMIT 1000) WHERE probe IS NOT NULL "
      "LIMIT 1");
  const bool found = any.bind(id).next();
  return Connection::finish(any, found);
}

Result<std::optional<std::string>> Trials::insight(SessionId id, std::int64_t trial,
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

Status Trials::save_insight(SessionId id, std::int64_t trial, std::string_view kind, std::string_view json) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO trial_insight (session, trial, kind, json, checksum) VALUES (?, ?, ?, ?, ?)");
  insert.bind(id).bind(trial).bind(kind).bind(json);
  TRY(insert.bind(insight_checksum(id, trial, kind, json)).run());
  return transaction.commit();
}

}  // namespace kernelscape::store
