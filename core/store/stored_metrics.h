#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/identifiers.h"
#include "core/store/sqlite.h"
#include "core/trial/measurement.h"

namespace kernelscape::store {

struct Connection;

/**
 * The places of a session's metrics while trials are stored. A metric without a place is stored; metrics
 * beyond trial::max_metrics are left out. A known metric with another unit is an error.
 */
class StoredMetrics {
 public:
  /** @param known the metrics that the session has */
  StoredMetrics(sqlite::Database& database, SessionId session, const std::vector<trial::MetricName>& known);

  /** Returns the values of a measurement by place, NaN for a missing one; empty if it has no metrics. */
  Result<std::vector<double>> values_of(const trial::Measurement& measurement);

 private:
  Result<std::optional<std::size_t>> place_of(const trial::Metric& metric);

  sqlite::Database& database_;
  SessionId session_;
  struct Place {
    std::size_t place = 0;
    std::string unit;
  };
  std::map<std::string, Place> places_;
};

/** Returns the metrics that are not NaN. @param values by place, at most as many as there are names */
std::vector<trial::Metric> named_metrics(const std::vector<trial::MetricName>& names,
                                         std::span<const double> values);

/**
 * Reads the metrics that a session's stored trials have, by place. Returns Corrupt if they differ from what
 * was stored.
 */
Result<std::vector<trial::MetricName>> read_metrics(Connection& connection, SessionId id);

}  // namespace kernelscape::store
