#pragma once

#include <QObject>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kernelscape::workspace {

/**
 * A thread that performs a piece of work whenever it is woken, and again after the pause that the work
 * returns, or after it ran out of memory without reporting it. Lives on the window's thread. It must be the
 * last member of the object it works for, so that the work ends before the other members are destroyed.
 */
class Service : public QObject {
  Q_OBJECT

 public:
  /** Time until the work is repeated, unless woken earlier; nullopt: not repeated. */
  using Pause = std::optional<std::chrono::milliseconds>;

  explicit Service(std::function<Pause()> work) : work_(std::move(work)) {}
  /** Waits for the work in progress to end. */
  ~Service() override;

  /** Requests the work; the first call starts the thread. Several calls may lead to one piece of work. */
  void wake();

  /**
   * Calls `action` on the window's thread, in order; never after this object was destroyed. May be called
   * from any thread.
   */
  void deliver(std::function<void()> action);
  /**
   * Emits `announced` on the window's thread; several calls lead to one signal. May be called from any
   * thread.
   */
  void announce();

 signals:
  /** Emitted on the window's thread, once for all calls of `announce` since the last signal. */
  void announced();

 private:
  void serve();
  Q_INVOKABLE void deliver_next();

  std::function<Pause()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> deliveries_;
  bool woken_ = false;
  bool stopping_ = false;
  std::atomic<bool> announcing_{false};
  std::thread thread_;
};

}  // namespace kernelscape::workspace
