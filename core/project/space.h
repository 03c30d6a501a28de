#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/project/python_expression.h"
#include "core/space/search_space.h"

namespace kernelscape::project {

/** A parameter as declared in T1, with its values in the order of the file. */
struct Parameter {
  std::string name;
  std::string type;  ///< "int", "uint", "float", "bool", "string"
  std::vector<space::KnobValue> values;

  bool operator==(const Parameter&) const = default;
};

/** A condition of a project's space. */
struct Condition {
  std::string text;  ///< the text in the file
  PythonExpression expression;
};

/** A space, and the notices for its user before the run. */
struct Space {
  space::SearchSpace space;
  std::vector<std::string> notices;  ///< conditions that are always true, repeated values, ...
};

/**
 * Makes the space of a project: a knob per parameter (an ordinal if its values ascend, else a categorical),
 * whose members are the configurations for which every condition can be computed and is true. The element of
 * an integer is its value; that of a real or a text is its index among the values. Errors name the parameter
 * or the condition: a value of another type, an unknown parameter name, a condition that is never true or can
 * never be computed, a condition with too many values to be evaluated, or a space without members.
 * @param problem_size the list that the name ProblemSize stands for in conditions; empty: unknown
 */
Result<Space> make_project_space(const std::vector<Parameter>& parameters,
                                 const std::vector<Condition>& conditions,
                                 const std::vector<std::int64_t>& problem_size = {});

}  // namespace kernelscape::project
