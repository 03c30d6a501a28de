#pragma once

#include <string_view>
#include <vector>

#include "core/project/python_node.h"

namespace kernelscape::project {

/** Appends the variables of a comprehension's target to `locals`. Equal names are one variable. */
void add_locals(PythonExpression::Node& target, std::vector<PythonExpression::Node>& locals);

/**
 * Replaces the names in a comprehension that its variables bind. The first iterated object can't use the
 * variables; all other parts can.
 */
void bind_comprehension(PythonExpression::Node& comprehension,
                        const std::vector<PythonExpression::Node>& locals);

/** Refuses generators that are not the only argument of a function. @param text of the expression */
Status check_generators(const PythonExpression::Node& root, std::string_view text);

}  // namespace kernelscape::project
