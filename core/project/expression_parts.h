#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/space/constraint.h"
#include "core/space/knob.h"

namespace kernelscape {

// Trees of constraints, without what is always true or false in them.

/** The same for all configurations. */
Expression constant_expression(std::int64_t value);
/** A variable's value. */
Expression variable_expression(VariableId id);
/** @param kind Not or Negate, or one of two operands */
Expression operation(Expression::Kind kind, Expression first,
                     std::optional<Expression> second = std::nullopt);

/** True where `of` is not. */
Expression not_expression(Expression of);
/** True where all are; 1 of none. */
Expression and_expression(std::vector<Expression> all);
/** True where one is; 0 of none. */
Expression or_expression(std::vector<Expression> all);
/** Whether it is this constant. */
bool is_constant(const Expression& expression, std::int64_t value);

/** Nodes of the tree. */
std::size_t size_of(const Expression& expression);
/** Levels of the tree. */
int depth_of(const Expression& expression);

/** A knob with one element that a table is over. */
struct TableKnob {
  const Knob* knob = nullptr;
  VariableId variable = 0;
};

/**
 * True where a table has this entry: a choice by the first knob's values, then by the second's, where rows
 * that are alike are one. @param table one entry per combination, the last knob's values the fastest
 * @param most nodes; none where it takes more
 */
std::optional<Expression> table_expression(std::span<const TableKnob> knobs,
                                           std::span<const std::uint8_t> table, std::uint8_t entry,
                                           std::size_t most);

}  // namespace kernelscape
