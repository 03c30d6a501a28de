#include "core/trial/measurement.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/base/quantile.h"
#include "core/trial/fields.h"

namespace kernelscape::trial {

std::string_view to_string(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::NoError:
      return "NO_ERROR";
    case ErrorCategory::InstantiationError:
      return "INSTANTIATION_ERROR";
    case ErrorCategory::CompileHost:
      return "COMPILE_HOST";
    case ErrorCategory::CompileDevice:
      return "COMPILE_DEVICE";
    case ErrorCategory::RuntimeDevice:
      return "RUNTIME_DEVICE";
    case ErrorCategory::WrongAnswer:
      return "WRONG_ANSWER";
    case ErrorCategory::BuildTimeout:
      return "BUILD_TIMEOUT";
    case ErrorCategory::RunTimeout:
      return "RUN_TIMEOUT";
    case ErrorCategory::UnknownError:
      return "UNKNOWN_ERROR";
  }
  throw std::invalid_argument("an error category that does not exist");
}

std::string_view to_string(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::Unknown:
      return {};
    case OccupancyLimit::Threads:
      return "threads";
    case OccupancyLimit::Blocks:
      return "blocks";
    case OccupancyLimit::Registers:
      return "registers";
    case OccupancyLimit::SharedMemory:
      return "shared_memory";
  }
  throw std::invalid_argument("an occupancy limit that does not exist");
}

bool KernelResources::plausible() const {
  bool all = true;
  for_each_field<gpu_fields>([&](auto field) {
    if constexpr (field.of_resources)
      all = all && kernelscape::trial::plausible(field, value_in(field, *this));
  });
  return all;
}

bool plausible_metrics(std::span<const Metric> metrics) {
  if (metrics.size() > max_metrics) return false;
  std::set<std::string_view> names;
  return std::ranges::all_of(metrics, [&](const Metric& metric) {
    return !metric.name.empty() && metric.name.size() <= max_metric_name_bytes &&
           metric.unit.size() <= max_metric_name_bytes && std::isfinite(metric.value) &&
           names.insert(metric.name).second;
  });
}

void Measurement::add_metric(Metric metric) {
  if (std::ranges::find(metrics, metric.name, &Metric::name) == metrics.end())
    metrics.push_back(std::move(metric));
}

double Measurement::median_seconds() const { return base::quantile(samples_seconds, 0.5); }

double Measurement::ranking_seconds() const {
  return recorded_seconds > 0 ? recorded_seconds : median_seconds();
}

}  // namespace kernelscape::trial
