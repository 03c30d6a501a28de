#include "core/store/machines.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"
#include "core/trial/field_table.h"

namespace kernelscape::store {
namespace {

std::int64_t measure_checksum(std::string_view machine, std::string_view kind, std::string_view json) {
  RowBytes bytes;
  return bytes.text(machine).text(kind).text(json).take_checksum();
}

}  // namespace

Result<std::optional<std::string>> Machines::measure(std::string_view machine, std::string_view kind) const {
  sqlite::Query query = connection_->database.query(
      "SELECT json, checksum FROM machine_measure WHERE machine = ? AND kind = ?");
  query.bind(machine).bind(kind);
  std::optional<std::string> json;
  if (query.next()) {
    json = query.text(0);
    if (!matches(query, 1, measure_checksum(machine, kind, *json), true))
      return std::unexpected(connection_->damaged(
          fmt::format("a measurement of a machine ({}) differs from what was stored", kind)));
  }
  return Connection::finish(query, std::move(json));
}

Status Machines::save_measure(std::string_view machine, std::string_view kind, std::string_view json) {
  auto transaction = TRY(connection_->begin(true));
  sqlite::Query insert = connection_->database.query(
      "INSERT OR REPLACE INTO machine_measure (machine, kind, json, measured_utc, checksum) "
      "VALUES (?, ?, ?, ?, ?)");
  const std::string now = stored_time();
  insert.bind(machine).bind(kind).bind(json).bind(now);
  TRY(insert.bind(measure_checksum(machine, kind, json)).run());
  return transaction.commit();
}

Result<std::optional<trial::ProbeSeconds>> Machines::usual_probe(std::string_view machine) const {
  sqlite::Query query = connection_->database.query(
      "SELECT min(usual_compute_probe_seconds), min(usual_memory_probe_seconds) FROM (SELECT "
      "usual_compute_probe_seconds, usual_memory_probe_seconds FROM session WHERE probe_machine IS NOT NULL "
      "AND probe_machine = ? AND probe_version = ? AND kind = 0 ORDER BY id DESC LIMIT 20)");
  query.bind(machine).bind(std::int64_t{kernelscape::trial::probe_version});
  std::optional<trial::ProbeSeconds> usual;
  if (query.next() && !query.is_null(0))
    usual = trial::ProbeSeconds{.compute = query.real(0), .memory = query.real(1)};
  TRY(query.status());
  // Damaged times are no reason to refuse a new session, which measures its own.
  if (usual && !(usual->known() && trial::plausible_seconds(usual->compute) &&
                 trial::plausible_seconds(usual->memory)))
    usual.reset();
  return usual;
}

}  // namespace kernelscape::store
