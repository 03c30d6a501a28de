#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/space/constraint.h"
#include "core/space/knob.h"

namespace kernelscape::project {

// Expression trees of constraints, simplified by removing parts that are always true or always false.

/** Returns an expression that is the same for all configurations. */
space::Expression constant_expression(std::int64_t value);
/** Returns an expression with a variable's value. */
space::Expression variable_expression(space::VariableId id);
/**
 * Returns an operation on one or two operands.
 * @param kind Not or Negate for one operand, or an operation of two operands
 */
space::Expression operation(space::Expression::Kind kind, space::Expression first,
                            std::optional<space::Expression> second = std::nullopt);

/** Returns an expression that is true if `of` is false. */
space::Expression not_expression(space::Expression of);
/** Returns an expression that is true if all of `all` are true; 1 for an empty list. */
space::Expression and_expression(std::vector<space::Expression> all);
/** Returns an expression that is true if any of `all` is true; 0 for an empty list. */
space::Expression or_expression(std::vector<space::Expression> all);
/** Returns true if the expression is this constant. */
bool is_constant(const space::Expression& expression, std::int64_t value);

/** Returns the number of nodes of the tree. */
std::size_t size_of(const space::Expression& expression);
/** Returns the number of levels of the tree. */
int depth_of(const space::Expression& expression);

/** A knob with one element that is a dimension of a table. */
struct TableKnob {
  const space::Knob* knob = nullptr;
  space::VariableId variable = 0;
};

/**
 * Returns an expression that is true if a table has this entry: a choice by the first knob's values, then by
 * the second's; equal rows are merged.
 * @param table one entry per combination; the last knob's values vary fastest
 * @param most maximum number of nodes; the result is nullopt if it needs more
 */
std::optional<space::Expression> table_expression(std::span<const TableKnob> knobs,
                                                  std::span<const std::uint8_t> table, std::uint8_t entry,
                                                  std::size_t most);

}  // namespace kernelscape::project
