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

namespace kernelscape {

/**
 * A thread that does a piece of work whenever it is woken, and again when that piece wants to, or when it ran
 * out of memory and did not notice. Lives on the window's thread, and as the last member of what it works
 * for: the work is over before the rest goes away.
 */
class Service : public QObject {
  Q_OBJECT

 public:
  /** Until the work is to be done again, unless woken before; nothing: not before. */
  using Pause = std::optional<std::chrono::milliseconds>;

  explicit Service(std::function<Pause()> work) : work_(std::move(work)) {}
  /** Waits for the work that goes on. */
  ~Service() override;

  /** Has the work done, by a thread that the first call starts. Many calls may lead to one piece of work. */
  void wake();

  /** Calls it on the window's thread, in order; not after this was destroyed. From any thread. */
  void deliver(std::function<void()> action);
  /** Has `announced` emitted on the window's thread: many calls, one signal. From any thread. */
  void announce();

 signals:
  /** Once for all calls of `announce` since the last one. On the window's thread. */
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

}  // namespace kernelscape
