#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "core/measure/worker/child_process.h"
#include "core/measure/worker/confinement.h"
#include "core/measure/worker/protocol.h"
#include "core/measure/worker/trial_kernel.h"

namespace kernelscape {

enum class TrialStage : std::uint32_t { Starting, Loading, Checking, Timing, Done };

enum class FaultKind : std::uint32_t { None, Address, StackOverflow };

/** Memory that a trial's process shares with the run worker: all that it can say, since it has no channel. */
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see its reply
struct TrialReport {
  std::atomic<TrialStage> stage{TrialStage::Starting};
  std::atomic<FaultKind> fault{FaultKind::None};
  std::atomic<std::uint64_t> fault_address{0};
  std::atomic<std::uint64_t> reply_bytes{0};
  std::array<char, 1 << 20> reply;  ///< not initialised: fresh pages are zero; an encoded RunReply, hostile
                                    ///< like all that a kernel could write
};

/** What a kernel's process is for. */
enum class TrialPurpose : std::uint8_t {
  Measured,  ///< checked and timed
  Reference  ///< run once, and its outputs kept: they are what is right
};

/** What a trial's process needs, ready before the fork. */
struct KernelTrial {
  TrialKernel& kernel;
  const RunRequest& request;
  Confinement& confinement;  ///< of kernels; the trial's process applies its own copy
  ProcessLimits limits;
  /** More than the request's threads: the kernel may start threads of its own on this many processors. */
  int processors = 1;
  int artefact = -1;  ///< descriptor of the shared object's bytes
  int output = -1;    ///< where standard output and error go
  TrialPurpose purpose = TrialPurpose::Measured;
};

/**
 * Loads, checks and times the kernel in a process forked for it, and leaves a RunReply in the report.
 * Everything that a kernel can do to a process ends with this one.
 */
[[noreturn]] void run_kernel_trial(const KernelTrial& trial, pid_t parent, TrialReport& report);

/** The reply of a trial's process that ended like this. */
RunReply judge_trial(const ChildOutcome& outcome, const TrialReport& report, const RunRequest& request);

}  // namespace kernelscape
