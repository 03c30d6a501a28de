#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/device_lease.h"
#include "core/measure/interruption.h"

namespace kernelscape {

/**
 * Keeps builds away from timings of the processor: they go on beside each other, and a run goes on alone. A
 * run that waits goes first. Within a worker its threads meet here; from other processes of the machine,
 * sessions among them, the leases of devices keep them apart. A GPU's runs and builds disturb nobody's.
 */
class MachineGate {
 public:
  /** @param device that is run on: "cpu", "cuda:0"; empty: none @param holder as others shall read it */
  MachineGate(std::string device, std::string holder)
      : device_(std::move(device)), holder_(std::move(holder)) {}

  /** The right to build or to run, while it lives. */
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    Pass& operator=(Pass&&) = delete;
    ~Pass();

   private:
    friend class MachineGate;
    Pass(MachineGate* gate, bool runs, std::optional<DeviceLease> lease)
        : gate_(gate), runs_(runs), lease_(std::move(lease)) {}
    MachineGate* gate_;  ///< null: moved from
    bool runs_;
    std::optional<DeviceLease> lease_;
  };

  /** Waits for it; nothing where it was interrupted, or another program has the device for so long that its
   * work is better done elsewhere. */
  Result<std::optional<Pass>> begin_build(const Interruption& interruption);
  Result<std::optional<Pass>> begin_run(const Interruption& interruption);  ///< likewise

  /** Who had the device, as that says, for as long as the last one here waited; empty: nobody. */
  std::string other_holder() const;

 private:
  bool runs_on_processor() const;
  Result<std::optional<DeviceLease>> lease_device(const std::string& device, bool shared,
                                                  const Interruption& interruption);
  Result<std::optional<DeviceLease>> take_turn(bool shared, const Interruption& interruption);
  bool wait_for_runs(const Interruption& interruption);
  bool wait_for_builds(const Interruption& interruption);
  void leave(bool runs);

  std::string device_;
  std::string holder_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int building_ = 0;
  int runs_waiting_ = 0;
  bool running_ = false;
  std::string other_holder_;
};

}  // namespace kernelscape
