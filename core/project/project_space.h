#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/project/python_expression.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** A parameter as T1 declares it; its values in the order of the file. */
struct ProjectParameter {
  std::string name;
  std::string type;  ///< "int", "uint", "float", "bool", "string"
  std::vector<KnobValue> values;

  bool operator==(const ProjectParameter&) const = default;
};

/** A condition of a project's space. */
struct ProjectCondition {
  std::string text;  ///< as the file has it
  PythonExpression expression;
};

/** A space and what its user should hear before the run. */
struct ProjectSpace {
  SearchSpace space;
  std::vector<std::string>
      notices;  ///< a condition that always is true or divides by zero, a repeated value, ...
};

/**
 * The space of a project: a knob per parameter (an ordinal where its values ascend, else a categorical),
 * members where every condition can be computed and is true. A whole number's element is its value, that of a
 * real or a text its place among the values. Errors name the parameter or the condition: a value of another
 * type, a name that is no parameter, a condition that is never true or can never be computed, one that takes
 * too many values to be tried, a space without members.
 * @param problem_size what the name ProblemSize lists in conditions; empty: it is unknown
 */
Result<ProjectSpace> make_project_space(const std::vector<ProjectParameter>& parameters,
                                        const std::vector<ProjectCondition>& conditions,
                                        const std::vector<std::int64_t>& problem_size = {});

}  // namespace kernelscape
