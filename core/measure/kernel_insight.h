#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/source_map.h"
#include "core/machine_code/loop_bound.h"
#include "core/machine_code/machine_code.h"
#include "core/schedule/stage_tree.h"
#include "core/schedule/target.h"
#include "core/trial/measurement.h"

namespace kernelscape::measure {

/**
 * Explains a kernel's speed from its text. A plain value, used by a panel, the command line and the
 * comparison of two kernels.
 */
struct KernelInsight {
  codegen::KernelSource source;
  std::string nest_text;         ///< the loop nest of the source, as printed by to_text
  codegen::SourceMap map;        ///< lines of source <-> lines of nest_text
  schedule::StageTree stages{};  ///< stages that the loop nest was lowered from <-> lines of nest_text
  /** Assembly of a CPU's kernel, PTX of a CUDA kernel; lines of source <-> its lines. */
  machine_code::MachineCode code;
  /** Why there is no machine code of a GPU kernel, and the remedy; empty: there is code. */
  std::string code_problem{};
  /** SASS of a CUDA kernel, if a disassembler was found. */
  std::optional<machine_code::MachineCode> device_code{};
  /** Bounds of the hot loop, the lowest first; empty if the code has no loop, or is for a GPU. */
  std::vector<machine_code::LoopBound> bounds{};
  /** Registers, spills and shared memory of a GPU kernel, as reported by its compiler. */
  std::optional<trial::KernelResources> resources{};
  std::string compiler{};  ///< compiler that made this code: the first line of its --version
  /** Further notes, one sentence each: a compiler that differs from the session's, tools that are missing. */
  std::vector<std::string> notes{};

  /** Returns the code whose hot loop is analysed: the device code if it is known. */
  const machine_code::MachineCode& shown_code() const { return device_code ? *device_code : code; }
  /** Returns the bound to show first, or null. */
  const machine_code::LoopBound* bound() const { return bounds.empty() ? nullptr : bounds.data(); }
};

/** The kernel to inspect, and the settings of the inspection. */
struct InsightRequest {
  codegen::MappedSource kernel;
  schedule::StageTree stages{};  ///< stages of the kernel's nest
  /**
   * Description of the target that the trial was built for: its compiler, flags and processor are compared
   * with the present ones.
   */
  schedule::TargetDescription target;
  double timeout_seconds = 30;  ///< time-out of each program that is started
};

/**
 * Compiles the kernel once more with line tables, with its build flags and this machine's compiler (never one
 * that a file names), and analyses the result. The instructions are those of the timed build if compiler and
 * flags are the same. For a GPU kernel whose code is not available, all other parts are returned: OpenCL's
 * driver shows no assembly. Takes as long as a compile: call it in a background job. Errors for a CPU kernel:
 * no compiler, or a kernel that the compiler refuses (Environment).
 */
Result<KernelInsight> kernel_insight(const InsightRequest& request);

/**
 * Returns one or two sentences for the user: "Its hot loop runs 28 multiply-adds of 8 lanes into 12
 * accumulators ...".
 */
std::string headline(const KernelInsight& insight);

}  // namespace kernelscape::measure
