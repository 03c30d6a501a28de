#include "core/analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "core/analysis/timeline_builds.h"

namespace kernelscape::analysis {
namespace {

/** Shorter waits are the rounding of times. */
constexpr double min_wait_seconds = 1e-6;

struct MachineTrials {
  std::vector<TimedTrial> trials;  ///< by the time at which they finished
  std::vector<TimelineSpeed> speeds;
};

double duration_of(double seconds) { return std::isfinite(seconds) ? std::max(0.0, seconds) : 0; }

/** Splits the trials by machine. Returns the number of trials without a session time. */
std::int64_t split_by_machine(const trial::Snapshot& trials,
                              std::map<std::uint16_t, MachineTrials>& machines) {
  std::int64_t untimed = 0;
  for (std::int64_t index = 0; index < trials.size(); ++index) {
    const trial::Row row = trials.row(index);
    if (!(row.finished_seconds > 0) || !std::isfinite(row.finished_seconds)) {
      ++untimed;
      continue;
    }
    MachineTrials& machine = machines[row.worker];
    machine.trials.push_back({.row = index,
                              .number = row.number,
                              .batch = row.batch,
                              .category = row.category,
                              .finished_seconds = row.finished_seconds,
                              .build_seconds = duration_of(row.build_seconds),
                              .run_seconds = duration_of(row.run_seconds)});
    if (row.machine.speed.known())
      machine.speeds.push_back({row.finished_seconds, row.machine.speed.lowest(), index});
  }
  for (auto& [worker, machine] : machines) {
    std::ranges::stable_sort(machine.trials, {}, &TimedTrial::finished_seconds);
    std::ranges::stable_sort(machine.speeds, {}, &TimelineSpeed::seconds);
  }
  return untimed;
}

/** Returns the runs of a device, which runs one kernel at a time. */
std::vector<TimelineBlock> runs_of(const std::vector<TimedTrial>& trials) {
  std::vector<TimelineBlock> runs;
  double next_begin = std::numeric_limits<double>::infinity();
  for (auto trial = trials.rbegin(); trial != trials.rend(); ++trial) {
    if (!trial->ran()) continue;
    const double end = std::min(trial->finished_seconds, next_begin);
    next_begin = std::max(0.0, end - trial->run_seconds);
    runs.push_back({next_begin, end, trial->row, trial->category});
  }
  std::ranges::reverse(runs);
  return runs;
}

/** Returns the last time at which a trial of each batch finished, or of an earlier batch. */
std::map<std::int32_t, double> batch_ends(const std::map<std::uint16_t, MachineTrials>& machines) {
  std::map<std::int32_t, double> ends;
  for (const auto& [worker, machine] : machines)
    for (const TimedTrial& trial : machine.trials) {
      double& end = ends[trial.batch];
      end = std::max(end, trial.finished_seconds);
    }
  double latest = 0;
  for (auto& [batch, end] : ends) end = latest = std::max(latest, end);
  return ends;
}

/** Returns the search before each batch that has one; its `row` is the number of the batch for now. */
std::vector<TimelineBlock> searches_of(const TimelineInput& input, const std::map<std::int32_t, double>& ends,
                                       double session_end) {
  std::vector<TimelineBlock> blocks;
  double free = 0;
  for (const BatchSearch& search : input.searches) {
    const double seconds = duration_of(search.seconds);
    if (seconds == 0) continue;
    const auto after = ends.lower_bound(search.batch);
    const double previous = after == ends.begin() ? 0 : std::prev(after)->second;
    const double begin = std::min(std::max(previous, free), session_end);
    free = std::min(begin + seconds, session_end);
    blocks.push_back({begin, free, search.batch});
  }
  return blocks;
}

/** Returns the times in which none of the blocks lies, from `begin` to `end`. */
std::vector<TimelineBlock> waits_between(std::vector<TimelineBlock> busy, double begin, double end) {
  std::ranges::sort(busy, {}, &TimelineBlock::begin_seconds);
  std::vector<TimelineBlock> waits;
  for (const TimelineBlock& block : busy) {
    if (block.begin_seconds - begin > min_wait_seconds) waits.push_back({begin, block.begin_seconds});
    begin = std::max(begin, block.end_seconds);
  }
  if (end - begin > min_wait_seconds) waits.push_back({begin, end});
  return waits;
}

/** Returns the confirmations: each begins when the last trial before its end is finished. */
std::vector<TimelineBlock> confirmations_of(const TimelineInput& input,
                                            const std::map<std::uint16_t, MachineTrials>& machines) {
  std::vector<TimelineBlock> blocks;
  for (const double end : input.confirmed_seconds) {
    double begin = blocks.empty() ? 0 : blocks.back().end_seconds;
    for (const auto& [worker, machine] : machines) {
      const auto after = std::ranges::upper_bound(machine.trials, end, {}, &TimedTrial::finished_seconds);
      if (after != machine.trials.begin()) begin = std::max(begin, std::prev(after)->finished_seconds);
    }
    if (end - begin > min_wait_seconds) blocks.push_back({begin, end});
  }
  return blocks;
}

/** Returns when the builds of each batch can begin: after its search, or after the previous batch. */
std::map<std::int32_t, double> build_begins(const std::map<std::int32_t, double>& ends,
                                            const std::vector<TimelineBlock>& searches) {
  std::map<std::int32_t, double> begins;
  double previous = 0;
  for (const auto& [batch, end] : ends) {
    begins[batch] = previous;
    previous = end;
  }
  for (const TimelineBlock& search : searches) {
    const auto found = begins.find(static_cast<std::int32_t>(search.row));
    if (found != begins.end()) found->second = std::max(found->second, search.end_seconds);
  }
  return begins;
}

void add_lane(Timeline& timeline, Activity activity, std::uint16_t machine,
              std::vector<TimelineBlock> blocks) {
  if (!blocks.empty()) timeline.lanes.push_back({activity, machine, std::move(blocks)});
}

}  // namespace

Timeline make_timeline(const TimelineInput& input) {
  Timeline timeline;
  std::map<std::uint16_t, MachineTrials> machines;
  timeline.untimed = split_by_machine(input.trials, machines);
  const std::map<std::int32_t, double> ends = batch_ends(machines);
  timeline.end_seconds =
      std::max(duration_of(input.session_seconds), ends.empty() ? 0 : ends.rbegin()->second);
  std::vector<TimelineBlock> searches = searches_of(input, ends, timeline.end_seconds);
  const std::map<std::int32_t, double> begins = build_begins(ends, searches);
  for (TimelineBlock& search : searches) search.row = -1;
  add_lane(timeline, Activity::Search, 0, searches);
  const std::vector<TimelineBlock> confirmations = confirmations_of(input, machines);
  add_lane(timeline, Activity::Confirm, 0, confirmations);
  for (auto& [worker, machine] : machines) {
    std::vector<TimelineBlock> runs = runs_of(machine.trials);
    // The builders of a fleet's worker are not known.
    std::vector<TimelineBlock> builds =
        worker == 0 && input.builds_beside_runs
            ? builds_beside_runs(machine.trials, runs, begins, input.builders)
            : builds_before_runs(machine.trials, runs, worker == 0 ? input.builders : 0);
    std::vector<TimelineBlock> busy = builds;
    busy.insert(busy.end(), runs.begin(), runs.end());
    double begin = 0;
    double end = timeline.end_seconds;
    if (worker == 0) {
      busy.insert(busy.end(), searches.begin(), searches.end());
      busy.insert(busy.end(), confirmations.begin(), confirmations.end());
    } else if (!busy.empty()) {
      begin = std::ranges::min_element(busy, {}, &TimelineBlock::begin_seconds)->begin_seconds;
      end = std::ranges::max_element(busy, {}, &TimelineBlock::end_seconds)->end_seconds;
    }
    for (std::vector<TimelineBlock>& lane : builder_lanes(std::move(builds)))
      add_lane(timeline, Activity::Build, worker, std::move(lane));
    add_lane(timeline, Activity::Run, worker, std::move(runs));
    add_lane(timeline, Activity::Wait, worker, waits_between(std::move(busy), begin, end));
    if (!machine.speeds.empty()) timeline.speeds.push_back({worker, std::move(machine.speeds)});
  }
  return timeline;
}

}  // namespace kernelscape::analysis
