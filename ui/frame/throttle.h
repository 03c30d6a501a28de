#pragma once

#include <QTimer>
#include <chrono>
#include <functional>

namespace kernelscape::frame {

/**
 * Limits how often an action runs: at once on the first request, then at most once per interval. Used for
 * widgets that follow a run live.
 */
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

  /**
   * Runs the action now, or once when the interval since its last call has passed, whatever the number of
   * requests.
   */
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

}  // namespace kernelscape::frame
