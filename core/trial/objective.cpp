#include "core/trial/objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/base/quantile.h"

namespace kernelscape::trial {
namespace {

/** Files store about six digits of a time. */
constexpr double file_rounding = 1e-6;

bool nearly_equal(double a, double b) { return std::abs(a - b) <= file_rounding * std::abs(b); }

}  // namespace

std::string_view to_string(ObjectiveKind kind) {
  switch (kind) {
    case ObjectiveKind::Median:
      return "median";
    case ObjectiveKind::Mean:
      return "mean";
    case ObjectiveKind::Minimum:
      return "minimum";
    case ObjectiveKind::Recorded:
      return "as recorded";
  }
  throw std::invalid_argument("an objective kind that does not exist");
}

ObjectiveKind objective_kind(double objective_seconds, std::span<const double> samples_seconds) {
  if (samples_seconds.empty()) return ObjectiveKind::Recorded;
  std::vector<double> sorted(samples_seconds.begin(), samples_seconds.end());
  std::ranges::sort(sorted);
  if (nearly_equal(objective_seconds, base::sorted_quantile(sorted, 0.5)) &&
      objective_seconds >= base::sorted_quantile(sorted, 0.25) &&
      objective_seconds <= base::sorted_quantile(sorted, 0.75))
    return ObjectiveKind::Median;
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  if (nearly_equal(objective_seconds, sum / static_cast<double>(sorted.size()))) return ObjectiveKind::Mean;
  return nearly_equal(objective_seconds, sorted.front()) ? ObjectiveKind::Minimum : ObjectiveKind::Recorded;
}

}  // namespace kernelscape::trial
