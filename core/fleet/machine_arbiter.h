#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/measure/device_lease.h"
#include "core/measure/interruption.h"

namespace kernelscape::fleet {

/**
 * Separates builds from timings of the processor: builds run concurrently, and a run has exclusive access. A
 * waiting run has priority. The gate synchronizes the threads of a worker; device leases separate them from
 * other processes of the machine, including sessions. Runs and builds on a GPU do not disturb each other.
 */
class MachineArbiter {
 public:
  /**
   * Creates the gate. @param device the device of the runs: "cpu", "cuda:0"; empty: none @param holder the
   * name that other processes see
   */
  MachineArbiter(std::string device, std::string holder)
      : device_(std::move(device)), holder_(std::move(holder)) {}

  /** The right to build or to run while the object lives. */
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    Pass& operator=(Pass&&) = delete;
    ~Pass();

   private:
    friend class MachineArbiter;
    Pass(MachineArbiter* gate, bool runs, std::optional<measure::DeviceLease> lease)
        : gate_(gate), runs_(runs), lease_(std::move(lease)) {}
    MachineArbiter* gate_;  ///< null: moved from
    bool runs_;
    std::optional<measure::DeviceLease> lease_;
  };

  /**
   * Waits for the right to build. Returns nullopt if it was interrupted, or if another program keeps the
   * device for so long that another worker should do the work.
   */
  Result<std::optional<Pass>> begin_build(const measure::Interruption& interruption);
  Result<std::optional<Pass>> begin_run(
      const measure::Interruption& interruption);  ///< waits for the right to run;
                                                   ///< see begin_build()

  /** Returns the name of the program that held the device while the last caller waited; empty: none. */
  std::string other_holder() const;

 private:
  bool runs_on_processor() const;
  Result<std::optional<measure::DeviceLease>> lease_device(const std::string& device, bool shared,
                                                           const measure::Interruption& interruption);
  Result<std::optional<measure::DeviceLease>> take_turn(bool shared,
                                                        const measure::Interruption& interruption);
  bool wait_for_runs(const measure::Interruption& interruption);
  bool wait_for_builds(const measure::Interruption& interruption);
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

}  // namespace kernelscape::fleet
