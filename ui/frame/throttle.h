#pragma once

#include <QTimer>
#include <chrono>
#include <functional>

namespace kernelscape {

/** Calls at once, and then not again before an interval has passed: for what follows a run live. */
class Throttle : public QObject {
 public:
  Throttle(std::function<void()> action, QObject* parent,
           std::chrono::milliseconds interval = std::chrono::milliseconds(500))
      : QObject(parent), action_(std::move(action)) {
    timer_.setSingleShot(true);
    timer_.setInterval(interval);
    connect(&timer_, &QTimer::timeout, this, [this] {
      if (std::exchange(wanted_, false)) act();
    });
  }

  /** Acts now, or once when the interval since the last call has passed, however often it is asked. */
  void request() {
    wanted_ = true;
    if (timer_.isActive()) return;
    wanted_ = false;
    act();
  }

 private:
  void act() {
    timer_.start();
    action_();
  }

  std::function<void()> action_;
  QTimer timer_;
  bool wanted_ = false;
};

}  // namespace kernelscape
