#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/schedule.h"
#include "core/space/constraint.h"

namespace kernelscape {

/** Constraints over the lengths of a schedule's loops. */
class ConstraintBuilder {
 public:
  explicit ConstraintBuilder(const Schedule& schedule) : schedule_(schedule) {}

  /** The variable of a loop's length: a knob's element, a constant, a number's quotient by one element, or
   * what other loops' lengths give. */
  VariableId length_of(LoopId loop);
  /** The variable of a knob's element. */
  VariableId element_of(KnobId knob, int position = 0);
  /** A variable of one value; asked for again it is the same variable. */
  VariableId constant(std::int64_t value);
  /** A derived variable with this value; a single factor or term is itself. */
  VariableId product(const std::string& name, const std::vector<VariableId>& factors);
  /** A derived variable, the choice with the number that the knob's value 0, 1, ... is. */
  VariableId select(const std::string& name, KnobId knob, std::vector<VariableId> choices);
  /** A derived variable, the sum of the terms; a single term is itself. */
  VariableId sum(const std::string& name, const std::vector<VariableId>& terms);
  /** A bound on a product of loop lengths, the product named as the bound is. */
  void require(const ProductBound& bound);
  /** variable <= bound; `reason` is what the refused configuration is told. */
  void require_at_most(VariableId variable, std::int64_t bound, const std::string& reason);
  /** The same between two variables: variable <= bound. */
  void require_not_more(VariableId variable, VariableId bound, const std::string& reason);
  /** The variable has one of these values. */
  void require_in(VariableId variable, std::vector<std::int64_t> values, const std::string& reason);
  /** Ends the building: all variables and constraints so far. */
  ConstraintSystem take() && { return std::move(system_); }

 private:
  VariableId quotient_of(LoopId loop, const LoopLength& number, LoopId tile);
  VariableId defined_once(LoopId loop, const std::function<VariableId()>& define);

  const Schedule& schedule_;
  ConstraintSystem system_;
  std::map<std::pair<int, int>, VariableId> elements_;  ///< by knob and position
  std::map<int, VariableId> lengths_;                   ///< derived ones, by number of the loop
  std::map<std::int64_t, VariableId> constants_;
};

}  // namespace kernelscape
