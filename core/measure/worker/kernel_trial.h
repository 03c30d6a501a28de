#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "core/measure/cpu/energy_counters.h"
#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/trial_kernel.h"

namespace kernelscape::measure {

enum class TrialStage : std::uint32_t { Starting, Loading, Checking, Timing, Done };

enum class FaultKind : std::uint32_t { None, Address, StackOverflow };

/**
 * Memory that the process of a trial shares with the run worker. It is the only output of that process, which
 * has no channel.
 */
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see its reply
struct TrialReport {
  std::atomic<TrialStage> stage{TrialStage::Starting};
  std::atomic<FaultKind> fault{FaultKind::None};
  std::atomic<std::uint64_t> fault_address{0};
  std::atomic<std::uint64_t> reply_bytes{0};
  std::array<char, 1 << 20> reply;  ///< not initialised: fresh pages are zero; an encoded RunReply, hostile
                                    ///< like all that a kernel could write
};

/** The purpose of a kernel's process. */
enum class TrialPurpose : std::uint8_t {
  Measured,  ///< the kernel is checked and timed
  Reference  ///< the kernel is run once, and its outputs become the reference
};

/** The inputs of a trial's process, ready before the fork. */
struct KernelTrial {
  TrialKernel& kernel;
  const RunRequest& request;
  Confinement& confinement;  ///< confinement of kernels; the trial's process applies its own copy
  ProcessLimits limits;
  /** More than the request's threads if the kernel may start its own threads on this many processors. */
  int processors = 1;
  int artefact = -1;  ///< descriptor of the shared object's bytes
  int output = -1;    ///< descriptor that receives standard output and error
  TrialPurpose purpose = TrialPurpose::Measured;
  /** Counters that were opened before the fork, since a confined process may not open them; null: none. */
  const EnergyCounters* energy = nullptr;
};

/**
 * Loads, checks and times the kernel in a process forked for it, and writes a RunReply into the report. All
 * damage that a kernel can do to a process ends with that process.
 */
[[noreturn]] void run_kernel_trial(const KernelTrial& trial, pid_t parent, TrialReport& report);

/** Returns the reply of a trial's process from the way it ended and its report. */
RunReply judge_trial(const ChildOutcome& outcome, const TrialReport& report, const RunRequest& request);

}  // namespace kernelscape::measure
