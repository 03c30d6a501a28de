#include "ui/workspace/jobs.h"

#include <QCoreApplication>
#include <chrono>
#include <thread>

#include "core/measure/worker/timing_mark.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::milliseconds ask_again{5};
constexpr std::chrono::seconds max_wait{1};

}  // namespace

bool something_is_timed() {
  thread_local const measure::TimingWatch watch;
  return watch.timing_now();
}

bool JobControl::proceed() const {
  const auto end = std::chrono::steady_clock::now() + max_wait;
  while (!cancelled_->load() && something_is_timed() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(ask_again);
  return !cancelled_->load();
}

QThreadPool& JobTracker::pool() {
  static QThreadPool threads;
  return threads;
}

JobFailures& JobTracker::failures() {
  static JobFailures failures;
  return failures;
}

void JobTracker::wait_for_all() { pool().waitForDone(); }

/** Uses the application object as receiver, because the tracker may be destroyed before the event arrives. */
void JobTracker::deliver(const QPointer<JobTracker>& self, std::shared_ptr<const std::atomic<bool>> cancelled,
                         std::function<void()> action) {
  if (QCoreApplication::instance() == nullptr) return;
  QMetaObject::invokeMethod(
      QCoreApplication::instance(),
      [self, cancelled = std::move(cancelled), action = std::move(action)] {
        if (self && !cancelled->load()) action();
      },
      Qt::QueuedConnection);
}

std::shared_ptr<std::atomic<bool>> JobTracker::begin() {
  const bool was_busy = busy();
  if (was_busy) cancelled_->store(true);
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  if (!was_busy) emit busy_changed(true);
  return cancelled_;
}

void JobTracker::finish() {
  cancelled_.reset();
  emit busy_changed(false);
}

void JobTracker::cancel() {
  if (!busy()) return;
  cancelled_->store(true);
  finish();
}

}  // namespace kernelscape::workspace
