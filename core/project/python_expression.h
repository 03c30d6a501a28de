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

namespace kernelscape {

struct PythonObject;

/** A value of an expression: a number, a truth value or a text, as a knob's. */
using PythonValue = KnobValue;

/** What a name stands for: its value, or all values of a parameter, of which `max(name)` takes the largest;
 * `name[2]` is one of them. */
struct PythonBinding {
  std::vector<PythonValue> values;
  bool list = false;  ///< all values, not one
};

/** Gives names their meaning; none: the name is unknown. */
using PythonNames = std::function<std::optional<PythonBinding>(std::string_view name)>;

inline constexpr std::size_t longest_python = 1U << 16;  ///< bytes of an expression

/**
 * An expression of the project format, which README.md describes: Python's, with integers of 64 bits whose
 * overflow is an error. Immutable; copies share their data. Without a text it is empty, and evaluates to an
 * error.
 */
class PythonExpression {
 public:
  /** Errors name the column and what stands there. Depth and length are limited. */
  static Result<PythonExpression> parse(std::string_view text, std::size_t max_bytes = longest_python);

  /** As it was parsed; empty of an empty one. */
  const std::string& text() const;
  /** Names it mentions, each once, in the order of the text. */
  const std::vector<std::string>& names() const;

  /** Errors: unknown name, types that do not fit, division by zero, overflow; they quote the expression. */
  Result<PythonValue> evaluate(const PythonNames& names) const;
  /** The same, as a whole number: a real that is one counts. */
  Result<std::int64_t> evaluate_integer(const PythonNames& names) const;
  /** The same as Python's truth of the value. */
  Result<bool> evaluate_truth(const PythonNames& names) const;
  /** Returns the values of a list, a tuple, a range, or a set in the order of its text: "[16, 32, 2 ** 6]".
   * It is an error too if the value is none of these, or holds another list. */
  Result<std::vector<PythonValue>> evaluate_list(const PythonNames& names) const;

  struct Node;
  /** The tree (python_node.h), for those that turn it into constraints; of an empty one 0. */
  const Node& root() const;

 private:
  struct Data;
  Result<PythonObject> compute(const PythonNames& names) const;
  std::unexpected<Error> unfit(const PythonObject& object, std::string_view wanted) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace kernelscape
