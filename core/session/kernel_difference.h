#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/comparison/intervals.h"
#include "core/machine_code/instruction.h"
#include "core/machine_code/loop_bound.h"

namespace kernelscape::measure {
struct KernelInsight;
}  // namespace kernelscape::measure

namespace kernelscape::session {

/** Known facts about one of two compared kernels. */
struct ComparedKernel {
  std::string name;                     ///< used in sentences: "A"
  std::vector<double> samples_seconds;  ///< per call; empty: the kernel never ran, or failed
  std::optional<machine_code::InstructionMix>
      mix{};  ///< of an iteration of its hot loop; nullopt: no code, or no loop
  std::vector<machine_code::LoopBound> bounds{};  ///< of its hot loop
};

/** Makes a ComparedKernel. @param insight null: the kernel's code is not known */
ComparedKernel compared_kernel(std::string name, std::vector<double> samples_seconds,
                               const measure::KernelInsight* insight);

/** Numbers of a hot loop per multiply-add instruction, so that loops of different lengths can be compared. */
struct LoopRatios {
  double lanes = 0;         ///< products per multiply-add instruction
  double instructions = 0;  ///< of any kind, including the multiply-add
  double reads = 0;         ///< memory reads, including memory operands
  double shuffles = 0;
  double bytes = 0;  ///< loaded per product, with all lanes counted
};

/** Returns the ratios, or nullopt for a loop without a multiply-add. */
std::optional<LoopRatios> loop_ratios(const machine_code::InstructionMix& mix);

/**
 * Comparison of two kernels' speeds by their samples. Samples that were not interleaved also differ by the
 * state of the machine at the time.
 */
struct SpeedComparison {
  double speed_ratio = 1;  ///< speed of B / speed of A, from the medians; above 1: B is faster
  std::optional<analysis::ConfidenceInterval>
      interval{};              ///< 95 % interval of the ratio; nullopt with fewer than two samples of either
  double p = 1;                ///< Mann-Whitney, two-sided
  double smallest_p = 1;       ///< smallest possible p with these sample counts
  bool distinguished = false;  ///< p is below 0.05
};

/**
 * Compares the speeds of two kernels. Neither list of samples may be empty, and all times must be above 0.
 */
SpeedComparison compare_speeds(std::span<const double> a_seconds, std::span<const double> b_seconds);

/** Bounds of both kernels by the same analyser. Both are null if there are none. */
struct BoundPair {
  const machine_code::LoopBound* a = nullptr;
  const machine_code::LoopBound* b = nullptr;

  /** Returns the speed of B divided by that of A, according to the bounds of their hot loops. */
  double speed_ratio() const { return b->multiply_adds_per_cycle / a->multiply_adds_per_cycle; }
};

/** Returns the first of A's bounds for which B has a bound by the same analyser for the same processor. */
BoundPair comparable_bounds(const ComparedKernel& a, const ComparedKernel& b);

/** Result of comparing two kernels. */
struct KernelDifference {
  std::optional<SpeedComparison> speeds{};  ///< nullopt: one of them has no samples
  /**
   * Whole sentences, the most important first. They never state a cause, only differences in favour of the
   * faster kernel; all differences if the samples are not distinguishable or missing.
   */
  std::vector<std::string> sentences;
};

/** Compares two kernels. @param differing_knobs names of the knobs whose values differ */
KernelDifference kernel_difference(const ComparedKernel& a, const ComparedKernel& b,
                                   const std::vector<std::string>& differing_knobs);

}  // namespace kernelscape::session
