#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/store/blob.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

std::int64_t batch_checksum(SessionId id, std::int64_t batch, double search_seconds, std::int64_t candidates,
                            std::span<const std::byte> blob) {
  RowBytes bytes;
  return bytes.integers({id, batch, candidates}).reals({search_seconds}).blob(blob).take_checksum();
}

std::int64_t confirmation_checksum(SessionId id, const trial::Confirmation& confirmation) {
  RowBytes bytes;
  bytes.integers({id, confirmation.trial}).text(confirmation.measured_utc);
  return bytes.blob(std::as_bytes(std::span(confirmation.samples_seconds))).take_checksum();
}

}  // namespace

Status Store::append_batch(SessionId id, std::int32_t batch, std::span<const space::Configuration> candidates,
                           double search_seconds) {
  std::string blob;
  for (const space::Configuration& candidate : candidates) {
    if (candidate.indices.size() != candidates.front().indices.size()) {
      return fail(ErrorCode::Internal,
                  fmt::format("batch {} mixes configurations of different spaces", batch),
                  "nothing of it was stored; please report it");
    }
    blob += space::to_blob(candidate);
  }
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO batch (session, batch, search_seconds, candidate_count, candidates, checksum) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(id)
      .bind(std::int64_t{batch})
      .bind(search_seconds)
      .bind(static_cast<std::int64_t>(candidates.size()));
  insert.bind_blob(blob.data(), blob.size());
  const auto count = static_cast<std::int64_t>(candidates.size());
  TRY(insert.bind(batch_checksum(id, batch, search_seconds, count, std::as_bytes(std::span(blob)))).run());
  return transaction.commit();
}

Result<std::vector<Store::StoredBatch>> Store::batches(SessionId id) const {
  const auto place = TRY(connection_->trial_place(id));
  if (!place.stored()) return connection_->recorded_batches(id, place);
  sqlite::Query query = connection_->database.query(
      "SELECT batch, search_seconds, candidate_count, candidates, checksum FROM batch WHERE session = ? "
      "ORDER BY batch");
  query.bind(id);
  std::vector<StoredBatch> batches;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("batches of session {}: {}", id, shares_content)));
    StoredBatch batch{static_cast<std::int32_t>(query.integer(0)), {}, query.real(1)};
    const std::span<const std::byte> blob = query.blob(3);
    const std::int64_t stored_count = query.integer(2);
    const auto count = static_cast<std::size_t>(stored_count);
    constexpr std::size_t index_bytes = sizeof(std::uint32_t);
    constexpr std::int64_t max_candidates = 1 << 24;
    const bool sound =
        stored_count >= 0 && stored_count <= max_candidates &&
        plausible_count<std::int32_t>(query.integer(0)) && trial::plausible_seconds(batch.search_seconds) &&
        (count == 0 ? blob.empty() : !blob.empty() && blob.size() % (count * index_bytes) == 0) &&
        matches(query, 4, batch_checksum(id, query.integer(0), query.real(1), stored_count, blob),
                place.has_checksums);
    if (!sound)
      return std::unexpected(connection_->damaged(fmt::format("batch {} of session {}", batch.batch, id)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bytes = blob.size() / count;
      batch.candidates.push_back(space::configuration_from_blob(blob.data() + i * bytes, bytes));
    }
    batches.push_back(std::move(batch));
  }
  return Connection::finish(query, std::move(batches));
}

Status Store::Connection::insert_series(SessionId id, std::span<const StoredSeries> values) {
  sqlite::Query insert = database.query(
      "INSERT INTO series (session, trial, series, value) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (session, trial, series) DO UPDATE SET value = excluded.value");
  for (const StoredSeries& value : values)
    TRY(insert.bind(id).bind(value.trial).bind(value.series).bind(value.value).run());
  return {};
}

Status Store::append_series(SessionId id, std::span<const StoredSeries> values) {
  auto transaction = TRY(connection_->begin_session(id));
  TRY(connection_->insert_series(id, values));
  return transaction.commit();
}

