#include <algorithm>

#include "app/command_line/live_display.h"

namespace kernelscape::command_line {
namespace {

std::int64_t smaller_limit(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

LiveNumbers::LiveNumbers(const DisplaySetup& display)
    : budget_(display.setup->budget),
      flops_(display.setup->task.flops()),
      trial_limit_(smaller_limit(budget_.trials, display.member_count)),
      errors_(display.errors) {}

void LiveNumbers::update(session::Phase phase, const store::SessionStatus& status) {
  phase_ = phase;
  status_ = status;
  if (phase != session::Phase::Replaying) begin_once(status);
}

void LiveNumbers::update(const measure::BatchProgress& batch, const store::SessionStatus& status) {
  batch_ = batch;
  status_ = status;
}

void LiveNumbers::add(const trial::Trial& trial, const store::SessionStatus& status) {
  status_ = status;
  if (!trial.measurement.valid()) ++errors_;
}

void LiveNumbers::update_replay(std::int64_t errors, const store::SessionStatus& status) {
  replay_ = true;
  errors_ = errors;
  status_ = status;
}

void LiveNumbers::begin_once(const store::SessionStatus& status) {
  if (begun_) return;
  begun_ = true;
  begin_trials_ = status.trial_count;
  begin_seconds_ = status.session_seconds;
  begin_ = std::chrono::steady_clock::now();
}

double LiveNumbers::elapsed_seconds() const {
  if (!replay_) return status_.session_seconds - begin_seconds_;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

double LiveNumbers::trials_per_second() const {
  const double seconds = elapsed_seconds();
  return seconds > 0 ? static_cast<double>(status_.trial_count - begin_trials_) / seconds : 0;
}

double LiveNumbers::seconds_left() const {
  constexpr double seconds_per_minute = 60;
  double left = -1;
  if (const double rate = trials_per_second(); trial_limit_ > 0 && rate > 0) {
    left = static_cast<double>(std::max<std::int64_t>(0, trial_limit_ - status_.trial_count)) / rate;
  }
  // How fast virtual minutes pass is not known.
  if (budget_.minutes > 0 && !replay_) {
    const double time = std::max(0.0, budget_.minutes * seconds_per_minute - status_.session_seconds);
    left = left < 0 ? time : std::min(left, time);
  }
  return left;
}

}  // namespace kernelscape::command_line
