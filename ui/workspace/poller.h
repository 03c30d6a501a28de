#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "ui/workspace/jobs.h"
#include "ui/workspace/service.h"

namespace kernelscape::workspace {

/**
 * Reads something repeatedly in a service thread, and only while it is active: a window that never shows the
 * data does not start the thread. Holds the request that a reading answers, which the window's thread
 * changes. Lives on the window's thread. It must be the last member of the object that reads, so that the
 * reading ends before the other members are destroyed.
 * @tparam Request what is to be read
 */
template <typename Request>
class Poller {
 public:
  /** @param read called in the service thread; returns the time until the next reading */
  explicit Poller(std::function<Service::Pause()> read)
      : service_([this, read = std::move(read)] { return active() ? read() : Service::Pause(); }) {}
  /** Waits for the reading in progress to end. */
  ~Poller() { shutting_down_->store(true); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  Poller(Poller&&) = delete;
  Poller& operator=(Poller&&) = delete;

  /** Starts or stops reading. */
  void set_active(bool active) {
    {
      const std::scoped_lock lock(mutex_);
      active_ = active;
    }
    wake();
  }

  /** Reads at once, if reading is active. */
  void wake() {
    if (active()) service_.wake();
  }

  /** Changes the request, then reads at once. @param change called with the request */
  template <typename Change>
  void change(const Change& change) {
    {
      const std::scoped_lock lock(mutex_);
      change(request_);
    }
    wake();
  }

  /**
   * Returns the request and clears the part of it that only one reading answers. May be called from any
   * thread.
   * @param take called with the request; its result is returned
   */
  template <typename Take>
  auto take(const Take& take) {
    const std::scoped_lock lock(mutex_);
    return take(request_);
  }

  /**
   * Returns false if the reading has to end; blocks while something is being timed on this machine, as
   * JobControl::proceed() does. To be called by the reading.
   */
  bool proceed() const { return JobControl(shutting_down_, {}).proceed(); }

  /** Calls `action` on the window's thread; see Service::deliver(). */
  void deliver(std::function<void()> action) { service_.deliver(std::move(action)); }

 private:
  bool active() {
    const std::scoped_lock lock(mutex_);
    return active_;
  }

  std::shared_ptr<std::atomic<bool>> shutting_down_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  Request request_ = {};
  bool active_ = false;
  Service service_;
};

}  // namespace kernelscape::workspace
