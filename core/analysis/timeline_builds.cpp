#include "core/analysis/timeline_builds.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace kernelscape::analysis {
namespace {

/** Differences of times below this are rounding. */
constexpr double rounding_seconds = 1e-6;
/** A pause seems shorter than its builds if the result of the run before it was reported late. */
constexpr double min_pause_share = 0.8;
constexpr std::size_t max_builder_lanes = 64;

/** A pause of a device before one of its runs, or after the last one. */
struct DevicePause {
  std::size_t index = 0;
  double begin_seconds = 0;
  double end_seconds = 0;

  double length() const { return end_seconds - begin_seconds; }
};

/** Pauses in order, of which a longer later one hides shorter earlier ones. */
class DevicePauses {
 public:
  void add(const DevicePause& pause) {
    while (!kept_.empty() && kept_.back().length() <= pause.length()) kept_.pop_back();
    kept_.push_back(pause);
  }
  /**
   * Returns the last pause that is long enough for a build, or the longest one if none is.
   * @param first index of the first pause of the build's batch
   */
  const DevicePause& last_for(double build_seconds, std::size_t first) const {
    const auto begin = std::ranges::lower_bound(kept_, first, {}, &DevicePause::index);
    const auto end = std::partition_point(begin, kept_.end(), [&](const DevicePause& pause) {
      return pause.length() >= min_pause_share * build_seconds;
    });
    return end == begin ? *begin : *std::prev(end);
  }

 private:
  std::vector<DevicePause> kept_;  ///< ever shorter
};

/** A build and the pause in which it belongs. */
struct PausedBuild {
  const TimedTrial* trial = nullptr;
  std::size_t pause = 0;
  double pause_end_seconds = 0;
};

/** Returns the build of a trial that was not run: its end is stored. */
TimelineBlock stored_build(const TimedTrial& trial) {
  return {std::max(0.0, trial.finished_seconds - trial.build_seconds), trial.finished_seconds, trial.row,
          trial.category};
}

/** Hands out builds in their order to the builder that is free first. */
class BuilderSchedule {
 public:
  explicit BuilderSchedule(std::size_t builders) : builders_(builders) {}

  /** Returns when a build begins, in seconds since the first builds. */
  double begin_of(double build_seconds) {
    double begin = 0;
    if (builders_ > 0 && free_.size() == builders_) {
      begin = free_.top();
      free_.pop();
    }
    if (builders_ > 0) free_.push(begin + build_seconds);
    end_ = std::max(end_, begin + build_seconds);
    return begin;
  }
  double end() const { return end_; }  ///< of all builds so far

 private:
  std::size_t builders_;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;
  double end_ = 0;
};

/** Finds the pause of each build. */
std::vector<PausedBuild> paused_builds(const std::vector<TimedTrial>& trials,
                                       const std::vector<TimelineBlock>& runs) {
  std::vector<PausedBuild> builds;
  DevicePauses pauses;
  std::map<std::int32_t, std::size_t> first_of_batch;
  std::size_t run = 0;
  const auto pause_of = [&](std::size_t index) {
    return DevicePause{
        index, index == 0 ? 0 : runs[index - 1].end_seconds,
        index < runs.size() ? runs[index].begin_seconds : std::numeric_limits<double>::infinity()};
  };
  pauses.add(pause_of(0));
  for (const TimedTrial& trial : trials) {
    const std::size_t first = first_of_batch.try_emplace(trial.batch, run).first->second;
    if (trial.build_seconds > 0) {
      // The pause in which a build failed is certain.
      const DevicePause pause = trial.ran() ? pauses.last_for(trial.build_seconds, first) : pause_of(run);
      builds.push_back({&trial, pause.index, pause.end_seconds});
    }
    if (trial.ran()) pauses.add(pause_of(++run));
  }
  std::ranges::sort(builds, [](const PausedBuild& a, const PausedBuild& b) {
    return std::pair(a.pause, a.trial->number) < std::pair(b.pause, b.trial->number);
  });
  return builds;
}

}  // namespace

