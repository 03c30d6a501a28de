#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/project/space.h"
#include "core/space/constraint.h"

namespace kernelscape::project {

/** The meaning of the names in a condition. */
struct ConditionScope {
  const std::vector<space::Knob>& knobs;
  const std::vector<space::VariableId>& variables;  ///< the element variable of each knob
  const std::vector<std::int64_t>& problem_size;    ///< the values of ProblemSize
};

/** What computing the conditions of a project may take together beyond what their length asks for. */
struct ConditionBudget {
  static constexpr std::uint64_t max_steps = 1U << 25;  ///< some seconds
  std::uint64_t steps = 0;                              ///< that were taken

  /** Returns whether nothing more is computed. */
  bool spent() const { return steps > max_steps; }
};

/** A condition as constraints say it, for all configurations of the knobs alike. */
struct LoweredCondition {
  space::Expression holds;                   ///< true if the condition can be computed and is true
  std::optional<space::Expression> fails{};  ///< true if it can't be computed: division by zero or overflow
};

/**
 * Turns a condition into trees over whole numbers that mean the same. Comparisons of whole numbers stay what
 * they are, a true division is multiplied out where that is exact; any other comparison is tried for all
 * values of its own parameters and becomes a choice among them. Errors: these are too many.
 * @param budget of all conditions of a project; it is an error if it is spent
 */
Result<LoweredCondition> lower_condition(const PythonExpression& condition, const ConditionScope& scope,
                                         ConditionBudget& budget);

/** Returns the values of names in a configuration; ProblemSize is a list. */
PythonNames names_in(const ConditionScope& scope, const space::Configuration& configuration);

}  // namespace kernelscape::project
