#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_parsing.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;

/**
 * Replaces p["X"] by X in a lambda's body.
 * @return whether there was any
 */
bool replace_items(Node& node, std::string_view parameter) {
  if (node.kind == Node::Kind::Subscript && node.operands[0].kind == Node::Kind::Name &&
      node.operands[0].name == parameter && node.operands[1].kind == Node::Kind::Constant) {
    if (const auto* key = std::get_if<std::string>(&node.operands[1].constant)) {
      node = Node{.kind = Node::Kind::Name, .name = *key, .position = node.operands[0].position};
      return true;
    }
  }
  bool replaced = false;
  for (Node& operand : node.operands) replaced = replace_items(operand, parameter) || replaced;
  return replaced;
}

}  // namespace

PythonParser::PythonParser(std::string_view text, std::vector<PythonToken> tokens)
    : text_(text), tokens_(std::move(tokens)) {}

Result<Node> PythonParser::parse() {
  if (peek().kind == PythonToken::Kind::End) return refuse("there is no expression");
  Node root = is_word("lambda") ? TRY(lambda()) : TRY(expression());
  if (peek().kind == PythonToken::Kind::End) {
    TRY(check_generators(root));
    return root;
  }
  if (is(")") || is("]") || is("}")) return refuse("this bracket has no opening bracket");
  if (is(",")) return refuse("a list needs brackets", "write it in ( ) or [ ]");
  if (is_word("for")) return refuse("a comprehension needs brackets", "write it in [ ]");
  return refuse(fmt::format("an operator is expected before {}", found()));
}

const PythonToken& PythonParser::peek(std::size_t ahead) const {
  return tokens_[std::min(here_ + ahead, tokens_.size() - 1)];
}

bool PythonParser::is(std::string_view symbol, std::size_t ahead) const {
  return peek(ahead).kind == PythonToken::Kind::Symbol && peek(ahead).text == symbol;
}

bool PythonParser::is_word(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == PythonToken::Kind::Name && peek(ahead).text == word;
}

bool PythonParser::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  ++here_;
  return true;
}

bool PythonParser::accept_word(std::string_view word) {
  if (!is_word(word)) return false;
  ++here_;
  return true;
}

std::string PythonParser::found() const {
  return peek().kind == PythonToken::Kind::End
             ? "the end"
             : base::quoted_line(text_.substr(peek().position, peek(1).position - peek().position), 40);
}

std::unexpected<Error> PythonParser::refuse(std::string_view what, std::string hint) const {
  return std::unexpected(python_error(text_, peek().position, what, std::move(hint)));
}

std::unexpected<Error> PythonParser::too_deep() const {
  return refuse(fmt::format("more than {} nested levels", deepest_python), "write it with fewer brackets");
}

/** Calls `read` one level deeper. */
Result<Node> PythonParser::deeper(Read read) {
  if (depth_ == deepest_python) return too_deep();
  ++depth_;
  Result<Node> node = (this->*read)();
  --depth_;
  return node;
}

/** Reads operands with `read`, separated by a word. */
Result<Node> PythonParser::joined(Kind kind, std::string_view word, Read read) {
  Node first = TRY((this->*read)());
  if (!is_word(word)) return first;
  Node all{.kind = kind, .position = peek().position};
  all.operands.push_back(std::move(first));
  while (accept_word(word)) all.operands.push_back(TRY((this->*read)()));
  return all;
}

