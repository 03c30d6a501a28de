#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * The right to measure on a device of this machine. Sessions of all processes and users queue for it, so that
 * no session disturbs the timings of another. Implemented as a file lock, which ends with the process that
 * holds it, however that process ends.
 */
class DeviceLease {
 public:
  static constexpr const char* shared_folder = "/tmp";

  struct Request {
    std::string device;  ///< the target's name: "cpu", "cuda:0"
    std::string holder;  ///< the requester, in the form shown to others: "session 12 (resnet18/C2, nose),
                         ///< process 4711"
    std::function<void(const std::string& holder)>
        waiting;                         ///< called with the holder when it changes; may be empty
    std::function<bool()> give_up;       ///< called while waiting; true ends the waiting; may be empty
    std::string folder = shared_folder;  ///< must be the same for all users of a machine
    /**
     * true: the lease is shared with other shared leases, but not with exclusive ones. Used for builds, which
     * do not disturb other builds.
     */
    bool shared = false;
    std::chrono::milliseconds ask_again{200};  ///< interval between two attempts to lock
  };

  /**
   * Waits until the device is free. Returns Refused if `give_up` returned true, Environment if the lock file
   * can't be opened.
   */
  static Result<DeviceLease> acquire(const Request& request);

  /**
   * Returns the holder that measures on the device now, in its own words; nullopt: the device is free. Does
   * not wait.
   */
  static std::optional<std::string> holder_of(const std::string& device,
                                              const std::string& folder = shared_folder);

  DeviceLease(DeviceLease&&) = default;
  DeviceLease& operator=(DeviceLease&&) = default;

 private:
  explicit DeviceLease(UniqueFd lock) : lock_(std::move(lock)) {}
  UniqueFd lock_;
};

}  // namespace kernelscape::measure
