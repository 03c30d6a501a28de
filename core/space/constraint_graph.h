#pragma once

#include <cstdint>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/** A constraint that can be violated, its knobs, and the definitions that lead from them to it. */
struct Check {
  std::size_t constraint = 0;
  std::vector<std::size_t> definitions;  ///< ascending, so that each finds its operands defined
  std::vector<VariableId> elements;      ///< the knobs' elements it depends on
  std::vector<std::uint32_t> knobs;      ///< their knobs, ascending
};

/** All constraints that can be violated, in order. The system has to be valid. */
std::vector<Check> checks_of(const ConstraintSystem& system);

/** Checks that share knobs, directly or through others. */
struct CheckGroup {
  std::vector<std::uint32_t> knobs;  ///< ascending; empty for a check of constants
  ConstraintSystem system;           ///< these checks and their definitions alone, over the same variables
};

/** Independent of each other: a configuration is a member if each group is satisfied. */
std::vector<CheckGroup> independent_groups(std::size_t knob_count, const ConstraintSystem& system);

}  // namespace kernelscape
