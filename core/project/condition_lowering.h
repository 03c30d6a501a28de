#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/project/project_space.h"
#include "core/space/constraint.h"

namespace kernelscape {

/** The meaning of the names in a condition. */
struct ConditionScope {
  const std::vector<Knob>& knobs;
  const std::vector<VariableId>& variables;       ///< the element variable of each knob
  const std::vector<std::int64_t>& problem_size;  ///< the values of ProblemSize
};

/** A condition as constraints, valid for all configurations of the knobs. */
struct LoweredCondition {
  Expression holds;                   ///< true if the condition can be computed and is true
  std::optional<Expression> fails{};  ///< true if it can't be computed: division by zero or overflow
};

/**
 * Lowers a condition to equivalent trees over integers. Comparisons of integers are kept, and a true division
 * is multiplied out if that is exact. Any other comparison is evaluated for all values of its parameters and
 * becomes a choice among them; it is an error if there are too many values.
 */
Result<LoweredCondition> lower_condition(const PythonExpression& condition, const ConditionScope& scope);

/** Returns the values of names in a configuration; ProblemSize is a list. */
PythonNames names_in(const ConditionScope& scope, const Configuration& configuration);

}  // namespace kernelscape
