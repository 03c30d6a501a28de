#include "core/store/stored_workers.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

constexpr std::size_t max_session_workers = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t max_worker_bytes = 4096;

std::int64_t worker_checksum(SessionId id, std::int64_t place, std::string_view name) {
  RowBytes bytes;
  return bytes.integers({id, place}).text(name).take_checksum();
}

}  // namespace

StoredWorkers::StoredWorkers(sqlite::Database& database, SessionId session, std::vector<std::string> known)
    : database_(database), session_(session) {
  for (std::string& name : known) places_.try_emplace(std::move(name), next_place());
}

Result<std::uint16_t> StoredWorkers::place_of(const std::string& name) {
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

Result<std::vector<std::string>> read_workers(Connection& connection, SessionId id) {
  sqlite::Query query = connection.database.query(
      "SELECT place, CASE WHEN length(name) <= ?2 THEN name END, checksum FROM session_worker "
      "WHERE session = ?1 ORDER BY place");
  query.bind(id).bind(max_worker_bytes);
  std::vector<std::string> names;
  sqlite::HeldContent held(connection.database);
  while (query.next()) {
    std::string name(query.text(1));
    const std::int64_t place = std::ssize(names) + 1;
    const bool sound = !name.empty() && names.size() < max_session_workers && query.integer(0) == place &&
                       held.take(std::ssize(name)) &&
                       matches(query, 2, worker_checksum(id, place, name), true);
    if (!sound)
      return std::unexpected(
          connection.damaged(fmt::format("the workers of session {} differ from what was stored", id)));
    names.push_back(std::move(name));
  }
  return Connection::finish(query, std::move(names));
}

}  // namespace kernelscape::store
