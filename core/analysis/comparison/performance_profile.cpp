#include "core/analysis/comparison/performance_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/bootstrap.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape {
namespace {

constexpr double beyond = std::numeric_limits<double>::infinity();

std::vector<double> times_of(const RunCell& cell, const ComparedMeasure& measure) {
  std::vector<double> times;
  for (const RunNumbers& run : cell.finished) times.push_back(run_number(run, measure));
  return times;
}

/** Infinity where no arm's median gets there. */
double smallest_median(const NumberedRuns& runs, std::size_t task, const ComparedMeasure& measure) {
  double smallest = beyond;
  for (std::size_t arm = 0; arm < runs.arms; ++arm) {
    std::vector<double> times = times_of(runs.cell(arm, task), measure);
    if (!times.empty()) smallest = std::min(smallest, median_with_infinities(times));
  }
  return smallest;
}

/** @param factors of each run, infinity: never */
ProfileLine line_of(std::size_t arm, std::vector<double> factors) {
  std::ranges::sort(factors);
  ProfileLine line;
  line.arm = arm;
  line.runs = factors.size();
  for (std::size_t i = 0; i < factors.size() && factors[i] < beyond; ++i) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(factors.size());
    if (!line.factors.empty() && line.factors.back() == factors[i]) {
      line.shares.back() = share;
      continue;
    }
    line.factors.push_back(factors[i]);
    line.shares.push_back(share);
  }
  return line;
}

}  // namespace

double ProfileLine::at(double factor) const {
  const auto passed = std::ranges::upper_bound(factors, factor) - factors.begin();
  return passed == 0 ? 0 : shares[static_cast<std::size_t>(passed) - 1];
}

PerformanceProfile performance_profile(const ComparedRuns& runs, const ComparedMeasure& measure) {
  PerformanceProfile profile;
  if (!less_is_better(measure)) return profile;
  const NumberedRuns numbered = numbered_runs(runs);
  std::vector<std::vector<double>> factors(numbered.arms);
  for (std::size_t task = 0; task < numbered.tasks.size(); ++task) {
    if (numbered.tasks[task].within_noise.at(measure.goal)) {
      profile.within_noise.push_back(task);
      continue;
    }
    const double best = smallest_median(numbered, task, measure);
    (best < beyond ? profile.tasks : profile.unreached).push_back(task);
    if (!(best < beyond)) continue;
    for (std::size_t arm = 0; arm < numbered.arms; ++arm)
      for (const double time : times_of(numbered.cell(arm, task), measure))
        factors[arm].push_back(best > 0 ? time / best : time > 0 ? beyond : 1);
  }
  for (std::size_t arm = 0; arm < numbered.arms; ++arm) {
    if (factors[arm].empty()) continue;
    profile.lines.push_back(line_of(arm, std::move(factors[arm])));
    const ProfileLine& line = profile.lines.back();
    if (!line.factors.empty()) profile.largest_factor = std::max(profile.largest_factor, line.factors.back());
  }
  return profile;
}

}  // namespace kernelscape
