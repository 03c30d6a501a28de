#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/space/constraint.h"

namespace kernelscape::analysis {

/**
 * A node in the drawing of a constraint system: an element of a knob, a knob that no variable names, a
 * derived variable together with the constraint that defines it, or a constraint that only checks. Constants
 * have no node, since they are part of their constraints.
 */
struct ConstraintNode {
  std::optional<space::VariableId> variable = {};  ///< an element of a knob, or a derived variable
  std::optional<std::size_t> constraint = {};      ///< the variable's definition, or the check
  std::optional<std::uint32_t> knob = {};    ///< the knob of an element, or the knob that no variable names
  std::vector<std::size_t> neighbours = {};  ///< positions of nodes, ascending, each once

  bool operator==(const ConstraintNode&) const = default;
};

/** Knobs and constraints as a graph, with an edge wherever a constraint names a variable. */
struct ConstraintNet {
  /**
   * The rim, by knob and position; then the interior, by constraint, and variables without a defining
   * constraint.
   */
  std::vector<ConstraintNode> nodes;
  std::size_t rim = 0;                     ///< number of nodes of knobs, which come first
  std::vector<std::size_t> of_variable;    ///< by variable; nodes.size() for constants
  std::vector<std::size_t> of_constraint;  ///< by constraint

  /** Returns each edge once, the smaller position first, ascending. */
  std::vector<std::pair<std::size_t, std::size_t>> edges() const;
  bool operator==(const ConstraintNet&) const = default;
};

/** Builds the graph of a constraint system. @param system valid over this number of knobs */
ConstraintNet make_constraint_net(std::size_t knob_count, const space::ConstraintSystem& system);

}  // namespace kernelscape::analysis