Status Store::visit_series(SessionId id, std::int64_t first,
                           const std::function<void(const StoredSeries&)>& visit) const {
  sqlite::Query query = connection_->database.query(
      "SELECT trial, series, value FROM series WHERE session = ? AND trial >= ? ORDER BY trial, series");
  query.bind(id).bind(first);
  StoredSeries value;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("series of session {}: {}", id, shares_content)));
    value = {query.integer(0), query.text(1), query.real(2)};
    visit(value);
  }
  return query.status();
}

Result<std::vector<StoredSeries>> Store::series(SessionId id) const {
  std::vector<StoredSeries> values;
  TRY(visit_series(id, std::numeric_limits<std::int64_t>::min(),
                   [&](const StoredSeries& value) { values.push_back(value); }));
  return values;
}

Status Store::append_confirmations(SessionId id, std::span<const trial::Confirmation> confirmations) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO confirmation (session, trial, measured_utc, samples, checksum) VALUES (?, ?, ?, ?, ?)");
  for (const trial::Confirmation& confirmation : confirmations) {
    insert.bind(id).bind(confirmation.trial).bind(confirmation.measured_utc);
    insert.bind_blob(confirmation.samples_seconds.data(),
                     confirmation.samples_seconds.size() * sizeof(double));
    TRY(insert.bind(confirmation_checksum(id, confirmation)).run());
  }
  return transaction.commit();
}

Result<std::vector<trial::Confirmation>> Store::confirmations(SessionId id) const {
  const auto place = TRY(connection_->trial_place(id));
  sqlite::Query query = connection_->database.query(
      "SELECT trial, measured_utc, CASE WHEN length(samples) <= ?2 THEN samples END, checksum, "
      "length(samples) FROM confirmation WHERE session = ?1 ORDER BY id");
  query.bind(id).bind(max_sample_bytes);
  std::vector<trial::Confirmation> confirmations;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("confirmations of session {}: {}", id, shares_content)));
    auto samples = numbers_from_blob<double>(query.blob(2));
    trial::Confirmation confirmation{query.integer(0), query.text(1),
                                     std::move(samples).value_or(std::vector<double>{})};
    // NOLINTNEXTLINE(bugprone-use-after-move): `samples` still knows whether it had a value
    const bool sound = samples && query.integer(4) <= max_sample_bytes && confirmation.trial >= -1 &&
                       std::ranges::all_of(confirmation.samples_seconds, trial::plausible_seconds) &&
                       matches(query, 3, confirmation_checksum(id, confirmation), place.has_checksums);
    if (!sound) {
      return std::unexpected(connection_->damaged(fmt::format(
          "a confirmation of trial {} of session {} differs from what was stored", confirmation.trial, id)));
    }
    confirmations.push_back(std::move(confirmation));
  }
  return Connection::finish(query, std::move(confirmations));
}

Status Store::append_interruption(SessionId id, double at_session_seconds, const std::string& kind) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO interruption (session, at_session_seconds, kind) VALUES (?, ?, ?)");
  TRY(insert.bind(id).bind(at_session_seconds).bind(kind).run());
  return transaction.commit();
}

Result<std::vector<SessionInterruption>> Store::interruptions(SessionId id) const {
  sqlite::Query query = connection_->database.query(
      "SELECT at_session_seconds, kind FROM interruption WHERE session = ? ORDER BY id");
  query.bind(id);
  std::vector<SessionInterruption> interruptions;
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(
          connection_->damaged(fmt::format("interruptions of session {}: {}", id, shares_content)));
    interruptions.push_back({query.real(0), query.text(1)});
    if (!trial::plausible_seconds(interruptions.back().at_session_seconds))
      return std::unexpected(connection_->damaged(fmt::format("an interruption of session {}", id)));
  }
  return Connection::finish(query, std::move(interruptions));
}

}  // namespace kernelscape::store
