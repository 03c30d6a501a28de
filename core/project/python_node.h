#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/python_expression.h"

namespace kernelscape {

/** What stands between two operands. */
enum class PythonOperator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,       ///< gives a real
  FloorDivide,  ///< rounds down
  Modulo,       ///< has the sign of its right side
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

/** As the language writes it: "//", "not in". */
std::string_view symbol_of(PythonOperator by);

/**
 * A node of an expression's tree. Operands of one level of precedence are those of one node, from left to
 * right, so that a long sum is no deep tree.
 */
struct PythonExpression::Node {
  enum class Kind : std::uint8_t {
    Constant,
    None,
    Name,
    Local,    ///< variable of a comprehension, found by its slot
    Bits,     ///< | or ^ or & or (<< and >>) between two or more
    Sum,      ///< + and - between two or more
    Product,  ///< * / // and %
    Power,    ///< of two
    Negate,
    Plus,
    Invert,  ///< ~
    Not,
    And,
    Or,
    Compare,      ///< a chain: every comparison between neighbours holds
    Conditional,  ///< of three: `0 if 1 else 2`, the value, the condition, the other value
    Call,
    List,
    Tuple,
    Set,
    Spread,         ///< *values in a list, a tuple or a set
    Subscript,      ///< of two: what, and which
    Slice,          ///< of three, None where nothing stands: first, end, step; second operand of a Subscript
    Comprehension,  ///< the element, then a For for each `for`; its name is the opening bracket
    For             ///< the target (a Local or a Tuple of them), what is run through, the conditions
  };
  Kind kind = Kind::Constant;
  PythonValue constant = std::int64_t{0};
  std::string name{};                       ///< of a Name, and the function of a Call
  std::size_t slot = 0;                     ///< of a Local: each variable of an expression has its own
  std::vector<PythonOperator> operators{};  ///< of Bits, Sum, Product, Compare: one before each but the first
  std::vector<Node> operands{};
  std::size_t position = 0;  ///< of its first byte, or that of its first operator, in the text
};

/** Levels of brackets, calls, signs and `not` in one another; deeper ones are refused. */
inline constexpr int deepest_python = 64;

/**
 * Returns the tree of a text. The names of a lambda are those of its body: `lambda p: p["X"] > 1` is X > 1.
 * Errors name the column and what stands there. A text of more than `max_bytes` is an error.
 */
Result<PythonExpression::Node> parse_python(std::string_view text, std::size_t max_bytes);

/** Returns the function's name as PythonExpression calls it ("numpy.ceil" is "np.ceil", "ceil" "math.ceil"),
 * or an empty text if no function has the name. */
std::string_view python_function(std::string_view name);
/** Returns the names of all functions, for messages. */
std::string python_functions();

/** `"a // b": column 3: division by zero`: an error at a byte of an expression. */
Error python_error(std::string_view text, std::size_t position, std::string_view what, std::string hint = {});

}  // namespace kernelscape
