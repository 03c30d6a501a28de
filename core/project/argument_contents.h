#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/project/program_data.h"

namespace kernelscape {

/**
 * Writes what an argument holds before a run, the same on every machine. Of Local nothing is written.
 * @param into exactly argument.bytes()
 */
void fill_argument(const ProgramArgument& argument, std::span<std::byte> into);

/** Writes what no computation leaves behind by chance: a NaN of its own, of types without one a pattern. */
void fill_unwritten_argument(const ProgramArgument& argument, std::span<std::byte> into);

/** How an output differs from what is right. */
struct ArgumentComparison {
  std::string problem;     ///< empty: right; else how many elements are wrong, and the worst of them
  double worst_error = 0;  ///< the largest difference; finite, also for NaN
};

/** Element by element, within the argument's tolerance. A NaN is never right. @param right, actual of
 * argument.bytes() each */
ArgumentComparison compare_argument(const ProgramArgument& argument, std::span<const std::byte> right,
                                    std::span<const std::byte> actual);

/** "output[17] is nan": the first element that nothing can be compared with; empty where all are numbers. */
std::string describe_no_number(const ProgramArgument& argument, std::span<const std::byte> bytes);

}  // namespace kernelscape
