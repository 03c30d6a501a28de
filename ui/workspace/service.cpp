#include "ui/workspace/service.h"

#include "core/base/memory.h"

namespace kernelscape::workspace {
namespace {

constexpr std::chrono::milliseconds between_attempts{1000};

}  // namespace

Service::~Service() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Service::wake() {
  {
    const std::scoped_lock lock(mutex_);
    woken_ = true;
  }
  wake_.notify_one();
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
}

void Service::serve() {
  Pause pause;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      const auto due = [this] { return stopping_ || woken_; };
      if (pause) {
        wake_.wait_for(lock, *pause, due);
      } else {
        wake_.wait(lock, due);
      }
      if (stopping_) return;
      woken_ = false;
    }
    const Status worked = base::guarded("the background work", [&]() -> Status {
      pause = work_();
      return {};
    });
    // The work does not report the lack of memory: it is repeated later, when other programs may have
    // released memory.
    if (!worked) pause = between_attempts;
  }
}

/** Uses its own lock, since ThreadSanitizer does not see the lock of Qt's event queue. */
void Service::deliver(std::function<void()> action) {
  const std::scoped_lock lock(mutex_);
  deliveries_.push_back(std::move(action));
  QMetaObject::invokeMethod(this, "deliver_next", Qt::QueuedConnection);
}

void Service::deliver_next() {
  std::function<void()> action;
  {
    const std::scoped_lock lock(mutex_);
    action = std::move(deliveries_.front());
    deliveries_.pop_front();
  }
  action();
}

/** Posts one event at a time: a thousand trials per second must not queue a thousand events. */
void Service::announce() {
  if (announcing_.exchange(true)) return;
  deliver([this] {
    announcing_ = false;
    emit announced();
  });
}

}  // namespace kernelscape::workspace
