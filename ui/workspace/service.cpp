#include "ui/workspace/service.h"

#include <utility>

namespace kernelscape {

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
    pause = work_();
  }
}

void Service::deliver(std::function<void()> action) {
  QMetaObject::invokeMethod(this, std::move(action), Qt::QueuedConnection);
}

/** One event at a time: a thousand trials per second must not queue a thousand events. */
void Service::announce() {
  if (announcing_.exchange(true)) return;
  deliver([this] {
    announcing_ = false;
    emit announced();
  });
}

}  // namespace kernelscape
