#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/comparison/intervals.h"
#include "core/machine_code/instruction.h"
#include "core/machine_code/loop_bound.h"

namespace kernelscape {

struct KernelInsight;

/** What is known of one of two kernels. */
struct ComparedKernel {
  std::string name;                     ///< in sentences: "A"
  std::vector<double> samples_seconds;  ///< of a call; empty: never run, or it failed
  std::optional<InstructionMix> mix{};  ///< of an iteration of its hot loop; none: no code, or no loop
  std::vector<LoopBound> bounds{};      ///< of its hot loop
};

/** @param insight null: its code is not known */
ComparedKernel compared_kernel(std::string name, std::vector<double> samples_seconds,
                               const KernelInsight* insight);

/** A hot loop's numbers for one multiply-add instruction, so that loops of other lengths can be compared. */
struct LoopRatios {
  double lanes = 0;         ///< products that one multiply-add instruction adds
  double instructions = 0;  ///< of any kind, the multiply-add among them
  double reads = 0;         ///< of memory, memory operands among them
  double shuffles = 0;
  double bytes = 0;  ///< loaded for each product: lanes counted
};

/** None of a loop without a multiply-add. */
std::optional<LoopRatios> loop_ratios(const InstructionMix& mix);

/** What two kernels' samples say of their speeds. They speak of those minutes: samples that were not
 * interleaved differ by what the machine did meanwhile too. */
struct SpeedComparison {
  double speed_ratio = 1;                        ///< of B to A, by the medians; above 1: B is faster
  std::optional<ConfidenceInterval> interval{};  ///< 95 %, of the ratio; none below two samples of each
  double p = 1;                                  ///< Mann-Whitney, two-sided
  double smallest_p = 1;                         ///< that so many samples can give at all
  bool told_apart = false;                       ///< p is below 0.05
};

/** Both samples must not be empty, and all times are above zero. */
SpeedComparison compare_speeds(std::span<const double> a_seconds, std::span<const double> b_seconds);

/** A bound of each by the same analyser. Both null: there is none. */
struct BoundPair {
  const LoopBound* a = nullptr;
  const LoopBound* b = nullptr;

  /** How many times as fast B is as A by what their hot loops can do at most. */
  double speed_ratio() const { return b->multiply_adds_per_cycle / a->multiply_adds_per_cycle; }
};

/** The first of A's bounds that B has by the same analyser for the same processor. */
BoundPair comparable_bounds(const ComparedKernel& a, const ComparedKernel& b);

/** What the numbers of two kernels say. */
struct KernelDifference {
  std::optional<SpeedComparison> speeds{};  ///< none: one of them has no samples
  /** Whole sentences, the most important first; never a cause, only what differs and speaks for the faster
   * one. Where the samples are not told apart, or there are none, all that differs. */
  std::vector<std::string> sentences;
};

/** @param differing_knobs names of the knobs that have other values */
KernelDifference kernel_difference(const ComparedKernel& a, const ComparedKernel& b,
                                   const std::vector<std::string>& differing_knobs);

}  // namespace kernelscape
