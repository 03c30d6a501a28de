#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/project/program_data.h"

namespace kernelscape::project {

/**
 * Writes the initial contents of an argument, the same on every machine. Writes nothing for Local.
 * @param into exactly argument.bytes()
 */
void fill_argument(const ProgramArgument& argument, std::span<std::byte> into);

/**
 * Fills an argument with a value that computations do not produce by chance: a special NaN, or a bit pattern
 * for types without NaN.
 */
void fill_unwritten_argument(const ProgramArgument& argument, std::span<std::byte> into);

/** The difference between an output and its reference. */
struct ArgumentComparison {
  std::string problem;     ///< empty: correct; else the number of wrong elements, and the worst of them
  double worst_error = 0;  ///< the largest difference; finite, also for NaN
};

/**
 * Compares an output with its reference, element by element, within the argument's tolerance. A NaN is always
 * wrong.
 * @param right, actual argument.bytes() each
 */
ArgumentComparison compare_argument(const ProgramArgument& argument, std::span<const std::byte> right,
                                    std::span<const std::byte> actual);

/**
 * Returns the first element of a reference that is NaN, such as "output[17] is nan"; empty if all elements
 * are numbers.
 */
std::string describe_no_number(const ProgramArgument& argument, std::span<const std::byte> bytes);

}  // namespace kernelscape::project
