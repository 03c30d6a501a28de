#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>

#include "core/base/random.h"
#include "core/store/blob.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

constexpr int message_bits = 32;

/**
 * Returns the first message id of a recording. Messages of recordings have negative ids, which no stored
 * message has: the upper bits hold the negative recording id, the lower bits the position of the text.
 */
std::int64_t first_message_of(RecordingId id) { return -(id << message_bits); }

/** Returns the recording id from the upper bits of a message id. */
RecordingId recording_of_message(std::int64_t message) { return -(message >> message_bits); }

std::string view_of(std::span<const std::byte> blob) {
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

/** Selects the batch that contains a trial number, and the following batches. */
constexpr std::string_view select_replayed = R"sql(
  SELECT batch, first_trial, search_seconds, rows, finished, checksum FROM replayed_batch
  WHERE session = ?1 AND first_trial < ?3 AND first_trial >= coalesce(
    (SELECT max(first_trial) FROM replayed_batch WHERE session = ?1 AND first_trial <= ?2), 0)
  ORDER BY first_trial)sql";

std::int64_t replayed_checksum(SessionId id, const ReplayedBatch& batch) {
  RowBytes bytes;
  bytes.integers({id, batch.batch, batch.first_trial}).reals({batch.search_seconds});
  bytes.blob(std::as_bytes(std::span(batch.rows)));
  return bytes.blob(std::as_bytes(std::span(batch.finished_seconds))).take_checksum();
}

/** Returns the row of the recording without the flag that the trial was cut short. */
std::uint32_t recorded_row(std::uint32_t number) { return number & ~trial::replayed_cut_short; }

/**
 * Reads a batch. Returns nullopt if its parts do not fit together, if a row is not in the recording, or if
 * the checksum does not match.
 */
std::optional<ReplayedBatch> read_batch(const sqlite::Query& row, SessionId id,
                                        const trial::Recording& recording, bool has_checksums,
                                        bool takes_samples) {
  auto rows = numbers_from_blob<std::uint32_t>(row.blob(3));
  auto finished = numbers_from_blob<double>(row.blob(4));
  constexpr std::int64_t max_numbers_of_trials = std::int64_t{1} << 52;
  const bool sound =
      rows && finished && rows->size() == finished->size() && plausible_count<std::int32_t>(row.integer(0)) &&
      plausible_count<std::int64_t>(row.integer(1), max_numbers_of_trials) &&
      trial::plausible_seconds(row.real(2)) && std::ranges::all_of(*finished, trial::plausible_seconds) &&
      std::ranges::all_of(*rows, [&](std::uint32_t number) {
        return (takes_samples ? recorded_row(number) : number) < recording.size();
      });
  if (!sound) return std::nullopt;
  ReplayedBatch batch{static_cast<std::int32_t>(row.integer(0)), row.integer(1), row.real(2),
                      *std::move(rows), *std::move(finished)};
  if (!matches(row, 5, replayed_checksum(id, batch), has_checksums)) return std::nullopt;
  return batch;
}

}  // namespace

Result<std::optional<RecordingId>> Store::find_recording(const trial::Recording& recording) const {
  const std::string_view bytes = recording.bytes();
  sqlite::Query find = connection_->database.query("SELECT id FROM recording WHERE hash = ? AND bytes = ?");
  find.bind(std::bit_cast<std::int64_t>(recording.hash())).bind_blob(bytes.data(), bytes.size());
  std::optional<RecordingId> found;
  if (find.next()) found = find.integer(0);
  return Connection::finish(find, found);
}

Result<RecordingId> Store::add_recording(const trial::Recording& recording) {
  sqlite::Database& database = connection_->database;
  const std::string_view bytes = recording.bytes();
  const auto max_bytes = static_cast<std::size_t>(sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1));
  constexpr std::size_t row_overhead = 1 << 16;
  if (bytes.size() + row_overhead > max_bytes) {
    return fail(ErrorCode::Refused,
                fmt::format("the recorded space {} has {} bytes; a database keeps at most {}",
                            recording.header().name, bytes.size(), max_bytes - row_overhead),
                "record fewer configurations or fewer samples of each");
  }
  auto transaction = TRY(connection_->begin(true));
  const auto hash = std::bit_cast<std::int64_t>(recording.hash());
  if (const auto known = TRY(find_recording(recording))) return *known;
  TRY(connection_->check_numbers_left(
      "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'recording'), 0), "
      "coalesce((SELECT max(id) FROM recording), 0))",
      "recorded spaces"));
  sqlite::Query insert = database.query("INSERT INTO recording (hash, name, bytes) VALUES (?, ?, ?)");
  insert.bind(hash).bind(recording.header().name).bind_blob(bytes.data(), bytes.size());
  TRY(insert.run());
  const RecordingId id = database.last_insert_id();
  TRY(transaction.commit());
  return id;
}

