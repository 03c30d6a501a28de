#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/** The columns of features that are variables of a CSP, by their names. */
class VariableColumns {
 public:
  /** Columns of a name that several have are its variables in their order. Constants are left out. */
  VariableColumns(const ConstraintSystem& csp, std::span<const std::string> columns);

  /** All variables but constants, in their order. */
  const std::vector<VariableId>& variables() const { return variables_; }

  /**
   * The variables whose columns have a score above 0, the highest first, equal ones in the order of the
   * columns.
   * @param scores by column
   */
  std::vector<VariableId> ranked(std::span<const double> scores) const;

 private:
  struct Column {
    std::size_t number = 0;
    VariableId variable = 0;
  };

  std::vector<VariableId> variables_;
  std::vector<Column> columns_;
};

/**
 * Heron's number of key variables: this share of those that matter at all, rounded down; where these are so
 * few that nothing of a parent would be left in a child, `least` of them.
 */
std::size_t key_variable_count(double share, std::size_t least, std::size_t scored);

/**
 * The constraints of CGA's child (Algorithm 3): each key variable but one has the value of one parent.
 * @param left_out number of the key variable that is free; beyond the last: none is
 * @param first, second values of all variables of the CSP
 */
std::vector<InConstraint> crossover_constraints(std::span<const VariableId> keys, std::size_t left_out,
                                                std::span<const std::int64_t> first,
                                                std::span<const std::int64_t> second);

}  // namespace kernelscape
