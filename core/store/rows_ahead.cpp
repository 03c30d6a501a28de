#include "core/store/rows_ahead.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "core/base/processors.h"
#include "core/store/row_bytes.h"
#include "core/store/trial_columns.h"

namespace kernelscape::store {
namespace {

constexpr int max_readers = 4;
constexpr std::size_t parts_per_reader = 2;  // one part is read while another waits for the caller
/**
 * Maximum size of the configurations of a part: far beyond those of real spaces. Forged rows that exceed it
 * are left to the caller, which counts their content.
 */
constexpr std::int64_t max_part_bytes = 16 << 20;

}  // namespace

std::unique_ptr<RowsAhead> RowsAhead::begin(sqlite::Database& database, const Rows& rows,
                                            const Shares& shares) {
  // The uncommitted rows of a transaction are visible to its own connection only.
  if (rows.count < shares.min_rows || database.in_transaction()) return nullptr;
  const int readers = shares.readers > 0 ? shares.readers : std::min(base::usable_cores(), max_readers);
  if (readers < 2) return nullptr;
  try {
    std::unique_ptr<RowsAhead> ahead(new RowsAhead(rows, shares));
    ahead->end_ = ahead->part_count();
    ahead->parts_.resize(static_cast<std::size_t>(readers) * parts_per_reader);
    for (int reader = 0; reader < readers; ++reader) {
      Result<sqlite::Database> connection = database.second_reader();
      if (!connection) return nullptr;
      ahead->connections_.push_back(std::move(*connection));
    }
    for (sqlite::Database& connection : ahead->connections_)
      ahead->threads_.emplace_back([reading = ahead.get(), &connection] { reading->serve(connection); });
    return ahead;
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::system_error&) {  // no more threads
    return nullptr;
  }
}

RowsAhead::~RowsAhead() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = 0;
  }
  changed_.notify_all();
}

std::span<const ArrivedRow> RowsAhead::next() {
  std::unique_lock lock(mutex_);
  if (next_taken_ > 0) part_at(next_taken_ - 1).ready = false;
  const std::int64_t place = next_taken_;
  ++next_taken_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return place >= end_ || part_at(place).ready; });
  if (place >= end_) return {};
  const Part& part = part_at(place);
  return {part.rows.data(), part.count};
}

std::int64_t RowsAhead::wait_for_place() {
  std::unique_lock lock(mutex_);
  const auto has_room = [&] {
    // The caller still uses the part that it took last.
    return next_read_ < std::max<std::int64_t>(next_taken_ - 1, 0) + std::ssize(parts_);
  };
  changed_.wait(lock, [&] { return next_read_ >= end_ || has_room(); });
  return next_read_ < end_ ? next_read_++ : -1;
}

void RowsAhead::serve(sqlite::Database& database) noexcept {
  for (std::int64_t place = wait_for_place(); place >= 0; place = wait_for_place()) {
    Part& part = part_at(place);
    bool whole = false;
    try {
      whole = read(database, place, part);
    } catch (const std::bad_alloc&) {
      part.rows = {};
    }
    const std::scoped_lock lock(mutex_);
    part.ready = whole;
    if (!whole) end_ = std::min(end_, place);
    changed_.notify_all();
  }
}

std::int64_t RowsAhead::rows_in(std::int64_t place) const {
  return std::min(shares_.rows_at_once, rows_.count - place * shares_.rows_at_once);
}

bool RowsAhead::read(sqlite::Database& database, std::int64_t place, Part& part) const {
  const std::int64_t wanted = rows_in(place);
  part.rows.resize(static_cast<std::size_t>(shares_.rows_at_once));
  part.count = 0;
  sqlite::Query query = database.query(select_rows_sql(rows_.of_gpu));
  query.bind(rows_.session).bind(rows_.first + place * shares_.rows_at_once).bind(wanted);
  RowBytes bytes;
  std::int64_t held = 0;
  while (query.next()) {
    held += query.content_bytes();
    if (held > max_part_bytes ||
        !read_row(query, rows_.of_gpu, rows_.has_checksums, bytes, part.rows[part.count]))
      return false;
    ++part.count;
  }
  return query.status().has_value() && static_cast<std::int64_t>(part.count) == wanted;
}

}  // namespace kernelscape::store