std::vector<TimelineBlock> builds_before_runs(const std::vector<TimedTrial>& trials,
                                              const std::vector<TimelineBlock>& runs, std::size_t builders) {
  const std::vector<PausedBuild> builds = paused_builds(trials, runs);
  std::vector<TimelineBlock> blocks;
  for (auto first = builds.begin(); first != builds.end();) {
    const auto end = std::find_if(first, builds.end(),
                                  [&](const PausedBuild& build) { return build.pause != first->pause; });
    BuilderSchedule schedule(builders);
    std::vector<double> begins;
    for (auto build = first; build != end; ++build)
      begins.push_back(schedule.begin_of(build->trial->build_seconds));
    for (auto build = first; build != end; ++build) {
      const TimedTrial& trial = *build->trial;
      if (!trial.ran()) {
        blocks.push_back(stored_build(trial));
        continue;
      }
      const double begin = std::max(
          0.0, build->pause_end_seconds - schedule.end() + begins[static_cast<std::size_t>(build - first)]);
      blocks.push_back({begin, std::min(begin + trial.build_seconds, build->pause_end_seconds), trial.row});
    }
    first = end;
  }
  return blocks;
}

std::vector<TimelineBlock> builds_beside_runs(const std::vector<TimedTrial>& trials,
                                              const std::vector<TimelineBlock>& runs,
                                              const std::map<std::int32_t, double>& begins,
                                              std::size_t builders) {
  struct Build {
    const TimedTrial* trial;
    double run_begin_seconds;
  };
  std::vector<Build> builds;
  std::size_t run = 0;
  for (const TimedTrial& trial : trials) {
    const double run_begin =
        trial.ran() ? runs[run++].begin_seconds : std::numeric_limits<double>::infinity();
    if (trial.build_seconds > 0) builds.push_back({&trial, run_begin});
  }
  std::ranges::sort(builds, {}, [](const Build& build) { return build.trial->number; });
  std::map<std::int32_t, BuilderSchedule> schedules;
  std::vector<TimelineBlock> blocks;
  for (const Build& build : builds) {
    const TimedTrial& trial = *build.trial;
    const double begin =
        begins.at(trial.batch) +
        schedules.try_emplace(trial.batch, builders).first->second.begin_of(trial.build_seconds);
    if (!trial.ran()) {
      blocks.push_back(stored_build(trial));
      continue;
    }
    const double end = std::min(begin + trial.build_seconds, build.run_begin_seconds);
    blocks.push_back({std::max(0.0, end - trial.build_seconds), end, trial.row});
  }
  return blocks;
}

std::vector<std::vector<TimelineBlock>> builder_lanes(std::vector<TimelineBlock> builds) {
  std::ranges::sort(builds, [](const TimelineBlock& a, const TimelineBlock& b) {
    return std::pair(a.begin_seconds, a.end_seconds) < std::pair(b.begin_seconds, b.end_seconds);
  });
  std::vector<std::vector<TimelineBlock>> lanes;
  const auto end_of = [](const std::vector<TimelineBlock>& lane) { return lane.back().end_seconds; };
  for (TimelineBlock& build : builds) {
    auto lane = std::ranges::find_if(lanes, [&](const std::vector<TimelineBlock>& one) {
      return end_of(one) <= build.begin_seconds + rounding_seconds;
    });
    if (lane == lanes.end() && lanes.size() < max_builder_lanes) lane = lanes.emplace(lane);
    if (lane == lanes.end()) lane = std::ranges::min_element(lanes, {}, end_of);
    // The blocks of a builder are ascending by their ends too.
    if (!lane->empty()) build.end_seconds = std::max(build.end_seconds, end_of(*lane));
    lane->push_back(build);
  }
  return lanes;
}

}  // namespace kernelscape::analysis
