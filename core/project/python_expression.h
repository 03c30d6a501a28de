#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/knob.h"

namespace kernelscape::project {

struct PythonObject;

/** A value of an expression: a number, a truth value or a text, as in a knob. */
using PythonValue = space::KnobValue;

/**
 * The meaning of a name: its value, or all values of a parameter, of which `max(name)` is the largest and
 * `name[2]` the third.
 */
struct PythonBinding {
  std::vector<PythonValue> values;
  bool list = false;  ///< all values instead of one
};

/** Returns the meaning of a name, or nullopt if the name is unknown. */
using PythonNames = std::function<std::optional<PythonBinding>(std::string_view name)>;

inline constexpr std::size_t longest_python = 1U << 16;  ///< maximum bytes of an expression

/**
 * An expression of the project format described in README.md: Python's, with 64-bit integers whose overflow
 * is an error. Immutable; copies share their data. An expression that was not parsed is empty, and its
 * evaluation is an error.
 */
class PythonExpression {
 public:
  /** Parses a text. Errors name the column and the unexpected text. Depth and length are limited. */
  static Result<PythonExpression> parse(std::string_view text, std::size_t max_bytes = longest_python);

  /** Returns the parsed text; empty for an empty expression. */
  const std::string& text() const;
  /** Returns the names in the expression, each once, in the order of the text. */
  const std::vector<std::string>& names() const;

  /**
   * Evaluates the expression. Errors: unknown name, wrong types, division by zero, overflow; they quote the
   * expression.
   */
  Result<PythonValue> evaluate(const PythonNames& names) const;
  /** Evaluates the expression to an integer; a real with an integral value is accepted. */
  Result<std::int64_t> evaluate_integer(const PythonNames& names) const;
  /** Evaluates the expression to the truth value that Python gives it. */
  Result<bool> evaluate_truth(const PythonNames& names) const;
  /**
   * Returns the values of a list, a tuple, a range, or a set in the order of its text: "[16, 32, 2 ** 6]".
   * Errors are those of evaluate(), and a value that is none of these types or contains another list.
   */
  Result<std::vector<PythonValue>> evaluate_list(const PythonNames& names) const;

  struct Node;
  /**
   * Returns the tree (python_node.h) for its lowering to constraints; for an empty expression the constant 0.
   */
  const Node& root() const;

 private:
  struct Data;
  Result<PythonObject> compute(const PythonNames& names) const;
  std::unexpected<Error> unfit(const PythonObject& object, std::string_view wanted) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace kernelscape::project
