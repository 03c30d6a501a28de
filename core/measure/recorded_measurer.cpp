#include "core/measure/recorded_measurer.h"

#include <algorithm>

namespace kernelscape::measure {
namespace {

/** Returns the seconds of a run for which the replay waits. */
double replayed_run_seconds(const trial::Recording& recording, std::uint32_t row,
                            const ReplaySchedule& schedule, std::size_t position) {
  const double seconds = recording.run_seconds(row);
  if (schedule.seconds_not_run.empty()) return seconds;
  return std::max(0.0, seconds - schedule.seconds_not_run[position]);
}

}  // namespace

ReplayClock::ReplayClock(const trial::Recording& recording, trial::BatchClock clock)
    : recording_(recording),
      builders_(static_cast<std::size_t>(std::max(1, recording.header().builders))),
      whole_batches_(clock == trial::BatchClock::Batches || recording.header().pipelined) {}

void ReplayClock::schedule(std::span<const std::uint32_t> rows, ReplaySchedule& schedule) const {
  schedule.finished_seconds.resize(rows.size());
  schedule.started_seconds.resize(rows.size());
  schedule.waves.clear();
  const std::size_t size = whole_batches_ ? rows.size() : builders_;
  double begin_seconds = 0;
  for (std::size_t first = 0; first < rows.size(); first += size) {
    const std::size_t end = std::min(first + size, rows.size());
    schedule.waves.push_back({first, begin_seconds, begin_seconds});
    schedule_builds(rows, end, schedule);
    begin_seconds = schedule_runs(rows, end, schedule);
  }
  cut(rows, rows.size(), schedule);
}

/**
 * Schedules the builds of the last wave, which ends before `end`: writes the end of each build to
 * `finished_seconds`, its begin to `started_seconds`.
 */
void ReplayClock::schedule_builds(std::span<const std::uint32_t> rows, std::size_t end,
                                  ReplaySchedule& schedule) const {
  ReplayWave& wave = schedule.waves.back();
  std::vector<double>& free = schedule.builders_free_seconds;
  free.assign(std::min(builders_, end - wave.first), wave.begin_seconds);
  for (std::size_t position = wave.first; position < end; ++position) {
    double& next = *std::ranges::min_element(free);
    schedule.started_seconds[position] = next;
    next += recording_.build_seconds(rows[position]);
    schedule.finished_seconds[position] = next;
    wave.builds_end_seconds = std::max(wave.builds_end_seconds, next);
  }
}

/**
 * Schedules the runs of the last wave.
 * @return when all its results are known
 */
double ReplayClock::schedule_runs(std::span<const std::uint32_t> rows, std::size_t end,
                                  ReplaySchedule& schedule) const {
  const ReplayWave& wave = schedule.waves.back();
  // In proposal order: until a build is over, it is not known whether it fails and has no run.
  double device_free = recording_.header().pipelined ? wave.begin_seconds : wave.builds_end_seconds;
  for (std::size_t position = wave.first; position < end; ++position) {
    device_free = std::max(device_free, schedule.finished_seconds[position]);
    if (trial::ended_with_build(recording_, rows[position])) continue;
    schedule.started_seconds[position] = device_free;
    device_free += replayed_run_seconds(recording_, rows[position], schedule, position);
    schedule.finished_seconds[position] = device_free;
  }
  return device_free;
}

void ReplayClock::cut(std::span<const std::uint32_t> rows, std::size_t count,
                      ReplaySchedule& schedule) const {
  schedule.run_seconds = schedule.end_seconds = 0;
  double covered_seconds = 0;  // build time that coincides with runs
  auto wave = schedule.waves.begin();
  for (std::size_t position = 0; position < count; ++position) {
    if (wave + 1 != schedule.waves.end() && (wave + 1)->first == position) ++wave;
    schedule.end_seconds = std::max(schedule.end_seconds, schedule.finished_seconds[position]);
    if (trial::ended_with_build(recording_, rows[position])) continue;
    schedule.run_seconds += replayed_run_seconds(recording_, rows[position], schedule, position);
    const double start = schedule.started_seconds[position];
    const double end = std::min(schedule.finished_seconds[position], wave->builds_end_seconds);
    covered_seconds += std::max(0.0, end - start);
  }
  double building_seconds = 0;
  for (const ReplayWave& begun : schedule.waves) {
    if (begun.first >= count) break;
    building_seconds += std::min(begun.builds_end_seconds, schedule.end_seconds) - begun.begin_seconds;
  }
  schedule.build_seconds = std::max(0.0, building_seconds - covered_seconds);
}

std::size_t begun_before(const ReplaySchedule& schedule, double seconds) {
  const auto late = std::ranges::find_if(schedule.started_seconds,
                                         [seconds](double started) { return started >= seconds; });
  return static_cast<std::size_t>(late - schedule.started_seconds.begin());
}

}  // namespace kernelscape::measure
