#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape {

// The CSP of a space: Heron's variables, which its constraints speak of, and all elements of its knobs.

/**
 * A space's constraint system with a variable for each element of each knob, those that no constraint names
 * included: first the elements in the order of the knobs, then constants and derived variables as they were
 * declared. Elements have the names that the constraints use, else "tile_oc.3", or the knob's name where it
 * has one element. Of an explicit set of members: the elements alone.
 */
ConstraintSystem csp_of(const SearchSpace& space);

/** The same of constraints over knobs without a space. @param system valid over these knobs */
ConstraintSystem csp_of(const std::vector<Knob>& knobs, const ConstraintSystem& system);

/**
 * The variables of a constraint system made ready for being asked again and again: the values that
 * ConstraintSystem::evaluate gives, without an allocation. Where CompiledConstraints leaves out what no check
 * needs, this has them all. Immutable, and keeps nothing of the system; any thread may ask.
 */
class CompiledVariables {
 public:
  /** Of no variables. */
  CompiledVariables() = default;
  /** The system has to be valid. */
  explicit CompiledVariables(const ConstraintSystem& system);

  std::size_t count() const { return blank_.size(); }  ///< variables of the system

  /**
   * The value of each variable by its VariableId, whether the configuration is a member or not.
   * @param knobs those that the system speaks of; the configuration has an index for each
   * @param values count() numbers, all of which are written
   */
  void compute(const std::vector<Knob>& knobs, const Configuration& configuration,
               std::span<std::int64_t> values) const;

 private:
  enum class Code : std::uint8_t { Product, Sum, Copy, Select };

  /** Gives a derived variable its value. Operands are variables, from operands_[first] on. */
  struct Definition {
    Code code = Code::Product;
    VariableId result = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  void define(Code code, VariableId result, const std::vector<VariableId>& operands);

  std::vector<std::int64_t> blank_;  ///< one per variable: of constants their values, of others 0
  std::vector<std::pair<VariableId, KnobElement>> elements_;
  std::vector<Definition> definitions_;
  std::vector<VariableId> operands_;
};

}  // namespace kernelscape
