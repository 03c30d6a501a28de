#include "core/store/confirmations.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/store/blob.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"
#include "core/store/trial_place.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {
namespace {

std::int64_t confirmation_checksum(SessionId id, const trial::Confirmation& confirmation) {
  RowBytes bytes;
  bytes.integers({id, confirmation.trial}).text(confirmation.measured_utc);
  return bytes.blob(std::as_bytes(std::span(confirmation.samples_seconds))).take_checksum();
}

}  // namespace

Status Confirmations::append(SessionId id, std::span<const trial::Confirmation> confirmations) {
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

Result<std::vector<trial::Confirmation>> Confirmations::of(SessionId id) const {
  const auto place = TRY(trial_place(*connection_, id));
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

}  // namespace kernelscape::store
