#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_node.h"
#include "core/project/python_tokens.h"

namespace kernelscape {
namespace {

using Node = PythonExpression::Node;

constexpr std::uint64_t lowest_magnitude = std::uint64_t{1} << 63;

/** By recursive descent, a function for each level of precedence. */
class PythonParser {
 public:
  PythonParser(std::string_view text, std::vector<PythonToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Node> parse() {
    if (peek().kind == PythonToken::Kind::End) return refuse("there is no expression");
    Node root = TRY(any_of());
    if (peek().kind == PythonToken::Kind::End) return root;
    if (is(")") || is("]")) return refuse("this bracket closes nothing");
    if (is(",")) return refuse("a list needs brackets", "write it in ( ) or [ ]");
    return refuse(fmt::format("an operator should stand before {}", found()));
  }

 private:
  using Kind = Node::Kind;
  struct Operation {
    std::string_view symbol;
    PythonOperator by;
  };

  const PythonToken& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(here_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return peek(ahead).kind == PythonToken::Kind::Symbol && peek(ahead).text == symbol;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == PythonToken::Kind::Name && peek(ahead).text == word;
  }
  bool accept(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++here_;
    return true;
  }

  std::string found() const {
    return peek().kind == PythonToken::Kind::End
               ? "the end"
               : quoted_line(text_.substr(peek().position, peek(1).position - peek().position), 40);
  }

  std::unexpected<Error> refuse(std::string_view what, std::string hint = {}) const {
    return std::unexpected(python_error(text_, peek().position, what, std::move(hint)));
  }

  Result<Node> too_deep() const {
    return refuse(fmt::format("more than {} levels in one another", deepest_python),
                  "write it with fewer brackets");
  }

  /** What `read` gives, a level deeper. */
  Result<Node> deeper(Result<Node> (PythonParser::*read)()) {
    if (depth_ == deepest_python) return too_deep();
    ++depth_;
    Result<Node> node = (this->*read)();
    --depth_;
    return node;
  }

  /** Operands of `read` with a word between them. */
  Result<Node> joined(Kind kind, std::string_view word, Result<Node> (PythonParser::*read)()) {
    Node first = TRY((this->*read)());
    if (!is_word(word)) return first;
    Node all{.kind = kind, .position = peek().position};
    all.operands.push_back(std::move(first));
    while (is_word(word)) {
      ++here_;
      all.operands.push_back(TRY((this->*read)()));
    }
    return all;
  }

  /** Operands of `read` with operators between them. */
  Result<Node> chain(Kind kind, std::optional<PythonOperator> (PythonParser::*between)(),
                     Result<Node> (PythonParser::*read)()) {
    Node first = TRY((this->*read)());
    Node all{.kind = kind, .position = peek().position};
    while (const auto by = (this->*between)()) {
      // NOLINTNEXTLINE(bugprone-use-after-move): moved once: then there are operands
      if (all.operands.empty()) all.operands.push_back(std::move(first));
      all.operators.push_back(*by);
      all.operands.push_back(TRY((this->*read)()));
    }
    return all.operands.empty() ? std::move(first) : std::move(all);
  }

  std::optional<PythonOperator> accept_of(std::span<const Operation> known) {
    for (const Operation& operation : known)
      if (accept(operation.symbol)) return operation.by;
    return std::nullopt;
  }

  Result<Node> any_of() {
    Node node = TRY(joined(Kind::Or, "or", &PythonParser::all_of));
    if (is_word("if")) return refuse("if is not read here", "write it with and, or");
    return node;
  }
  Result<Node> all_of() { return joined(Kind::And, "and", &PythonParser::negation); }

  Result<Node> negation() {
    if (!is_word("not")) return chain(Kind::Compare, &PythonParser::comparison, &PythonParser::sum);
    Node node{.kind = Kind::Not, .position = peek().position};
    ++here_;
    node.operands.push_back(TRY(deeper(&PythonParser::negation)));
    return node;
  }

  std::optional<PythonOperator> comparison() {
    using enum PythonOperator;
    static constexpr std::array<Operation, 6> known{{{"==", Equal},
                                                     {"!=", NotEqual},
                                                     {"<", Less},
                                                     {"<=", LessEqual},
                                                     {">", Greater},
                                                     {">=", GreaterEqual}}};
    if (const auto by = accept_of(known)) return by;
    const bool negated = is_word("not");
    if (!is_word("in", negated ? 1 : 0)) return std::nullopt;
    here_ += negated ? 2 : 1;
    return negated ? NotIn : In;
  }

  Result<Node> sum() { return chain(Kind::Sum, &PythonParser::additive, &PythonParser::product); }
  std::optional<PythonOperator> additive() {
    static constexpr std::array<Operation, 2> known{
        {{"+", PythonOperator::Add}, {"-", PythonOperator::Subtract}}};
    return accept_of(known);
  }

  Result<Node> product() { return chain(Kind::Product, &PythonParser::multiplicative, &PythonParser::sign); }
  std::optional<PythonOperator> multiplicative() {
    using enum PythonOperator;
    static constexpr std::array<Operation, 4> known{
        {{"*", Multiply}, {"/", Divide}, {"//", FloorDivide}, {"%", Modulo}}};
    return accept_of(known);
  }

  Result<Node> sign() {
    if (!is("-") && !is("+")) return power();
    const bool minus = is("-");
    Node node{.kind = minus ? Kind::Negate : Kind::Plus, .position = peek().position};
    ++here_;
    // The lowest integer, whose digits alone are too large.
    if (minus && peek().kind == PythonToken::Kind::Integer && peek().magnitude == lowest_magnitude &&
        !is("**", 1)) {
      ++here_;
      return Node{.constant = std::numeric_limits<std::int64_t>::min(), .position = node.position};
    }
    node.operands.push_back(TRY(deeper(&PythonParser::sign)));
    return node;
  }

  Result<Node> power() {
    Node base = TRY(subscripted());
    if (!is("**")) return base;
    Node node{.kind = Kind::Power, .operators = {PythonOperator::Power}, .position = peek().position};
    ++here_;
    node.operands.push_back(std::move(base));
    node.operands.push_back(TRY(deeper(&PythonParser::sign)));
    return node;
  }

  Result<Node> subscripted() {
    Node node = TRY(atom());
    const int before = depth_;
    while (is("[")) {
      if (depth_ == deepest_python) return too_deep();
      ++depth_;
      Node whole{.kind = Kind::Subscript, .position = peek().position};
      ++here_;
      whole.operands.push_back(std::move(node));
      whole.operands.push_back(TRY(deeper(&PythonParser::any_of)));
      if (is(":")) return refuse("a part of a list is not read here", "write one number");
      if (!accept("]")) return refuse(fmt::format("{} where ] should follow", found()));
      node = std::move(whole);
    }
    depth_ = before;
    if (is("("))
      return refuse("what stands before this ( is no function", "functions: " + std::string(functions));
    return node;
  }

  Result<Node> atom() {
    const PythonToken token = peek();
    switch (token.kind) {
      case PythonToken::Kind::Integer:
        if (token.magnitude == lowest_magnitude) return refuse("this number is beyond 64 bits");
        ++here_;
        return Node{.constant = static_cast<std::int64_t>(token.magnitude), .position = token.position};
      case PythonToken::Kind::Real:
        ++here_;
        return Node{.constant = token.real, .position = token.position};
      case PythonToken::Kind::Text:
        return text();
      case PythonToken::Kind::Name:
        return name();
      case PythonToken::Kind::Symbol:
        if (is("(")) return bracketed();
        if (is("[")) return list();
        break;
      case PythonToken::Kind::End:
        break;
    }
    return refuse(fmt::format("{} where a value should stand", found()));
  }

  /** Texts that follow each other are one. */
  Result<Node> text() {
    Node node{.position = peek().position};
    std::string whole;
    for (; peek().kind == PythonToken::Kind::Text; ++here_) whole += peek().text;
    node.constant = std::move(whole);
    return node;
  }

  Result<Node> name() {
    const PythonToken token = peek();
    static constexpr std::array<std::string_view, 13> other{
        "and", "or", "in", "is", "if", "else", "for", "not", "None", "lambda", "yield", "class", "from"};
    if (std::ranges::find(other, token.text) != other.end())
      return refuse(fmt::format("{} where a value should stand", found()));
    if (is("(", 1)) return call();
    ++here_;
    if (token.text == "True" || token.text == "False")
      return Node{.constant = token.text == "True", .position = token.position};
    return Node{.kind = Kind::Name, .name = token.text, .position = token.position};
  }

  Result<Node> call() {
    static constexpr std::array<std::string_view, 7> known{"min", "max",   "abs", "len",
                                                           "int", "float", "bool"};
    Node node{.kind = Kind::Call, .name = peek().text, .position = peek().position};
    if (std::ranges::find(known, node.name) == known.end())
      return refuse(fmt::format("there is no function {}", quoted_line(node.name, 40)),
                    "functions: " + std::string(functions));
    here_ += 2;
    TRY(items(node, ")"));
    return node;
  }

  Result<Node> list() {
    Node node{.kind = Kind::List, .position = peek().position};
    ++here_;
    TRY(items(node, "]"));
    return node;
  }

  /** (a) is a; (a,) and () are tuples. */
  Result<Node> bracketed() {
    Node node{.kind = Kind::Tuple, .position = peek().position};
    ++here_;
    const bool comma = TRY(items(node, ")"));
    if (node.operands.size() != 1 || comma) return node;
    Node inner = std::move(node.operands[0]);
    return inner;
  }

  /** Up to the closing bracket. @return whether a comma stands before it */
  Result<bool> items(Node& node, std::string_view closing) {
    bool comma = false;
    while (!accept(closing)) {
      if (!node.operands.empty() && !comma) {
        if (is_word("for")) return refuse("for is not read here", "list the values");
        if (is("=")) return refuse("a named argument is not read here");
        return refuse(fmt::format("{} where {} should follow", found(), closing));
      }
      if (is(",")) return refuse("a value is missing before this comma");
      node.operands.push_back(TRY(deeper(&PythonParser::any_of)));
      comma = accept(",");
    }
    return comma;
  }

  static constexpr std::string_view functions = "min, max, abs, len, int, float, bool";

  std::string_view text_;
  std::vector<PythonToken> tokens_;
  std::size_t here_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string_view symbol_of(PythonOperator by) {
  static constexpr std::array<std::string_view, 15> all{
      "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
  return all[static_cast<std::size_t>(by)];
}

Result<PythonExpression::Node> parse_python(std::string_view text) {
  return PythonParser(text, TRY(python_tokens(text))).parse();
}

}  // namespace kernelscape
