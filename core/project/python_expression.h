#pragma once

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

/**
 * An expression of the project format: numbers, texts, True and False, names, + - * / // % ** and or not in,
 * chained comparisons, min max abs len int float bool, lists and tuples, subscripts. Values mean what they
 * mean in Python: / gives a real, // and % round down, integers of 64 bits whose overflow is an error.
 * Immutable; copies share their data. Without a text it is empty, and evaluates to an error.
 */
class PythonExpression {
 public:
  /** Errors name the column and what stands there. Depth and length are limited. */
  static Result<PythonExpression> parse(std::string_view text);

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
  /** The values of a list or a tuple: "[16, 32, 2 ** 6]". Errors also: it is none, or holds another. */
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
