#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>

#include "core/base/random.h"
#include "core/store/connection.h"
#include "core/store/metrics.h"
#include "core/store/row_bytes.h"
#include "core/store/rows_ahead.h"
#include "core/store/stored_values.h"
#include "core/store/trial_columns.h"

namespace kernelscape::store {
namespace {

constexpr std::size_t max_session_workers = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t max_worker_bytes = 4096;

/** Returns the id of the next trial: see the schema. */
Result<std::int64_t> next_trial_id(sqlite::Database& database, SessionId id) {
  sqlite::Query query =
      database.query("SELECT max(id) + 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32)");
  query.bind(id);
  const std::int64_t trial_id = query.next() && !query.is_null(0) ? query.integer(0) : id << 32;
  TRY(query.status());
  return trial_id;
}

/** Stores a message once and returns its id. Texts with equal hashes are compared. */
Result<std::int64_t> store_message(sqlite::Database& database, std::string_view text) {
  const auto hash = std::bit_cast<std::int64_t>(base::stable_hash(text));
  sqlite::Query find = database.query("SELECT id FROM message WHERE hash = ? AND text = ?");
  find.bind(hash).bind(text);
  if (find.next()) return find.integer(0);
  TRY(find.status());
  TRY(database.query("INSERT INTO message (hash, text) VALUES (?, ?)").bind(hash).bind(text).run());
  return database.last_insert_id();
}

/**
 * Messages and logs of trials that are stored together: each is searched for once. An empty text has the id
 * 0.
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

std::int64_t worker_checksum(SessionId id, std::int64_t place, std::string_view name) {
  RowBytes bytes;
  return bytes.integers({id, place}).text(name).take_checksum();
}

/**
 * The numbers of a session's workers, from 1. A worker without a number is stored; workers beyond the largest
 * possible number share that number.
 */
class StoredWorkers {
 public:
  StoredWorkers(sqlite::Database& database, SessionId session, std::vector<std::string> known)
      : database_(database), session_(session) {
    for (std::string& name : known) places_.try_emplace(std::move(name), next_place());
  }

  Result<std::uint16_t> place_of(const std::string& name) {
    if (name.empty() || std::ssize(name) > max_worker_bytes) return 0;
    if (const auto known = places_.find(name); known != places_.end()) return known->second;
    if (places_.size() >= max_session_workers) return 0;
    const std::uint16_t place = next_place();
    sqlite::Query insert =
        database_.query("INSERT INTO session_worker (session, place, name, checksum) VALUES (?, ?, ?, ?)");
    insert.bind(session_).bind(std::int64_t{place}).bind(name);
    TRY(insert.bind(worker_checksum(session_, place, name)).run());
    places_.emplace(name, place);
    return place;
  }

 private:
  std::uint16_t next_place() const { return static_cast<std::uint16_t>(places_.size() + 1); }

  sqlite::Database& database_;
  SessionId session_;
  std::map<std::string, std::uint16_t> places_;
};

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

}  // namespace

Status Store::append_trials(SessionId id, std::span<const trial::Trial> trials, const SessionStatus& status) {
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
  TRY(connection_->write_status(id, status));
  return transaction.commit();
}

Result<std::vector<trial::Trial>> Store::trials(SessionId id, std::int64_t first, std::int64_t count) const {
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end =
      count < 0 || count > no_end - std::max<std::int64_t>(first, 0) ? no_end : first + count;
  std::vector<trial::Trial> trials;
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) {
    TRY(connection_->visit_recorded(
        id, place, std::max<std::int64_t>(first, 0), end,
        [&](const trial::Recording& recording, const Connection::RecordedTrial& trial) {
          trials.push_back({trial.number, trial.batch, trial.position, recording.configuration(trial.row),
                            recording.measurement(trial.row), trial.finished_seconds});
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
    if (!sound) return std::unexpected(connection_->damaged_trial(id, query.integer(0)));
    if (read->worker != 0) read->trial.measurement.worker = names[read->worker - 1U];
    read->trial.measurement.metrics = named_metrics(metric_names, read->metrics);
    trials.push_back(std::move(read->trial));
  }
  return Connection::finish(query, std::move(trials));
}

Result<trial::Trial> Store::trial(SessionId id, std::int64_t number) const {
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
      return std::unexpected(connection_->damaged_trial(id, row.number));
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
      return std::unexpected(connection_->damaged_trial(id, query.integer(0)));
    TRY(take(row));
  }
  return query.status();
}

Result<std::vector<std::string>> Store::workers(SessionId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT place, CASE WHEN length(name) <= ?2 THEN name END, checksum FROM session_worker "
      "WHERE session = ?1 ORDER BY place");
  query.bind(id).bind(max_worker_bytes);
  std::vector<std::string> names;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    std::string name(query.text(1));
    const std::int64_t place = std::ssize(names) + 1;
    const bool sound = !name.empty() && names.size() < max_session_workers && query.integer(0) == place &&
                       held.take(std::ssize(name)) &&
                       matches(query, 2, worker_checksum(id, place, name), true);
    if (!sound)
      return std::unexpected(
          connection_->damaged(fmt::format("the workers of session {} differ from what was stored", id)));
    names.push_back(std::move(name));
  }
  return Connection::finish(query, std::move(names));
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

Result<bool> Store::has_own_objectives(SessionId id) const {
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) {
    const auto recorded = TRY(recording(place.recording));
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

Result<bool> Store::has_probes(SessionId id) const {
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) {
    const auto recorded = TRY(recording(place.recording));
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

Result<std::vector<Store::ArrivedRow>> Store::rows(SessionId id, std::int64_t skip) const {
  std::vector<ArrivedRow> rows;
  TRY(visit_rows(id, skip, [&](const ArrivedRow& row) { rows.push_back(row); }));
  return rows;
}

}  // namespace kernelscape::store
