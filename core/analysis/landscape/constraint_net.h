#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape {

/**
 * What a constraint system's drawing has a place for: an element of a knob, a knob that no variable names, a
 * derived variable together with what defines it, or a constraint that only checks. Constants have none: they
 * are part of their rules.
 */
struct ConstraintNode {
  std::optional<VariableId> variable = {};     ///< an element, or derived
  std::optional<std::size_t> constraint = {};  ///< the variable's definition, or the check
  std::optional<std::uint32_t> knob = {};      ///< of an element, or the one that no variable names
  std::vector<std::size_t> neighbours = {};    ///< positions of nodes, ascending, each once

  bool operator==(const ConstraintNode&) const = default;
};

/** Knobs and constraints as a graph, with an edge wherever a rule names a variable. */
struct ConstraintNet {
  /** The rim, by knob and position; then what lies inside, by constraint, and variables that none defines. */
  std::vector<ConstraintNode> nodes;
  std::size_t rim = 0;                     ///< nodes of knobs, the first ones
  std::vector<std::size_t> of_variable;    ///< by variable; nodes.size() for constants
  std::vector<std::size_t> of_constraint;  ///< by constraint

  /** Each once, the smaller position first; ascending. */
  std::vector<std::pair<std::size_t, std::size_t>> edges() const;
  bool operator==(const ConstraintNet&) const = default;
};

/** @param system valid over knobs of this number */
ConstraintNet make_constraint_net(std::size_t knob_count, const ConstraintSystem& system);

}  // namespace kernelscape
