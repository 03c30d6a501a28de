#include "core/analysis/comparison/performance_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/run_draws.h"
#include "core/analysis/comparison/run_numbers.h"

namespace kernelscape::analysis {
namespace {

constexpr double beyond = std::numeric_limits<double>::infinity();

std::vector<double> times_of(const RunCell& cell, const ComparedMeasure& measure) {
  std::vector<double> times;
  for (const RunNumbers& run : cell.finished) times.push_back(run_number(run, measure));
  return times;
}

/** Returns infinity if no arm's median reaches the goal. */
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

/**
 * Returns a time as a multiple of the best median. If that is infinite, every run that reached the goal is
 * within any factor.
 */
double factor_of(double time, double best) {
  if (!(time < beyond)) return beyond;
  if (!(best < beyond)) return 0;
  return best > 0 ? time / best : time > 0 ? beyond : 1;
}

/** Returns some of a line's steps, including its first and last. */
std::vector<double> band_factors(const ProfileLine& line) {
  constexpr std::size_t most = 128;
  const std::size_t steps = line.factors.size();
  if (steps <= most) return line.factors;
  std::vector<double> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(line.factors[i * (steps - 1) / (most - 1)]);
  return some;
}

/** An arm's times on an included task, and which of them each resample has. */
struct DrawnTimes {
  std::vector<double> times;
  RunDraws draws;
};

/** Computes the bands of all lines: a resample's best medians are of all arms. */
class ProfileBands {
 public:
  ProfileBands(const NumberedRuns& runs, const ComparedMeasure& measure, const BootstrapOptions& options,
               PerformanceProfile& profile)
      : options_(options), profile_(profile), arms_(runs.arms), tasks_(options, 0, profile.tasks.size()) {
    for (const std::size_t task : profile.tasks)
      for (std::size_t arm = 0; arm < arms_; ++arm)
        cells_.push_back({times_of(runs.cell(arm, task), measure), draws_of_cell(runs, arm, task, options)});
    for (ProfileLine& line : profile.lines) {
      line.band.factors = band_factors(line);
      shares_.emplace_back(line.band.factors.size());
    }
    find_best_medians();
  }

  void fill() {
    for (std::size_t place = 0; place < profile_.lines.size(); ++place) {
      ProfileLine& line = profile_.lines[place];
      const std::size_t samples = samples_of(line.arm);
      if (samples < 2) {
        line.band = {};
        continue;
      }
      for (std::size_t resample = 0; resample < options_.resamples; ++resample) add(place, resample);
      for (std::vector<double>& shares : shares_[place]) {
        const auto interval = percentile_interval(std::move(shares), samples);
        line.band.low.push_back(interval->low);
        line.band.high.push_back(std::min(1.0, interval->high));
      }
    }
  }

 private:
  bool draws_tasks() const { return options_.over_tasks && profile_.tasks.size() > 1; }
  const DrawnTimes& cell(std::size_t arm, std::size_t place) const { return cells_[place * arms_ + arm]; }

  /** Returns the size of the level that is drawn first: tasks, or the smallest number of runs. */
  std::size_t samples_of(std::size_t arm) const {
    if (draws_tasks()) return profile_.tasks.size();
    std::size_t fewest = 0;
    for (std::size_t place = 0; place < profile_.tasks.size(); ++place) {
      const std::size_t runs = cell(arm, place).times.size();
      if (runs > 0) fewest = fewest == 0 ? runs : std::min(fewest, runs);
    }
    return fewest;
  }

  /** Computes the best median of each task, by resample. */
  void find_best_medians() {
    best_.assign(profile_.tasks.size(), std::vector<double>(options_.resamples, beyond));
    std::vector<double> drawn;
    for (std::size_t place = 0; place < profile_.tasks.size(); ++place) {
      for (std::size_t arm = 0; arm < arms_; ++arm) {
        const DrawnTimes& of = cell(arm, place);
        if (of.times.empty()) continue;
        for (std::size_t resample = 0; resample < options_.resamples; ++resample) {
          drawn.clear();
          for (const std::uint32_t run : of.draws.positions(resample)) drawn.push_back(of.times[run]);
          double& best = best_[place][resample];
          best = std::min(best, median_with_infinities(drawn));
        }
      }
    }
  }

  /** Adds the shares of a resample of tasks and runs. */
  void add(std::size_t line, std::size_t resample) {
    constexpr std::size_t step = 37;  // prime, so that a task that is drawn twice has different runs
    counts_.assign(shares_[line].size() + 1, 0);
    std::size_t runs = 0;
    for (std::size_t draw = 0; draw < profile_.tasks.size(); ++draw) {
      if (draws_tasks()) {
        runs += count(line, tasks_.positions(resample)[draw], (resample + step * draw) % options_.resamples);
      } else {
        runs += count(line, draw, resample);
      }
    }
    double within = 0;
    for (std::size_t i = 0; i < shares_[line].size(); ++i) {
      within += counts_[i];
      // If no task with a run of the arm is drawn, the share is unknown (NaN).
      shares_[line][i].push_back(runs > 0 ? within / static_cast<double>(runs)
                                          : std::numeric_limits<double>::quiet_NaN());
    }
  }

  /** Counts the runs of a task below each factor of the band. @return number of all its runs */
  std::size_t count(std::size_t line, std::size_t place, std::size_t resample) {
    const DrawnTimes& of = cell(profile_.lines[line].arm, place);
    if (of.times.empty()) return 0;
    const std::vector<double>& factors = profile_.lines[line].band.factors;
    const std::span<const std::uint32_t> drawn = of.draws.positions(resample);
    for (const std::uint32_t run : drawn) {
      const double factor = factor_of(of.times[run], best_[place][resample]);
      ++counts_[static_cast<std::size_t>(std::ranges::lower_bound(factors, factor) - factors.begin())];
    }
    return drawn.size();
  }

  BootstrapOptions options_;
  PerformanceProfile& profile_;
  std::size_t arms_;
  Resamples tasks_;
  std::vector<DrawnTimes> cells_;                         ///< by included task, then arm
  std::vector<std::vector<double>> best_;                 ///< by included task, then resample
  std::vector<std::vector<std::vector<double>>> shares_;  ///< by line, factor, resample
  std::vector<double> counts_;  ///< of a resample, by factor; those beyond the last one come last
};

}  // namespace

double ProfileLine::at(double factor) const {
  const auto passed = std::ranges::upper_bound(factors, factor) - factors.begin();
  return passed == 0 ? 0 : shares[static_cast<std::size_t>(passed) - 1];
}

PerformanceProfile performance_profile(const ComparedRuns& runs, const ComparedMeasure& measure,
                                       const BootstrapOptions& bootstrap) {
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
        factors[arm].push_back(factor_of(time, best));
  }
  for (std::size_t arm = 0; arm < numbered.arms; ++arm) {
    if (factors[arm].empty()) continue;
    profile.lines.push_back(line_of(arm, std::move(factors[arm])));
    const ProfileLine& line = profile.lines.back();
    if (!line.factors.empty()) profile.largest_factor = std::max(profile.largest_factor, line.factors.back());
  }
  if (bootstrap.resamples > 0 && !profile.tasks.empty())
    ProfileBands(numbered, measure, bootstrap, profile).fill();
  return profile;
}

}  // namespace kernelscape::analysis
