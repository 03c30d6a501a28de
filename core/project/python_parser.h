#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/python_cursor.h"
#include "core/project/python_node.h"
#include "core/project/python_tokens.h"

namespace kernelscape::project {

inline constexpr std::uint64_t lowest_magnitude = std::uint64_t{1}
                                                  << 63;  ///< magnitude of the lowest integer

/** Reads an expression by recursive descent, with a function for each level of precedence. */
class PythonParser {
 public:
  PythonParser(std::string_view text, std::vector<PythonToken> tokens);

  /** Returns the tree of the expression, or an error that names the column and the supported replacement. */
  Result<PythonExpression::Node> parse();

 private:
  using Node = PythonExpression::Node;
  using Kind = Node::Kind;
  using Read = Result<Node> (PythonParser::*)();
  struct Operation {
    std::string_view symbol;
    PythonOperator by;
  };

  std::unexpected<Error> too_deep() const;

  // Operators, starting with the lowest precedence.
  Result<Node> lambda();
  Result<Node> expression();
  Result<Node> disjunction();
  Result<Node> conjunction();
  Result<Node> negation();
  Result<Node> bit_or();
  Result<Node> bit_xor();
  Result<Node> bit_and();
  Result<Node> shift();
  Result<Node> sum();
  Result<Node> product();
  Result<Node> sign();
  Result<Node> power();
  Result<Node> deeper(Read read);
  Result<Node> joined(Kind kind, std::string_view word, Read read);
  Result<Node> chain(Kind kind, std::optional<PythonOperator> (PythonParser::*between)(), Read read);
  std::optional<PythonOperator> accept_of(std::span<const Operation> known);
  std::optional<PythonOperator> comparison();
  std::optional<PythonOperator> bar() { return accept_of(std::array{Operation{"|", PythonOperator::BitOr}}); }
  std::optional<PythonOperator> hat() {
    return accept_of(std::array{Operation{"^", PythonOperator::BitXor}});
  }
  std::optional<PythonOperator> ampersand() {
    return accept_of(std::array{Operation{"&", PythonOperator::BitAnd}});
  }
  std::optional<PythonOperator> shifting();
  std::optional<PythonOperator> additive();
  std::optional<PythonOperator> multiplicative();

  // The operands of operators.
  Result<Node> subscripted();
  Result<Node> subscript();
  Result<std::optional<Node>> bound_of_slice();
  Result<Node> atom();
  Result<Node> text();
  Result<Node> name();
  Result<Node> call(std::string_view written, std::size_t words);
  Result<Node> display(Kind kind, std::string_view closing);
  Result<bool> items(Node& node, std::string_view closing);
  Result<Node> item(Kind kind);
  Result<Node> comprehension(Node element, std::string_view opening);
  Result<Node> target();
  Result<Node> target_name();

  PythonCursor cursor_;
  int depth_ = 0;
  std::size_t slots_ = 0;  ///< number of variables of comprehensions so far
};

}  // namespace kernelscape::project
