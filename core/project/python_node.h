#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/python_expression.h"

namespace kernelscape::project {

/** An operator between two operands. */
enum class PythonOperator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,       ///< the result is a real
  FloorDivide,  ///< rounds down
  Modulo,       ///< the result has the sign of its right operand
  Power,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn,
  Is,
  IsNot
};

/** Returns the symbol in the language: "//", "not in". */
std::string_view symbol_of(PythonOperator by);

/**
 * A node of an expression's tree. Operands of the same precedence level belong to one node, from left to
 * right, so that a long sum is no deep tree.
 */
struct PythonExpression::Node {
  enum class Kind : std::uint8_t {
    Constant,
    None,
    Name,
    Local,    ///< variable of a comprehension, identified by its slot
    Bits,     ///< | or ^ or & or (<< and >>) between two or more operands
    Sum,      ///< + and - between two or more operands
    Product,  ///< * / // and % between two or more operands
    Power,    ///< ** of two operands
    Negate,
    Plus,
    Invert,  ///< ~
    Not,
    And,
    Or,
    Compare,      ///< a chain: every comparison between neighbours holds
    Conditional,  ///< three operands: for `0 if 1 else 2` the value, the condition, the other value
    Call,
    List,
    Tuple,
    Set,
    Spread,         ///< *values inside a list, a tuple or a set
    Subscript,      ///< two operands: the object, and the index or Slice
    Slice,          ///< three operands: first, end, step, None if omitted; second operand of a Subscript
    Comprehension,  ///< the element, then a For for each `for`; its name is the opening bracket
    For             ///< the target (a Local or a Tuple of them), the iterated object, the conditions
  };
  Kind kind = Kind::Constant;
  PythonValue constant = std::int64_t{0};
  std::string name{};                       ///< name of a Name, and function of a Call
  std::size_t slot = 0;                     ///< slot of a Local: each variable of an expression has its own
  std::vector<PythonOperator> operators{};  ///< of Bits, Sum, Product, Compare: between the operands
  std::vector<Node> operands{};
  std::size_t position = 0;  ///< position in the text of its first byte, or of its first operator
};

/** Maximum nesting of brackets, calls, signs and `not`; deeper expressions are refused. */
inline constexpr int deepest_python = 64;

/**
 * Parses a text and returns its tree. A lambda is replaced by its body: `lambda p: p["X"] > 1` is X > 1.
 * Errors name the column and the unexpected text. A text of more than `max_bytes` is an error.
 */
Result<PythonExpression::Node> parse_python(std::string_view text, std::size_t max_bytes);

/** Returns the function's name as PythonExpression calls it ("numpy.ceil" is "np.ceil", "ceil" "math.ceil"),
 * or an empty text if no function has the name. */
std::string_view python_function(std::string_view name);
/** Returns the names of all functions, for messages. */
std::string python_functions();

/** Returns an error at a byte of an expression: `"a // b": column 3: division by zero`. */
Error python_error(std::string_view text, std::size_t position, std::string_view what, std::string hint = {});

}  // namespace kernelscape::project
