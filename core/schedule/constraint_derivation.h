#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/schedule.h"
#include "core/space/constraint.h"

namespace kernelscape::schedule {

/** Builds constraints over the lengths of a schedule's loops. */
class ConstraintBuilder {
 public:
  explicit ConstraintBuilder(const Schedule& schedule) : schedule_(schedule) {}

  /**
   * Returns the variable of a loop's length: a knob's element, a constant, the quotient of a number by an
   * element, or a value derived from other loops' lengths.
   */
  space::VariableId length_of(LoopId loop);
  /** Returns the variable of a knob's element. */
  space::VariableId element_of(KnobId knob, int position = 0);
  /** Returns the variable with a constant value; the same variable for the same value. */
  space::VariableId constant(std::int64_t value);
  /** Returns a derived variable, the product of the factors; a single factor is returned itself. */
  space::VariableId product(const std::string& name, const std::vector<space::VariableId>& factors);
  /** Returns a derived variable: the choice with the number of the knob's value 0, 1, ... */
  space::VariableId select(const std::string& name, KnobId knob, std::vector<space::VariableId> choices);
  /** Returns a derived variable, the sum of the terms; a single term is returned itself. */
  space::VariableId sum(const std::string& name, const std::vector<space::VariableId>& terms);
  /** Requires a bound on a product of loop lengths; the product gets the bound's name. */
  void require(const ProductBound& bound);
  /** Requires variable <= bound. `reason` is the error text of a rejected configuration. */
  void require_at_most(space::VariableId variable, std::int64_t bound, const std::string& reason);
  /** Requires variable <= bound between two variables. */
  void require_not_more(space::VariableId variable, space::VariableId bound, const std::string& reason);
  /** Requires that the variable has one of these values. */
  void require_in(space::VariableId variable, std::vector<std::int64_t> values, const std::string& reason);
  /** Returns all variables and constraints so far and ends the construction. */
  space::ConstraintSystem take() && { return std::move(system_); }

 private:
  space::VariableId quotient_of(LoopId loop, const LoopLength& number, LoopId tile);
  space::VariableId defined_once(LoopId loop, const std::function<space::VariableId()>& define);

  const Schedule& schedule_;
  space::ConstraintSystem system_;
  std::map<std::pair<int, int>, space::VariableId> elements_;  ///< by knob and position
  std::map<int, space::VariableId> lengths_;                   ///< derived lengths, by number of the loop
  std::map<std::int64_t, space::VariableId> constants_;
};

}  // namespace kernelscape::schedule