Result<Store::Connection::KeptRecording*> Store::Connection::kept_recording(RecordingId id) {
  if (const auto known = recordings.find(id); known != recordings.end()) return &known->second;
  sqlite::Query query = database.query("SELECT name, bytes FROM recording WHERE id = ?");
  query.bind(id);
  if (!query.next()) {
    TRY(query.status());
    return fail(ErrorCode::NotFound,
                fmt::format("the database {} has no recorded space {}", database.path().string(), id),
                "it may have been deleted; import its file again");
  }
  const std::string name = fmt::format("{} of the database {}", query.text(0), database.path().string());
  auto read = TRY(trial::Recording::from_bytes(view_of(query.blob(1)), name));
  return &recordings.emplace(id, KeptRecording{std::move(read), {}}).first->second;
}

Result<std::shared_ptr<const trial::Recording>> Store::recording(RecordingId id) const {
  const auto kept = TRY(connection_->kept_recording(id));
  return kept->recording;
}

Result<Store::Connection::TrialPlace> Store::Connection::trial_place(SessionId id) {
  sqlite::Query query = database.query(
      // The description of a class of fleet devices contains the kind of the device.
      "SELECT kind, recording, CASE WHEN target_name LIKE 'fleet:%' AND json_valid(target_json) "
      "THEN json_extract(target_json, '$.kind') IS NOT 0 ELSE target_name <> 'cpu' END, checksum IS NOT "
      "NULL, "
      "CASE WHEN kind = 1 THEN options_json END FROM session WHERE id = ?");
  query.bind(id);
  TrialPlace place;
  if (query.next()) {
    place = {static_cast<SessionKind>(query.integer(0)), query.integer(1), query.integer(2) != 0,
             query.integer(3) != 0};
    // An unreadable value is reported when the session itself is read.
    if (place.kind == SessionKind::Replayed) {
      const Result<trial::MeasureOptions> options = trial::stored_measure_options(query.text(4));
      if (options && options->replay_samples) place.sampling = *options;
    }
    const bool replays = place.kind == SessionKind::Replayed || place.kind == SessionKind::Recorded;
    if (!plausible_count<std::int32_t>(place.recording) || place.stored() == replays)
      return std::unexpected(damaged(fmt::format("the recorded space of session {} is missing", id)));
  }
  return finish(query, place);
}

Status Store::append_replayed(SessionId id, std::span<const ReplayedBatch> batches,
                              std::span<const StoredSeries> series, const SessionStatus& status) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO replayed_batch (session, first_trial, batch, search_seconds, rows, finished, checksum) "
      "SELECT id, ?, ?, ?, ?, ?, ? FROM session WHERE id = ? AND kind = 1");
  for (const ReplayedBatch& batch : batches) {
    insert.bind(batch.first_trial).bind(std::int64_t{batch.batch}).bind(batch.search_seconds);
    insert.bind_blob(batch.rows.data(), batch.rows.size() * sizeof(std::uint32_t));
    insert.bind_blob(batch.finished_seconds.data(), batch.finished_seconds.size() * sizeof(double));
    TRY(insert.bind(replayed_checksum(id, batch)).bind(id).run());
    if (connection_->database.changes() == 0) {
      return fail(ErrorCode::Internal, fmt::format("session {} is not a replay of a recorded space", id),
                  "nothing of it was stored; please report it");
    }
  }
  TRY(connection_->insert_series(id, series));
  TRY(connection_->write_status(id, status));
  return transaction.commit();
}

/** Separates the row from the flag in its number. */
void Store::Connection::take_replayed_samples(const trial::Recording& recording,
                                              const trial::MeasureOptions& options, RecordedTrial& trial) {
  const bool given_up = (trial.row & trial::replayed_cut_short) != 0;
  trial.row = recorded_row(trial.row);
  const std::span<const double> samples = recording.samples(trial.row);
  trial.samples =
      given_up ? trial::given_up_samples(samples, options) : trial::replayed_samples(samples, options, 0);
}

