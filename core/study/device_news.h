#pragma once

#include <string>

#include "core/fleet/target.h"
#include "core/session/session.h"
#include "core/study/study.h"

namespace kernelscape::study {

/**
 * Reports to a ledger whether a session waits for its device or uses it. A session waits before it is
 * created or claimed; later it waits only for a slow machine.
 */
template <typename Ledger>
class DeviceNews {
 public:
  DeviceNews(Ledger& ledger, const Task& task)
      : ledger_(ledger),
        device_(task.target),
        needs_device_(!task.recorded() && !fleet::is_fleet_target(task.target)) {}

  /** Must be called when the session was created or claimed: the device is its own now. */
  void started() {
    started_ = true;
    if (needs_device_) ledger_.device_used(device_);
  }
  /** Must be called with each message of the session. */
  void message(const session::Message& message) {
    if (needs_device_ && !started_ && message.kind == session::MessageKind::Waiting)
      ledger_.device_awaited(device_, message.text);
  }

 private:
  Ledger& ledger_;
  std::string device_;
  bool needs_device_;
  bool started_ = false;
};

}  // namespace kernelscape::study
