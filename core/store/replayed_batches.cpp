#include "core/store/replayed_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/store/blob.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {
namespace {

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

std::uint32_t recorded_row(std::uint32_t number) { return number & ~trial::replayed_cut_short; }

Status insert_replayed_batch(Connection& connection, SessionId id, const ReplayedBatch& batch) {
  sqlite::Query insert = connection.database.query(
      "INSERT INTO replayed_batch (session, first_trial, batch, search_seconds, rows, finished, checksum) "
      "SELECT id, ?, ?, ?, ?, ?, ? FROM session WHERE id = ? AND kind = 1");
  insert.bind(batch.first_trial).bind(std::int64_t{batch.batch}).bind(batch.search_seconds);
  insert.bind_blob(batch.rows.data(), batch.rows.size() * sizeof(std::uint32_t));
  insert.bind_blob(batch.finished_seconds.data(), batch.finished_seconds.size() * sizeof(double));
  TRY(insert.bind(replayed_checksum(id, batch)).bind(id).run());
  if (connection.database.changes() == 0) {
    return fail(ErrorCode::Internal, fmt::format("session {} is not a replay of a recorded space", id),
                "nothing of it was stored; please report it");
  }
  return {};
}

Status visit_replayed_batches(Connection& connection, SessionId id, const TrialPlace& place,
                              const trial::Recording& recording, std::int64_t first, std::int64_t end,
                              const std::function<void(const ReplayedBatch&)>& visit) {
  sqlite::Query query = connection.database.query(select_replayed);
  query.bind(id).bind(first).bind(end);
  while (query.next()) {
    const auto batch = read_batch(query, id, recording, place.has_checksums, place.sampling.has_value());
    if (!batch)
      return std::unexpected(
          connection.damaged(fmt::format("a replayed batch of session {} differs from what was stored", id)));
    visit(*batch);
  }
  return query.status();
}

}  // namespace kernelscape::store