Status Store::Connection::visit_replayed(
    SessionId id, const TrialPlace& place, const trial::Recording& recording, std::int64_t first,
    std::int64_t end, const std::function<void(const trial::Recording&, const RecordedTrial&)>& visit) {
  sqlite::Query query = database.query(select_replayed);
  query.bind(id).bind(first).bind(end);
  while (query.next()) {
    const auto batch = read_batch(query, id, recording, place.has_checksums, place.sampling.has_value());
    if (!batch)
      return std::unexpected(
          damaged(fmt::format("a replayed batch of session {} differs from what was stored", id)));
    for (std::size_t position = 0; position < batch->rows.size(); ++position) {
      const std::int64_t number = batch->first_trial + static_cast<std::int64_t>(position);
      if (number < first || number >= end) continue;
      RecordedTrial trial{number, batch->batch, static_cast<std::int32_t>(position), batch->rows[position],
                          batch->finished_seconds[position]};
      if (place.sampling) take_replayed_samples(recording, *place.sampling, trial);
      visit(recording, trial);
    }
  }
  return query.status();
}

Status Store::Connection::visit_recorded(
    SessionId id, const TrialPlace& place, std::int64_t first, std::int64_t end,
    const std::function<void(const trial::Recording&, const RecordedTrial&)>& visit) {
  const auto kept = TRY(kept_recording(place.recording));
  const std::shared_ptr<const trial::Recording> recording = kept->recording;
  if (place.kind == SessionKind::Replayed) return visit_replayed(id, place, *recording, first, end, visit);
  std::vector<double>& finished = kept->finished_seconds;
  if (finished.empty()) finished = trial::recorded_finished_seconds(*recording);
  for (std::int64_t number = first; number < std::min<std::int64_t>(end, recording->size()); ++number) {
    const auto row = static_cast<std::uint32_t>(number);
    visit(*recording, {number, 0, static_cast<std::int32_t>(number), row, finished[row]});
  }
  return {};
}

Status Store::Connection::visit_recorded_rows(SessionId id, const TrialPlace& place, std::int64_t skip,
                                              const std::function<void(const ArrivedRow&)>& visit) {
  const std::int64_t first_message = first_message_of(place.recording);
  ArrivedRow row;
  return visit_recorded(id, place, std::max<std::int64_t>(skip, 0), std::numeric_limits<std::int64_t>::max(),
                        [&](const trial::Recording& recording, const RecordedTrial& trial) {
                          static_cast<trial::Row&>(row) = recording.trial_row(trial.row, first_message);
                          if (trial.samples)
                            trial::take_samples(row, recording.samples(trial.row), *trial.samples);
                          row.number = trial.number;
                          row.batch = trial.batch;
                          row.position = trial.position;
                          row.finished_seconds = trial.finished_seconds;
                          row.configuration = recording.configuration(trial.row);
                          recording.read_metrics(trial.row, row.metrics);
                          visit(row);
                        });
}

Result<std::vector<Store::StoredBatch>> Store::Connection::recorded_batches(SessionId id,
                                                                            const TrialPlace& place) {
  const auto kept = TRY(kept_recording(place.recording));
  const trial::Recording& recording = *kept->recording;
  std::vector<StoredBatch> batches;
  const auto configurations = [&](const auto& rows) {
    std::vector<space::Configuration> all;
    for (const std::uint32_t row : rows) all.push_back(recording.configuration(recorded_row(row)));
    return all;
  };
  if (place.kind == SessionKind::Recorded)
    return std::vector{StoredBatch{0, configurations(std::views::iota(0U, recording.size())), 0}};
  sqlite::Query query = database.query(select_replayed);
  query.bind(id).bind(std::int64_t{0}).bind(std::numeric_limits<std::int64_t>::max());
  while (query.next()) {
    const auto batch = read_batch(query, id, recording, place.has_checksums, place.sampling.has_value());
    if (!batch)
      return std::unexpected(
          damaged(fmt::format("a replayed batch of session {} differs from what was stored", id)));
    batches.push_back({batch->batch, configurations(batch->rows), batch->search_seconds});
  }
  return finish(query, std::move(batches));
}

Result<std::string> Store::message(std::int64_t message_id) const {
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
  return fail(ErrorCode::NotFound,
              fmt::format("the database {} has no message {}", path().string(), message_id),
              "its session may have been deleted");
}

}  // namespace kernelscape::store
