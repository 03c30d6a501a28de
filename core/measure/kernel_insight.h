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

namespace kernelscape {

/** Why a kernel is as fast as it is, as far as its text says. A value: for a panel, the command line, or the
 * comparison of two kernels. */
struct KernelInsight {
  KernelSource source;
  std::string nest_text;  ///< to_text of the loop nest that the source was written from
  SourceMap map;          ///< lines of source <-> lines of nest_text
  StageTree stages{};     ///< what the loop nest was lowered from <-> lines of nest_text
  /** Assembly of a CPU's kernel, PTX of a CUDA kernel; lines of source <-> its lines. */
  MachineCode code;
  /** Why there is no machine code of a GPU's kernel, and the way out; empty: there is. */
  std::string code_problem{};
  /** SASS of a CUDA kernel, where a disassembler was found. */
  std::optional<MachineCode> device_code{};
  /** Of the hot loop, the least first; empty where the code has no loop, or is a GPU's. */
  std::vector<LoopBound> bounds{};
  /** Registers, spills and shared memory of a GPU's kernel, as its compiler says. */
  std::optional<KernelResources> resources{};
  std::string compiler{};  ///< that made this code: its first line of --version
  /** What else has to be said, a sentence each: another compiler than the session's, tools that are not
   * there. */
  std::vector<std::string> notes{};

  /** The code whose hot loop counts: the device's own where it is known. */
  const MachineCode& shown_code() const { return device_code ? *device_code : code; }
  /** The bound to show first, or null. */
  const LoopBound* bound() const { return bounds.empty() ? nullptr : bounds.data(); }
};

/** What is looked into, and with what. */
struct InsightRequest {
  MappedSource kernel;
  StageTree stages{};  ///< of its nest
  /** Description that the trial was built for: its compiler, flags and processor are compared with what is
   * here. */
  TargetDescription target;
  double timeout_seconds = 30;  ///< of each program that is started
};

/**
 * Compiles the kernel once more with line tables, with the flags it is built with and this machine's compiler
 * (never one that a file names), and reads what came out. The instructions are those of the timed build where
 * compiler and flags are the same. Of a GPU's kernel whose code can't be had all the rest is given: OpenCL's
 * driver shows no assembly. Takes a compile: for a background job. Errors, of a CPU's: no compiler; a kernel
 * that it refuses (Environment).
 */
Result<KernelInsight> kernel_insight(const InsightRequest& request);

/**
 * "Its hot loop runs 28 multiply-adds of 8 lanes into 12 accumulators ...": one or two sentences for people.
 */
std::string headline(const KernelInsight& insight);

}  // namespace kernelscape
