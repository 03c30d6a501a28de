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
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn
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
    Name,
    Sum,      ///< + and - between two or more
    Product,  ///< * / // and %
    Power,    ///< of two
    Negate,
    Plus,
    Not,
    And,
    Or,
    Compare,  ///< a chain: every comparison between neighbours holds
    Call,
    List,
    Tuple,
    Subscript  ///< of two: what, and which
  };
  Kind kind = Kind::Constant;
  PythonValue constant = std::int64_t{0};
  std::string name{};                       ///< of a Name, and the function of a Call
  std::vector<PythonOperator> operators{};  ///< of Sum, Product and Compare: one before each but the first
  std::vector<Node> operands{};
  std::size_t position = 0;  ///< of its first byte, or that of its first operator, in the text
};

/** Levels of brackets, calls, signs and `not` in one another; deeper ones are refused. */
inline constexpr int deepest_python = 64;
inline constexpr std::size_t longest_python = 1U << 16;  ///< bytes of an expression

/** The tree of a text. Errors name the column and what stands there. */
Result<PythonExpression::Node> parse_python(std::string_view text);

/** `"a // b": column 3: division by zero`: an error at a byte of an expression. */
Error python_error(std::string_view text, std::size_t position, std::string_view what, std::string hint = {});

}  // namespace kernelscape
