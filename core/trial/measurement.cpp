#include "core/trial/measurement.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kernelscape {

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
  return registers >= 0 && spilled_bytes >= 0 && shared_bytes >= 0 && threads >= 0 && occupancy >= 0 &&
         occupancy <= 1 && static_cast<std::size_t>(limited_by) < occupancy_limit_count;
}

double Measurement::median_seconds() const { return quantile(samples_seconds, 0.5); }

double Measurement::ranking_seconds() const {
  return recorded_seconds > 0 ? recorded_seconds : median_seconds();
}

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return sorted_quantile(values, q);
}

double sorted_quantile(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0) return values[below];
  return values[below] + fraction * (values[below + 1] - values[below]);
}

}  // namespace kernelscape
