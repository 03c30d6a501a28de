#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace kernelscape::space {

// The CSP of a space: Heron's variables, over which its constraints are defined, and all elements of its
// knobs.

/**
 * Returns a space's constraint system with a variable for each element of each knob, including elements that
 * no constraint names: first the elements in the order of the knobs, then constants and derived variables in
 * their order of declaration. Elements have the names that the constraints use, else "tile_oc.3", or the
 * knob's name if it has one element. For an explicit set of members, returns the elements alone.
 */
ConstraintSystem csp_of(const SearchSpace& space);

/**
 * Returns the CSP of constraints over knobs without a space.
 * @param system valid over these knobs
 */
ConstraintSystem csp_of(const std::vector<Knob>& knobs, const ConstraintSystem& system);

/**
 * The variables of a constraint system, compiled for repeated evaluation: computes the values that
 * ConstraintSystem::evaluate returns, without an allocation. Unlike CompiledConstraints, which omits
 * variables that no check needs, this computes all variables. Immutable and thread-safe; does not refer to
 * the system.
 */
class CompiledVariables {
 public:
  /** Makes an empty object without variables. */
  CompiledVariables() = default;
  /** Compiles a system, which must be valid. */
  explicit CompiledVariables(const ConstraintSystem& system);

  std::size_t count() const { return blank_.size(); }  ///< number of variables of the system

  /**
   * Computes the value of each variable by its VariableId, whether the configuration is a member or not.
   * @param knobs the knobs of the system; the configuration has an index for each
   * @param values count() numbers, all of which are written
   */
  void compute(const std::vector<Knob>& knobs, const Configuration& configuration,
               std::span<std::int64_t> values) const;

 private:
  enum class Code : std::uint8_t { Product, Sum, Copy, Select };

  /** Defines the value of a derived variable. Operands are variables, from operands_[first] on. */
  struct Definition {
    Code code = Code::Product;
    VariableId result = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  void define(Code code, VariableId result, const std::vector<VariableId>& operands);

  std::vector<std::int64_t> blank_;  ///< one per variable: the value of a constant, 0 for others
  std::vector<std::pair<VariableId, KnobElement>> elements_;
  std::vector<Definition> definitions_;
  std::vector<VariableId> operands_;
};

}  // namespace kernelscape::space
