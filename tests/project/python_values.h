#pragma once

#include <string>
#include <string_view>

#include "core/project/python_expression.h"

namespace kernelscape::testing {

/** The kind and the text of a value, or the error. */
inline std::string shown(const Result<project::PythonValue>& value) {
  return value ? std::to_string(value->index()) + " " + space::to_string(*value) : describe(value.error());
}

inline Result<project::PythonValue> value_of(std::string_view text, const project::PythonNames& names = {}) {
  const Result<project::PythonExpression> expression = project::PythonExpression::parse(text);
  if (!expression) return std::unexpected(expression.error());
  return expression->evaluate(names);
}

inline bool mentions(const Error& error, std::string_view words) { return describe(error).contains(words); }

}  // namespace kernelscape::testing
