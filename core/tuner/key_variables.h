#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::tuner {

/** The feature columns that are variables of a CSP, matched by name. */
class VariableColumns {
 public:
  /**
   * If several variables have the same name, the columns of that name are matched to them in order. Constants
   * are left out.
   */
  VariableColumns(const space::ConstraintSystem& csp, std::span<const std::string> columns);

  /** Returns all variables except constants, in their order. */
  const std::vector<space::VariableId>& variables() const { return variables_; }

  /**
   * Returns the variables whose columns have a score above 0, the highest score first; equal scores in the
   * order of the columns.
   * @param scores one per column
   */
  std::vector<space::VariableId> ranked(std::span<const double> scores) const;

 private:
  struct Column {
    std::size_t number = 0;
    space::VariableId variable = 0;
  };

  std::vector<space::VariableId> variables_;
  std::vector<Column> columns_;
};

/**
 * Returns Heron's number of key variables: a share of the variables with a score above 0, rounded down. If
 * this is so small that a child would inherit nothing from its parents, returns `least`.
 */
std::size_t key_variable_count(double share, std::size_t least, std::size_t scored);

/**
 * Returns the constraints of CGA's child (Algorithm 3): each key variable except one has the value of one of
 * the parents.
 * @param left_out number of the key variable that stays free; a number beyond the last leaves out none
 * @param first, second values of all variables of the CSP
 */
std::vector<space::InConstraint> crossover_constraints(std::span<const space::VariableId> keys,
                                                       std::size_t left_out,
                                                       std::span<const std::int64_t> first,
                                                       std::span<const std::int64_t> second);

}  // namespace kernelscape::tuner
