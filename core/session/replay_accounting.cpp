#include "core/session/replay_accounting.h"

#include <algorithm>
#include <utility>

#include "core/base/thread_cpu_time.h"

namespace kernelscape::session {

ReplayAccounting::ReplayAccounting(trial::SearchTime::Kind search_time, std::shared_ptr<FeatureBill> bill,
                                   double charged_seconds)
    : search_time_(search_time), bill_(std::move(bill)), earlier_search_seconds_(charged_seconds) {}

void ReplayAccounting::start() {
  SessionClock::start();
  // Search after the last stored batch was charged already.
  if (search_time_ != trial::SearchTime::Kind::Measured) return;
  uncharged_search_seconds_ = std::max(uncharged_search_seconds_, earlier_search_seconds_ - search_seconds_);
}

void ReplayAccounting::write(store::SessionStatus& status) const {
  status.session_seconds = session_seconds();
  status.search_seconds = search_seconds_ + uncharged_search_seconds_;
  status.build_seconds = build_seconds_;
  status.run_seconds = run_seconds_;
}

double ReplayAccounting::search_begin() const {
  if (search_time_ != trial::SearchTime::Kind::Measured) return 0;
  if (bill_) bill_->open();
  return base::thread_cpu_seconds();
}

double ReplayAccounting::search_since(double begin) const {
  if (search_time_ != trial::SearchTime::Kind::Measured) return 0;
  const double seconds = base::thread_cpu_seconds() - begin;
  return bill_ ? seconds + bill_->close() : seconds;
}

void ReplayAccounting::charge_batch(double search_seconds) {
  uncharged_search_seconds_ = 0;
  search_seconds_ += search_seconds;
  now_seconds_ += search_seconds;
  begin_.session_seconds += search_seconds;
}

void ReplayAccounting::begin_schedule() { begin_ = {now_seconds_, build_seconds_, run_seconds_}; }

void ReplayAccounting::pass(const measure::ReplaySchedule& schedule) {
  now_seconds_ = begin_.session_seconds + schedule.end_seconds;
  build_seconds_ = begin_.build_seconds + schedule.build_seconds;
  run_seconds_ = begin_.run_seconds + schedule.run_seconds;
}

}  // namespace kernelscape::session
