#include "core/analysis/comparison/compared_runs.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "core/analysis/curve.h"

namespace kernelscape::analysis {
namespace {

double value_at(std::span<const double> steps, std::span<const double> values, double x) {
  const auto passed = static_cast<std::size_t>(std::ranges::upper_bound(steps, x) - steps.begin());
  return passed == 0 ? 0 : values[passed - 1];
}

}  // namespace

double BestCurve::at_seconds(double x) const { return value_at(seconds, performance, x); }
double BestCurve::at_trials(double x) const { return value_at(trials, performance, x); }

BestCurve best_curve(const trial::Snapshot& trials, double flops, double end_seconds,
                     std::span<const double> true_seconds) {
  constexpr double flops_per_gigaflop = 1e9;
  const double calls = flops > 0 ? flops / flops_per_gigaflop : 1;
  BestCurve curve;
  for (const ImprovementPoint& point : best_so_far(trials)) {
    if (!(point.median_seconds > 0)) continue;
    // The trials of a batch may be stored in another order than they finished.
    const double earliest = curve.seconds.empty() ? 0 : curve.seconds.back();
    curve.seconds.push_back(std::max(earliest, point.finished_seconds));
    curve.trials.push_back(static_cast<double>(point.row + 1));
    const double seconds =
        true_seconds.empty() ? point.median_seconds : true_seconds[static_cast<std::size_t>(point.row)];
    curve.performance.push_back(calls / seconds);
  }
  curve.end_seconds = std::max(end_seconds, curve.seconds.empty() ? 0 : curve.seconds.back());
  if (trials.size() > 0)
    curve.end_seconds = std::max(curve.end_seconds, trials.row(trials.size() - 1).finished_seconds);
  curve.end_trials = static_cast<double>(trials.size());
  return curve;
}

ReportedCurve reported_curve(const trial::Snapshot& trials, const std::vector<ReportedValue>& values) {
  ReportedCurve curve;
  if (values.empty()) return curve;
  std::unordered_map<std::int64_t, double> of_trial;
  for (const ReportedValue& reported : values) of_trial[reported.trial] = reported.value;
  double latest = 0;
  for (std::int64_t index = 0; index < trials.size(); ++index) {
    const trial::Row trial = trials.row(index);
    // The trials of a batch may be stored in another order than they finished.
    latest = std::max(latest, trial.finished_seconds);
    const auto found = of_trial.find(trial.number);
    if (found == of_trial.end()) continue;
    if (!curve.empty() && curve.values.back() == found->second) continue;
    curve.seconds.push_back(latest);
    curve.trials.push_back(static_cast<double>(index + 1));
    curve.values.push_back(found->second);
  }
  return curve;
}

}  // namespace kernelscape::analysis
