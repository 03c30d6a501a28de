#include "core/store/batches.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/recorded_trials.h"
#include "core/store/replayed_batches.h"
#include "core/store/row_bytes.h"
#include "core/store/series.h"
#include "core/store/session_status.h"
#include "core/store/stored_values.h"
#include "core/store/trial_place.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {
namespace {

std::int64_t batch_checksum(SessionId id, std::int64_t batch, double search_seconds, std::int64_t candidates,
                            std::span<const std::byte> blob) {
  RowBytes bytes;
  return bytes.integers({id, batch, candidates}).reals({search_seconds}).blob(blob).take_checksum();
}

}  // namespace

Status Batches::append(SessionId id, std::int32_t batch, std::span<const space::Configuration> candidates,
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

Result<std::vector<StoredBatch>> Batches::of(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
  if (!place.stored()) return RecordedTrials(*connection_, id, place).batches();
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

Status Batches::append_replayed(SessionId id, std::span<const ReplayedBatch> batches,
                                std::span<const StoredSeries> series, const SessionStatus& status) {
  auto transaction = TRY(connection_->begin_session(id));
  for (const ReplayedBatch& batch : batches) TRY(insert_replayed_batch(*connection_, id, batch));
  TRY(Series(*connection_).append(id, series));
  TRY(write_status(*connection_, id, status));
  return transaction.commit();
}

}  // namespace kernelscape::store
