#include "core/trial/session_speeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/numbers.h"
#include "core/trial/fields.h"
#include "core/trial/recording.h"

namespace kernelscape::trial {

namespace {

ProbeSeconds mean_probe(const Row& row) {
  const ProbeSeconds& before = row.probe_before;
  const ProbeSeconds& after = row.probe_after;
  if (!before.known()) return after;
  if (!after.known()) return before;
  return {.compute = (before.compute + after.compute) / 2, .memory = (before.memory + after.memory) / 2};
}

}  // namespace

void SessionSpeedReader::add(const Row& row) {
  const std::int64_t index = rows_++;
  if (in_time_order_) {
    add_to_track(row, index);
  } else {
    add_recorded(row, index);
  }
}

void SessionSpeedReader::set_workers(const std::vector<std::string>& names) {
  if (names == workers_) return;
  workers_ = names;
  speeds_.reset();
}

void SessionSpeedReader::add_to_track(const Row& row, std::int64_t index) {
  if (!track_) {
    if (!has_probes(row)) return;
    track_.emplace(usual_, bound_);
    // The rows of the track are those of the session.
    for (std::int64_t earlier = 0; earlier < index; ++earlier) track_->add({.trial = earlier}, 0);
  }
  track_->add(speed_reading(row), row.worker);
}

void SessionSpeedReader::add_recorded(const Row& row, std::int64_t index) {
  const MachineSpeed speed = relative_speed(mean_probe(row), usual_);
  if (recorded_.empty() && !speed.known()) return;
  recorded_.resize(static_cast<std::size_t>(index));
  recorded_.push_back({.speed = speed});
}

std::shared_ptr<const SessionSpeeds> SessionSpeedReader::speeds() {
  const bool any = track_.has_value() || !recorded_.empty();
  if (!any || (speeds_ && std::ssize(speeds_->trials) == rows_)) return speeds_;
  auto speeds = std::make_shared<SessionSpeeds>();
  speeds->trials = recorded_;
  speeds->usual = usual_;
  speeds->workers = workers_;
  if (track_) {
    speeds->trials.reserve(static_cast<std::size_t>(rows_));
    for (std::int64_t row = 0; row < rows_; ++row) speeds->trials.push_back(track_->of_row(row));
    speeds->phases = track_->phases();
    speeds->now = track_->now();
    speeds->usual = track_->usual();
    speeds->slow = track_->slow();
  }
  speeds->slow_trials = std::ranges::count_if(speeds->trials, [&](const Speed& trial) {
    return in_time_order_ ? trial.slow_phase : trial.speed.slower_than_usual();
  });
  speeds_ = std::move(speeds);
  return speeds_;
}

Snapshot with_speeds(const Snapshot& trials, const std::shared_ptr<const SessionSpeeds>& speeds) {
  if (!speeds) return trials;
  return trials.with_speeds({speeds, &speeds->trials});
}

bool earlier_rows_changed(const SessionSpeeds* before, const SessionSpeeds* after) {
  if (before == after) return false;
  if (before == nullptr || after == nullptr) return true;
  const std::size_t common = std::min(before->trials.size(), after->trials.size());
  return !std::ranges::equal(std::span(before->trials).first(common), std::span(after->trials).first(common));
}

std::string worker_name(const SessionSpeeds& speeds, const SlowPhase& phase) {
  if (phase.worker == 0) return {};
  const bool named = phase.worker <= speeds.workers.size();
  return named ? speeds.workers[phase.worker - 1U] : std::to_string(phase.worker);
}

std::string phase_text(const SessionSpeeds& speeds, const SlowPhase& phase) {
  return phase.worker == 0 ? describe(phase) : describe(phase, "worker " + worker_name(speeds, phase));
}

const SlowPhase* worker_phase(const SessionSpeeds& speeds, const Row& trial, std::int64_t row) {
  if (trial.worker == 0 || !trial.machine.slow_phase) return nullptr;
  const auto found = std::ranges::find_if(speeds.phases, [&](const SlowPhase& phase) {
    return phase.worker == trial.worker && phase.first_row <= row && row <= phase.last_row;
  });
  return found == speeds.phases.end() ? nullptr : &*found;
}

std::string machine_speed_text(const MachineSpeed& speed) {
  return speed.known() ? fmt::format("machine at {} of its speed", base::percent_text(speed.lowest())) : "";
}

std::string machine_state_text(const MachineSpeed& now, bool waiting) {
  const std::string speed = now.slower_than_usual() ? machine_speed_text(now) : "";
  if (!waiting) return speed;
  return speed.empty() ? "waiting for the machine" : "waiting for the machine, " + speed;
}

std::string slow_share_text(const SessionSpeeds& speeds) {
  if (speeds.slow_trials == 0) return {};
  return fmt::format("the machine was slower than usual in {} of the trials",
                     base::percent_text(static_cast<double>(speeds.slow_trials) /
                                        static_cast<double>(speeds.trials.size())));
}

std::string slow_share_text(const Recording& recording) {
  if (!recording.has_probes()) return {};
  SessionSpeedReader reader(recording.header().usual_probe, KernelBound::Unknown, false);
  for (std::uint32_t row = 0; row < recording.size(); ++row) reader.add(recording.trial_row(row, 0));
  const std::shared_ptr<const SessionSpeeds> speeds = reader.speeds();
  return speeds ? slow_share_text(*speeds) : std::string();
}

}  // namespace kernelscape::trial
