#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>

#include "core/base/random.h"
#include "core/store/blob.h"
#include "core/store/connection.h"

namespace kernelscape {
namespace {

/** See the schema. */
Result<std::int64_t> next_trial_id(sqlite::Database& database, SessionId id) {
  sqlite::Query query =
      database.query("SELECT max(id) + 1 FROM trial WHERE id >= (?1 << 32) AND id < ((?1 + 1) << 32)");
  query.bind(id);
  const std::int64_t trial_id = query.next() && !query.is_null(0) ? query.integer(0) : id << 32;
  if (Status read = query.status(); !read) return std::unexpected(read.error());
  return trial_id;
}

/** The id of a message, stored once; 0 for an empty one. Texts of equal hash are told apart. */
Result<std::int64_t> store_message(sqlite::Database& database, std::string_view text) {
  if (text.empty()) return 0;
  const auto hash = std::bit_cast<std::int64_t>(stable_hash(text));
  sqlite::Query find = database.query("SELECT id FROM message WHERE hash = ? AND text = ?");
  find.bind(hash).bind(text);
  if (find.next()) return find.integer(0);
  if (Status searched = find.status(); !searched) return std::unexpected(searched.error());
  Status inserted =
      database.query("INSERT INTO message (hash, text) VALUES (?, ?)").bind(hash).bind(text).run();
  if (!inserted) return std::unexpected(inserted.error());
  return database.last_insert_id();
}

Status insert_trial(sqlite::Query& insert, SessionId id, std::int64_t trial_id, const Trial& trial,
                    std::int64_t message) {
  const Measurement& measurement = trial.measurement;
  const TrialRow row = make_row(trial, message);
  const std::string configuration = to_blob(trial.configuration);
  insert.bind(trial_id)
      .bind(id)
      .bind(row.number)
      .bind(std::int64_t{row.batch})
      .bind(std::int64_t{row.position});
  insert.bind(static_cast<std::int64_t>(row.category)).bind(std::int64_t{row.cut_short});
  if (measurement.samples_seconds.empty()) {
    insert.bind_null().bind_null().bind_null();
  } else {
    insert.bind(row.median_seconds).bind(row.first_quartile_seconds).bind(row.third_quartile_seconds);
  }
  insert.bind(row.build_seconds).bind(row.run_seconds).bind(row.finished_seconds);
  if (message == 0) {
    insert.bind_null();
  } else {
    insert.bind(message);
  }
  insert.bind_blob(configuration.data(), configuration.size());
  insert.bind_blob(measurement.samples_seconds.data(), measurement.samples_seconds.size() * sizeof(double));
  insert.bind(std::int64_t{measurement.preempted_samples}).bind(std::int64_t{measurement.samples_saved});
  insert.bind(measurement.worst_error);
  if (measurement.recorded_seconds > 0) {
    insert.bind(measurement.recorded_seconds);
  } else {
    insert.bind_null();
  }
  return insert.run();
}

constexpr std::string_view insert_trial_sql =
    "INSERT INTO trial (id, session, number, batch, position, category, cut_short, median_seconds, "
    "first_quartile_seconds, third_quartile_seconds, build_seconds, run_seconds, finished_seconds, message, "
    "configuration, samples, preempted_samples, samples_saved, worst_error, recorded_seconds) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

bool known_category(std::int64_t category) {
  return category >= 0 && category < static_cast<std::int64_t>(error_category_count);
}

double zero_for_null(const sqlite::Query& row, int column) {
  return row.is_null(column) ? 0 : row.real(column);
}

/** Into memory that is there already: a million rows would take a million allocations. */
void read_configuration(std::span<const std::byte> blob, Configuration& configuration) {
  configuration.indices.resize(blob.size() / sizeof(std::uint32_t));
  if (!configuration.indices.empty())
    std::memcpy(configuration.indices.data(), blob.data(),
                configuration.indices.size() * sizeof(std::uint32_t));
}

Configuration read_configuration(std::span<const std::byte> blob) {
  return configuration_from_blob(blob.data(), blob.size());
}

}  // namespace

Status Store::append_trials(SessionId id, std::span<const Trial> trials, const SessionStatus& status) {
  sqlite::Database& database = connection_->database;
  auto transaction = connection_->begin_session(id);
  if (!transaction) return std::unexpected(transaction.error());
  auto trial_id = next_trial_id(database, id);
  if (!trial_id) return std::unexpected(trial_id.error());
  sqlite::Query insert = database.query(insert_trial_sql);
  std::map<std::string_view, std::int64_t> messages;
  for (const Trial& trial : trials) {
    const auto [message, is_new] = messages.try_emplace(trial.measurement.message, 0);
    if (is_new) {
      const auto stored = store_message(database, message->first);
      if (!stored) return std::unexpected(stored.error());
      message->second = *stored;
    }
    Status inserted = insert_trial(insert, id, (*trial_id)++, trial, message->second);
    if (!inserted) return inserted;
  }
  if (Status written = connection_->write_status(id, status); !written) return written;
  return transaction->commit();
}

Result<std::vector<Trial>> Store::trials(SessionId id, std::int64_t first, std::int64_t count) const {
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end =
      count < 0 || count > no_end - std::max<std::int64_t>(first, 0) ? no_end : first + count;
  std::vector<Trial> trials;
  const auto place = connection_->trial_place(id);
  if (!place) return std::unexpected(place.error());
  if (!place->stored()) {
    const Status read = connection_->visit_recorded(
        id, *place, std::max<std::int64_t>(first, 0), end,
        [&](const Recording& recording, const Connection::RecordedTrial& trial) {
          trials.push_back({trial.number, trial.batch, trial.position, recording.configuration(trial.row),
                            recording.measurement(trial.row), trial.finished_seconds});
        });
    if (!read) return std::unexpected(read.error());
    return trials;
  }
  sqlite::Query query = connection_->database.query(
      "SELECT number, batch, position, category, cut_short, build_seconds, run_seconds, finished_seconds, "
      "text, configuration, samples, preempted_samples, samples_saved, worst_error, recorded_seconds "
      "FROM trial LEFT JOIN message ON message.id = trial.message "
      "WHERE session = ? AND number >= ? AND number < ? ORDER BY number");
  query.bind(id).bind(first).bind(end);
  while (query.next()) {
    auto samples = numbers_from_blob<double>(query.blob(10));
    if (!samples || !known_category(query.integer(3))) {
      return std::unexpected(
          connection_->damaged(fmt::format("trial {} of session {}", query.integer(0), id)));
    }
    Measurement measurement{.category = static_cast<ErrorCategory>(query.integer(3)),
                            .samples_seconds = std::move(*samples),
                            .build_seconds = query.real(5),
                            .run_seconds = query.real(6),
                            .cut_short = query.integer(4) != 0,
                            .preempted_samples = static_cast<std::uint32_t>(query.integer(11)),
                            .samples_saved = static_cast<std::uint32_t>(query.integer(12)),
                            .worst_error = query.real(13),
                            .message = query.text(8),
                            .recorded_seconds = zero_for_null(query, 14)};
    trials.push_back({.number = query.integer(0),
                      .batch = static_cast<std::int32_t>(query.integer(1)),
                      .position = static_cast<std::int32_t>(query.integer(2)),
                      .configuration = read_configuration(query.blob(9)),
                      .measurement = std::move(measurement),
                      .finished_seconds = query.real(7)});
  }
  return Connection::finish(query, std::move(trials));
}

Result<Trial> Store::trial(SessionId id, std::int64_t number) const {
  auto found = trials(id, number, 1);
  if (!found) return std::unexpected(found.error());
  if (!found->empty()) return std::move(found->front());
  const auto summary = session(id);
  if (!summary) return std::unexpected(summary.error());
  return fail(ErrorCode::NotFound, fmt::format("session {} has no trial {}", id, number),
              fmt::format("it has {} trials, numbered from 0", summary->status.trial_count));
}

Status Store::visit_rows(SessionId id, std::int64_t skip,
                         const std::function<void(const ArrivedRow&)>& visit) const {
  const auto place = connection_->trial_place(id);
  if (!place) return std::unexpected(place.error());
  if (!place->stored()) return connection_->visit_recorded_rows(id, *place, skip, visit);
  // The last column is looked at only where there is no median, in errors and without samples.
  sqlite::Query query = connection_->database.query(
      "SELECT number, batch, position, category, cut_short, length(samples) / 8, "
      "coalesce(median_seconds, recorded_seconds), "
      "first_quartile_seconds, third_quartile_seconds, build_seconds, run_seconds, finished_seconds, "
      "message, "
      "configuration, samples_saved FROM trial WHERE id >= (?1 << 32) + ?2 AND id < ((?1 + 1) << 32) "
      "AND +session = ?1 ORDER BY id");
  query.bind(id).bind(std::max<std::int64_t>(skip, 0));
  constexpr std::int64_t most_samples = std::numeric_limits<std::uint16_t>::max();
  ArrivedRow row;
  while (query.next()) {
    if (!known_category(query.integer(3))) {
      return std::unexpected(
          connection_->damaged(fmt::format("trial {} of session {}", query.integer(0), id)));
    }
    row.number = query.integer(0);
    row.batch = static_cast<std::int32_t>(query.integer(1));
    row.position = static_cast<std::int32_t>(query.integer(2));
    row.category = static_cast<ErrorCategory>(query.integer(3));
    row.cut_short = query.integer(4) != 0;
    row.sample_count = static_cast<std::uint16_t>(std::min(query.integer(5), most_samples));
    row.samples_saved =
        row.category == ErrorCategory::NoError
            ? static_cast<std::uint16_t>(std::clamp<std::int64_t>(query.integer(14), 0, most_samples))
            : std::uint16_t{0};
    row.median_seconds = zero_for_null(query, 6);
    row.first_quartile_seconds = zero_for_null(query, 7);
    row.third_quartile_seconds = zero_for_null(query, 8);
    row.build_seconds = query.real(9);
    row.run_seconds = query.real(10);
    row.finished_seconds = query.real(11);
    row.message = query.integer(12);
    read_configuration(query.blob(13), row.configuration);
    visit(row);
  }
  return query.status();
}

Result<std::vector<Store::ArrivedRow>> Store::rows(SessionId id, std::int64_t skip) const {
  std::vector<ArrivedRow> rows;
  const Status read = visit_rows(id, skip, [&](const ArrivedRow& row) { rows.push_back(row); });
  if (!read) return std::unexpected(read.error());
  return rows;
}

}  // namespace kernelscape