/** Reads operands with `read`, separated by operators. */
Result<Node> PythonParser::chain(Kind kind, std::optional<PythonOperator> (PythonParser::*between)(),
                                 Read read) {
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

std::optional<PythonOperator> PythonParser::accept_of(std::span<const Operation> known) {
  for (const Operation& operation : known)
    if (accept(operation.symbol)) return operation.by;
  return std::nullopt;
}

/** Reads a restriction in the form of Kernel Tuner: parameters by name, or as items of a dictionary. */
Result<Node> PythonParser::lambda() {
  ++here_;
  std::vector<std::string> parameters;
  while (!accept(":")) {
    if (!parameters.empty() && !accept(",")) return refuse(fmt::format("{} where : is expected", found()));
    if (peek().kind != PythonToken::Kind::Name)
      return refuse(fmt::format("{} where a parameter is expected", found()),
                    "write lambda p: p[\"NAME\"] > 1, or lambda NAME: NAME > 1");
    parameters.push_back(peek().text);
    ++here_;
  }
  Node body = TRY(expression());
  if (parameters.size() == 1) replace_items(body, parameters[0]);
  return body;
}

Result<Node> PythonParser::expression() {
  if (is_word("lambda"))
    return refuse("a lambda must be the whole expression", "write its body in its place");
  Node value = TRY(disjunction());
  if (!is_word("if")) return value;
  Node node{.kind = Kind::Conditional, .position = peek().position};
  ++here_;
  node.operands.push_back(std::move(value));
  node.operands.push_back(TRY(disjunction()));
  if (!accept_word("else"))
    return refuse(fmt::format("{} where else is expected", found()), "write a if condition else b");
  node.operands.push_back(TRY(deeper(&PythonParser::expression)));
  return node;
}

Result<Node> PythonParser::disjunction() { return joined(Kind::Or, "or", &PythonParser::conjunction); }
Result<Node> PythonParser::conjunction() { return joined(Kind::And, "and", &PythonParser::negation); }

Result<Node> PythonParser::negation() {
  if (!is_word("not")) return chain(Kind::Compare, &PythonParser::comparison, &PythonParser::bit_or);
  Node node{.kind = Kind::Not, .position = peek().position};
  ++here_;
  node.operands.push_back(TRY(deeper(&PythonParser::negation)));
  return node;
}

std::optional<PythonOperator> PythonParser::comparison() {
  using enum PythonOperator;
  static constexpr std::array<Operation, 6> known{{{"==", Equal},
                                                   {"!=", NotEqual},
                                                   {"<", Less},
                                                   {"<=", LessEqual},
                                                   {">", Greater},
                                                   {">=", GreaterEqual}}};
  if (const auto by = accept_of(known)) return by;
  if (accept_word("is")) return accept_word("not") ? IsNot : Is;
  const bool negated = is_word("not");
  if (!is_word("in", negated ? 1 : 0)) return std::nullopt;
  here_ += negated ? 2 : 1;
  return negated ? NotIn : In;
}

Result<Node> PythonParser::bit_or() { return chain(Kind::Bits, &PythonParser::bar, &PythonParser::bit_xor); }
Result<Node> PythonParser::bit_xor() { return chain(Kind::Bits, &PythonParser::hat, &PythonParser::bit_and); }
Result<Node> PythonParser::bit_and() {
  return chain(Kind::Bits, &PythonParser::ampersand, &PythonParser::shift);
}

Result<Node> PythonParser::shift() { return chain(Kind::Bits, &PythonParser::shifting, &PythonParser::sum); }
std::optional<PythonOperator> PythonParser::shifting() {
  static constexpr std::array<Operation, 2> known{
      {{"<<", PythonOperator::ShiftLeft}, {">>", PythonOperator::ShiftRight}}};
  return accept_of(known);
}

Result<Node> PythonParser::sum() { return chain(Kind::Sum, &PythonParser::additive, &PythonParser::product); }
std::optional<PythonOperator> PythonParser::additive() {
  static constexpr std::array<Operation, 2> known{
      {{"+", PythonOperator::Add}, {"-", PythonOperator::Subtract}}};
  return accept_of(known);
}

Result<Node> PythonParser::product() {
  return chain(Kind::Product, &PythonParser::multiplicative, &PythonParser::sign);
}
std::optional<PythonOperator> PythonParser::multiplicative() {
  using enum PythonOperator;
  static constexpr std::array<Operation, 4> known{
      {{"*", Multiply}, {"/", Divide}, {"//", FloorDivide}, {"%", Modulo}}};
  return accept_of(known);
}

Result<Node> PythonParser::sign() {
  if (!is("-") && !is("+") && !is("~")) return power();
  const bool minus = is("-");
  Node node{.kind = minus ? Kind::Negate : is("~") ? Kind::Invert : Kind::Plus, .position = peek().position};
  ++here_;
  // The lowest integer, whose magnitude alone would overflow.
  if (minus && peek().kind == PythonToken::Kind::Integer && peek().magnitude == lowest_magnitude &&
      !is("**", 1)) {
    ++here_;
    return Node{.constant = std::numeric_limits<std::int64_t>::min(), .position = node.position};
  }
  node.operands.push_back(TRY(deeper(&PythonParser::sign)));
  return node;
}

Result<Node> PythonParser::power() {
  Node base = TRY(subscripted());
  if (!is("**")) return base;
  Node node{.kind = Kind::Power, .operators = {PythonOperator::Power}, .position = peek().position};
  ++here_;
  node.operands.push_back(std::move(base));
  node.operands.push_back(TRY(deeper(&PythonParser::sign)));
  return node;
}

std::string_view symbol_of(PythonOperator by) {
  static constexpr std::array<std::string_view, 22> all{
      "+",  "-",  "*",  "/", "//", "%", "**", "|",  "^",      "&",  "<<",
      ">>", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"};
  return all[static_cast<std::size_t>(by)];
}

Result<PythonExpression::Node> parse_python(std::string_view text, std::size_t max_bytes) {
  return PythonParser(text, TRY(python_tokens(text, max_bytes))).parse();
}

}  // namespace kernelscape::project
