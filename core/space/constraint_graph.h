#pragma once

#include <cstdint>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::space {

/** A constraint that can be violated, its knobs, and the definitions by which it depends on them. */
struct Check {
  std::size_t constraint = 0;
  std::vector<std::size_t> definitions;  ///< ascending, so that operands are defined before use
  std::vector<VariableId> elements;      ///< the knob elements that it depends on
  std::vector<std::uint32_t> knobs;      ///< their knobs, ascending
};

/** Returns all constraints that can be violated, in order. The system must be valid. */
std::vector<Check> checks_of(const ConstraintSystem& system);

/** Checks that share knobs, directly or through others. */
struct CheckGroup {
  std::vector<std::uint32_t> knobs;  ///< ascending; empty for a check of constants
  ConstraintSystem system;           ///< only these checks and their definitions, over the same variables
};

/**
 * Returns groups of checks that are independent of each other: a configuration is a member if each group is
 * satisfied.
 */
std::vector<CheckGroup> independent_groups(std::size_t knob_count, const ConstraintSystem& system);

}  // namespace kernelscape::space
