#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/**
 * The right to measure on a device of this machine: sessions of any process and user queue for it, so that
 * none disturbs another's timings. A file lock: it ends with the process that holds it, however that ends.
 */
class DeviceLease {
 public:
  static constexpr const char* shared_folder = "/tmp";

  struct Request {
    std::string device;  ///< the target's name: "cpu", "cuda:0"
    std::string
        holder;  ///< who asks, as others shall read it: "session 12 (resnet18/C2, nose), process 4711"
    std::function<void(const std::string& holder)>
        waiting;                         ///< who holds it, whenever that changes; may be empty
    std::function<bool()> give_up;       ///< asked while waiting; may be empty
    std::string folder = shared_folder;  ///< the same for all users of a machine
    /** Beside others that share it, and none that does not: for builds, which disturb no other builds. */
    bool shared = false;
    std::chrono::milliseconds ask_again{200};  ///< between two questions whether it is free
  };

  /** Waits until the device is free. Refused where `give_up` said so, Environment where no lock file can be
   * had. */
  static Result<DeviceLease> acquire(const Request& request);

  /** Who measures on the device now, as its holder says; nothing: it is free. Does not wait. */
  static std::optional<std::string> holder_of(const std::string& device,
                                              const std::string& folder = shared_folder);

  DeviceLease(DeviceLease&&) = default;
  DeviceLease& operator=(DeviceLease&&) = default;

 private:
  explicit DeviceLease(UniqueFd lock) : lock_(std::move(lock)) {}
  UniqueFd lock_;
};

}  // namespace kernelscape
