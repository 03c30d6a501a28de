#include "core/session/accounting.h"

#include <algorithm>
#include <utility>

#include "core/measure/interruption.h"

namespace kernelscape::session {

Clock steady_clock_seconds() { return measure::steady_seconds; }

Accounting::Accounting(Clock clock, const store::SessionStatus& earlier, double charged_search_seconds)
    : clock_(std::move(clock)),
      origin_(clock_()),
      segment_begin_(origin_),
      earlier_session_seconds_(earlier.session_seconds),
      charged_search_seconds_(charged_search_seconds),
      search_seconds_(std::max(earlier.search_seconds, charged_search_seconds)),
      build_seconds_(earlier.build_seconds),
      run_seconds_(earlier.run_seconds) {
  // A session killed before the first trial of a batch has charged the batch's search, not the time it was
  // part of.
  earlier_session_seconds_ += search_seconds_ - earlier.search_seconds;
}

void Accounting::charge_making(double seconds) {
  if (search_seconds_ > 0) return;
  earlier_session_seconds_ += seconds;
  search_seconds_ += seconds;
}

void Accounting::start() {
  SessionClock::start();
  origin_ = segment_begin_ = clock_();
  waiting_seconds_ = 0;
}

double Accounting::session_seconds() const {
  return earlier_session_seconds_ + (clock_() - origin_ - waiting_seconds_);
}

void Accounting::charge(const measure::BusyTimes& busy) {
  const double now = clock_();
  const double wall = now - segment_begin_;
  const double run = std::clamp(busy.run_seconds, 0.0, wall);
  run_seconds_ += run;
  const double build = std::clamp(busy.build_seconds, 0.0, wall - run);
  build_seconds_ += build;
  waiting_seconds_ += std::clamp(busy.waiting_seconds, 0.0, wall - run - build);
  segment_begin_ = now;
}

void Accounting::write(store::SessionStatus& status) const {
  status.session_seconds = session_seconds();
  status.search_seconds = search_seconds_;
  status.build_seconds = build_seconds_;
  status.run_seconds = run_seconds_;
}

}  // namespace kernelscape::session
