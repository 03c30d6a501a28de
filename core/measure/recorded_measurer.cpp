#include "core/measure/recorded_measurer.h"

#include <algorithm>

namespace kernelscape {
namespace {

/** Whether it was over with its build. A kernel that a device's loader refused has cost a run as well. */
bool build_failed(const Recording& recording, std::uint32_t row) {
  if (recording.run_seconds(row) > 0) return false;
  switch (recording.category(row)) {
    case ErrorCategory::InstantiationError:
    case ErrorCategory::CompileHost:
    case ErrorCategory::CompileDevice:
    case ErrorCategory::BuildTimeout:
    case ErrorCategory::UnknownError:
      return true;
    default:
      return false;
  }
}

/** Leaves the end of each build in `finished_seconds`, its begin in `started_seconds`. */
void schedule_builds(const Recording& recording, std::span<const std::uint32_t> rows,
                     ReplaySchedule& schedule) {
  const auto builders = static_cast<std::size_t>(std::max(1, recording.header().builders));
  std::vector<double>& free = schedule.builders_free_seconds;
  free.assign(std::min(builders, std::max<std::size_t>(rows.size(), 1)), 0.0);
  schedule.builds_end_seconds = 0;
  for (std::size_t position = 0; position < rows.size(); ++position) {
    double& next = *std::ranges::min_element(free);
    schedule.started_seconds[position] = next;
    next += recording.build_seconds(rows[position]);
    schedule.finished_seconds[position] = next;
    schedule.builds_end_seconds = std::max(schedule.builds_end_seconds, next);
  }
}

}  // namespace

void schedule_replay(const Recording& recording, std::span<const std::uint32_t> rows,
                     ReplaySchedule& schedule) {
  schedule.finished_seconds.resize(rows.size());
  schedule.started_seconds.resize(rows.size());
  schedule_builds(recording, rows, schedule);
  // In proposal order: until a build is over, nobody knows that it fails and has no run.
  double device_free = recording.header().pipelined ? 0 : schedule.builds_end_seconds;
  for (std::size_t position = 0; position < rows.size(); ++position) {
    device_free = std::max(device_free, schedule.finished_seconds[position]);
    if (build_failed(recording, rows[position])) continue;
    schedule.started_seconds[position] = device_free;
    device_free += recording.run_seconds(rows[position]);
    schedule.finished_seconds[position] = device_free;
  }
  cut_schedule(recording, rows, rows.size(), schedule);
}

std::size_t begun_before(const ReplaySchedule& schedule, double seconds) {
  const auto late = std::ranges::find_if(schedule.started_seconds,
                                         [seconds](double started) { return started >= seconds; });
  return static_cast<std::size_t>(late - schedule.started_seconds.begin());
}

void cut_schedule(const Recording& recording, std::span<const std::uint32_t> rows, std::size_t count,
                  ReplaySchedule& schedule) {
  schedule.run_seconds = schedule.end_seconds = 0;
  double covered_seconds = 0;  // of the builds, by runs
  for (std::size_t position = 0; position < count; ++position) {
    schedule.end_seconds = std::max(schedule.end_seconds, schedule.finished_seconds[position]);
    if (build_failed(recording, rows[position])) continue;
    schedule.run_seconds += recording.run_seconds(rows[position]);
    const double start = schedule.started_seconds[position];
    const double end = std::min(schedule.finished_seconds[position], schedule.builds_end_seconds);
    covered_seconds += std::max(0.0, end - start);
  }
  const double building = std::min(schedule.builds_end_seconds, schedule.end_seconds);
  schedule.build_seconds = std::max(0.0, building - covered_seconds);
}

}  // namespace kernelscape
