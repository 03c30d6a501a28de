#include "core/store/stored_metrics.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/visible_text.h"
#include "core/store/connection.h"
#include "core/store/row_bytes.h"
#include "core/store/stored_values.h"

namespace kernelscape::store {
namespace {

std::int64_t metric_checksum(SessionId id, std::int64_t place, const trial::MetricName& metric) {
  RowBytes bytes;
  return bytes.integers({id, place}).text(metric.name).text(metric.unit).take_checksum();
}

}  // namespace

StoredMetrics::StoredMetrics(sqlite::Database& database, SessionId session,
                             const std::vector<trial::MetricName>& known)
    : database_(database), session_(session) {
  for (const trial::MetricName& metric : known)
    places_.try_emplace(metric.name, Place{places_.size(), metric.unit});
}

Result<std::vector<double>> StoredMetrics::values_of(const trial::Measurement& measurement) {
  std::vector<double> values;
  for (const trial::Metric& metric : measurement.metrics) {
    const std::optional<std::size_t> place = TRY(place_of(metric));
    if (!place) continue;
    if (values.size() <= *place) values.resize(*place + 1, std::numeric_limits<double>::quiet_NaN());
    values[*place] = metric.value;
  }
  return values;
}

Result<std::optional<std::size_t>> StoredMetrics::place_of(const trial::Metric& metric) {
  if (const auto known = places_.find(metric.name); known != places_.end()) {
    if (known->second.unit == metric.unit) return known->second.place;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the unit of the metric {} is {} in one trial of session {} and {} in another",
                            base::quoted_line(metric.name), base::quoted_line(known->second.unit), session_,
                            base::quoted_line(metric.unit)),
                "give a metric the same unit in all trials");
  }
  if (places_.size() >= trial::max_metrics) return std::nullopt;
  const std::size_t place = places_.size();
  const auto stored_place = static_cast<std::int64_t>(place) + 1;
  sqlite::Query insert = database_.query(
      "INSERT INTO session_metric (session, place, name, unit, checksum) VALUES (?, ?, ?, ?, ?)");
  insert.bind(session_).bind(stored_place).bind(metric.name).bind(metric.unit);
  TRY(insert.bind(metric_checksum(session_, stored_place, {metric.name, metric.unit})).run());
  places_.emplace(metric.name, Place{place, metric.unit});
  return place;
}

std::vector<trial::Metric> named_metrics(const std::vector<trial::MetricName>& names,
                                         std::span<const double> values) {
  std::vector<trial::Metric> metrics;
  for (std::size_t place = 0; place < values.size(); ++place)
    if (values[place] == values[place])
      metrics.push_back({names[place].name, names[place].unit, values[place]});
  return metrics;
}

Result<std::vector<trial::MetricName>> read_metrics(Connection& connection, SessionId id) {
  sqlite::Query query = connection.database.query(
      "SELECT place, CASE WHEN length(name) <= ?2 THEN name END, CASE WHEN length(unit) <= ?2 THEN unit END, "
      "checksum FROM session_metric WHERE session = ?1 ORDER BY place");
  query.bind(id).bind(static_cast<std::int64_t>(trial::max_metric_name_bytes));
  std::vector<trial::MetricName> metrics;
  sqlite::HeldContent held(connection.database);
  while (query.next()) {
    trial::MetricName metric{std::string(query.text(1)), std::string(query.text(2))};
    const std::int64_t place = std::ssize(metrics) + 1;
    const bool sound = !metric.name.empty() && metrics.size() < trial::max_metrics &&
                       query.integer(0) == place && held.take(query.content_bytes()) &&
                       matches(query, 3, metric_checksum(id, place, metric), true);
    if (!sound)
      return std::unexpected(
          connection.damaged(fmt::format("the metrics of session {} differ from what was stored", id)));
    metrics.push_back(std::move(metric));
  }
  return Connection::finish(query, std::move(metrics));
}

}  // namespace kernelscape::store
