#include "core/store/series.h"

#include <fmt/format.h>

#include <limits>

#include "core/store/connection.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {

Status Series::append(SessionId id, std::span<const StoredSeries> values) {
  auto transaction = TRY(connection_->begin_session(id));
  sqlite::Query insert = connection_->database.query(
      "INSERT INTO series (session, trial, series, value) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (session, trial, series) DO UPDATE SET value = excluded.value");
  for (const StoredSeries& value : values)
    TRY(insert.bind(id).bind(value.trial).bind(value.series).bind(value.value).run());
  return transaction.commit();
}

Status Series::visit(SessionId id, std::int64_t first,
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

Result<std::vector<StoredSeries>> Series::of(SessionId id) const {
  std::vector<StoredSeries> values;
  TRY(visit(id, std::numeric_limits<std::int64_t>::min(),
            [&](const StoredSeries& value) { values.push_back(value); }));
  return values;
}

}  // namespace kernelscape::store
