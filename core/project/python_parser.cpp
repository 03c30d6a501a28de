#include "core/project/python_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_comprehension.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;

constexpr std::string_view running = "for";  // name of a display that is a comprehension

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
    : cursor_(text, std::move(tokens)) {}

Result<Node> PythonParser::parse() {
  if (cursor_.peek().kind == PythonToken::Kind::End) return cursor_.refuse("there is no expression");
  Node root = cursor_.is_word("lambda") ? TRY(lambda()) : TRY(expression());
  if (cursor_.peek().kind == PythonToken::Kind::End) {
    TRY(check_generators(root, cursor_.text()));
    return root;
  }
  if (cursor_.is(")") || cursor_.is("]") || cursor_.is("}"))
    return cursor_.refuse("this bracket has no opening bracket");
  if (cursor_.is(",")) return cursor_.refuse("a list needs brackets", "write it in ( ) or [ ]");
  if (cursor_.is_word("for")) return cursor_.refuse("a comprehension needs brackets", "write it in [ ]");
  return cursor_.refuse(fmt::format("an operator is expected before {}", cursor_.found()));
}

std::unexpected<Error> PythonParser::too_deep() const {
  return cursor_.refuse(fmt::format("more than {} nested levels", deepest_python),
                        "write it with fewer brackets");
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
  if (!cursor_.is_word(word)) return first;
  Node all{.kind = kind, .position = cursor_.peek().position};
  all.operands.push_back(std::move(first));
  while (cursor_.accept_word(word)) all.operands.push_back(TRY((this->*read)()));
  return all;
}

/** Reads operands with `read`, separated by operators. */
Result<Node> PythonParser::chain(Kind kind, std::optional<PythonOperator> (PythonParser::*between)(),
                                 Read read) {
  Node first = TRY((this->*read)());
  Node all{.kind = kind, .position = cursor_.peek().position};
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
    if (cursor_.accept(operation.symbol)) return operation.by;
  return std::nullopt;
}

/** Reads a restriction in the form of Kernel Tuner: parameters by name, or as items of a dictionary. */
Result<Node> PythonParser::lambda() {
  ++cursor_.position;
  std::vector<std::string> parameters;
  while (!cursor_.accept(":")) {
    if (!parameters.empty() && !cursor_.accept(","))
      return cursor_.refuse(fmt::format("{} where : is expected", cursor_.found()));
    if (cursor_.peek().kind != PythonToken::Kind::Name)
      return cursor_.refuse(fmt::format("{} where a parameter is expected", cursor_.found()),
                            "write lambda p: p[\"NAME\"] > 1, or lambda NAME: NAME > 1");
    parameters.push_back(cursor_.peek().text);
    ++cursor_.position;
  }
  Node body = TRY(expression());
  if (parameters.size() == 1) replace_items(body, parameters[0]);
  return body;
}

Result<Node> PythonParser::expression() {
  if (cursor_.is_word("lambda"))
    return cursor_.refuse("a lambda must be the whole expression", "write its body in its place");
  Node value = TRY(disjunction());
  if (!cursor_.is_word("if")) return value;
  Node node{.kind = Kind::Conditional, .position = cursor_.peek().position};
  ++cursor_.position;
  node.operands.push_back(std::move(value));
  node.operands.push_back(TRY(disjunction()));
  if (!cursor_.accept_word("else"))
    return cursor_.refuse(fmt::format("{} where else is expected", cursor_.found()),
                          "write a if condition else b");
  node.operands.push_back(TRY(deeper(&PythonParser::expression)));
  return node;
}

Result<Node> PythonParser::disjunction() { return joined(Kind::Or, "or", &PythonParser::conjunction); }
Result<Node> PythonParser::conjunction() { return joined(Kind::And, "and", &PythonParser::negation); }

Result<Node> PythonParser::negation() {
  if (!cursor_.is_word("not")) return chain(Kind::Compare, &PythonParser::comparison, &PythonParser::bit_or);
  Node node{.kind = Kind::Not, .position = cursor_.peek().position};
  ++cursor_.position;
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
  if (cursor_.accept_word("is")) return cursor_.accept_word("not") ? IsNot : Is;
  const bool negated = cursor_.is_word("not");
  if (!cursor_.is_word("in", negated ? 1 : 0)) return std::nullopt;
  cursor_.position += negated ? 2 : 1;
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
  if (!cursor_.is("-") && !cursor_.is("+") && !cursor_.is("~")) return power();
  const bool minus = cursor_.is("-");
  Node node{.kind = minus             ? Kind::Negate
                    : cursor_.is("~") ? Kind::Invert
                                      : Kind::Plus,
            .position = cursor_.peek().position};
  ++cursor_.position;
  // The lowest integer, whose magnitude alone would overflow.
  if (minus && cursor_.peek().kind == PythonToken::Kind::Integer &&
      cursor_.peek().magnitude == lowest_magnitude && !cursor_.is("**", 1)) {
    ++cursor_.position;
    return Node{.constant = std::numeric_limits<std::int64_t>::min(), .position = node.position};
  }
  node.operands.push_back(TRY(deeper(&PythonParser::sign)));
  return node;
}

Result<Node> PythonParser::power() {
  Node base = TRY(subscripted());
  if (!cursor_.is("**")) return base;
  Node node{.kind = Kind::Power, .operators = {PythonOperator::Power}, .position = cursor_.peek().position};
  ++cursor_.position;
  node.operands.push_back(std::move(base));
  node.operands.push_back(TRY(deeper(&PythonParser::sign)));
  return node;
}

Result<Node> PythonParser::subscripted() {
  Node node = TRY(atom());
  const int before = depth_;
  while (cursor_.is("[")) {
    if (depth_ == deepest_python) return too_deep();
    ++depth_;
    Node whole{.kind = Kind::Subscript, .position = cursor_.peek().position};
    ++cursor_.position;
    whole.operands.push_back(std::move(node));
    whole.operands.push_back(TRY(subscript()));
    if (!cursor_.accept("]")) return cursor_.refuse(fmt::format("{} where ] is expected", cursor_.found()));
    node = std::move(whole);
  }
  depth_ = before;
  if (cursor_.is("("))
    return cursor_.refuse("the text before this ( is not the name of a function",
                          "functions: " + python_functions());
  if (cursor_.is(".")) {
    ++cursor_.position;
    return cursor_.refuse(fmt::format("the member .{} is not supported", cursor_.peek().text),
                          "write it with operators and functions: " + python_functions());
  }
  return node;
}

/** Reads a subscript: an index, or first:end:step. */
Result<Node> PythonParser::subscript() {
  Node slice{.kind = Kind::Slice, .position = cursor_.peek().position};
  auto first = TRY(bound_of_slice());
  if (first && !cursor_.is(":")) return *std::move(first);
  if (!cursor_.is(":")) return cursor_.refuse(fmt::format("{} where a value is expected", cursor_.found()));
  const Node none{.kind = Kind::None, .position = cursor_.peek().position};
  slice.operands.push_back(std::move(first).value_or(none));
  while (slice.operands.size() < 3 && cursor_.accept(":"))
    slice.operands.push_back(TRY(bound_of_slice()).value_or(none));
  slice.operands.resize(3, none);
  return slice;
}

Result<std::optional<Node>> PythonParser::bound_of_slice() {
  if (cursor_.is(":") || cursor_.is("]")) return std::nullopt;
  return TRY(deeper(&PythonParser::expression));
}

Result<Node> PythonParser::atom() {
  const PythonToken token = cursor_.peek();
  switch (token.kind) {
    case PythonToken::Kind::Integer:
      if (token.magnitude == lowest_magnitude) return cursor_.refuse("this number is beyond 64 bits");
      ++cursor_.position;
      return Node{.constant = static_cast<std::int64_t>(token.magnitude), .position = token.position};
    case PythonToken::Kind::Real:
      ++cursor_.position;
      return Node{.constant = token.real, .position = token.position};
    case PythonToken::Kind::Text:
      return text();
    case PythonToken::Kind::Name:
      return name();
    case PythonToken::Kind::Symbol:
      if (cursor_.is("(")) return display(Kind::Tuple, ")");
      if (cursor_.is("[")) return display(Kind::List, "]");
      if (cursor_.is("{")) return display(Kind::Set, "}");
      break;
    case PythonToken::Kind::End:
      break;
  }
  return cursor_.refuse(fmt::format("{} where a value is expected", cursor_.found()));
}

/** Reads consecutive texts, which are joined. */
Result<Node> PythonParser::text() {
  Node node{.position = cursor_.peek().position};
  std::string whole;
  for (; cursor_.peek().kind == PythonToken::Kind::Text; ++cursor_.position) whole += cursor_.peek().text;
  node.constant = std::move(whole);
  return node;
}

Result<Node> PythonParser::name() {
  const PythonToken token = cursor_.peek();
  static constexpr std::array<std::string_view, 14> other{"and",   "or",    "in",   "is",   "if",
                                                          "else",  "for",   "not",  "def",  "lambda",
                                                          "yield", "class", "from", "await"};
  if (std::ranges::find(other, token.text) != other.end())
    return cursor_.refuse(fmt::format("{} where a value is expected", cursor_.found()));
  if (cursor_.is("(", 1)) return call(token.text, 1);
  if (cursor_.is(".", 1) && cursor_.is("(", 3)) return call(token.text + "." + cursor_.peek(2).text, 3);
  ++cursor_.position;
  if (token.text == "None") return Node{.kind = Kind::None, .position = token.position};
  if (token.text == "True" || token.text == "False")
    return Node{.constant = token.text == "True", .position = token.position};
  return Node{.kind = Kind::Name, .name = token.text, .position = token.position};
}

/**
 * Reads a call.
 * @param words number of words of the function's name, which may be qualified by its module
 */
Result<Node> PythonParser::call(std::string_view written, std::size_t words) {
  Node node{
      .kind = Kind::Call, .name = std::string(python_function(written)), .position = cursor_.peek().position};
  if (node.name.empty())
    return cursor_.refuse(fmt::format("there is no function {}", base::quoted_line(written, 40)),
                          "functions: " + python_functions());
  cursor_.position += words + 1;
  TRY(items(node, ")"));
  return node;
}

/** Reads a display: (a), which is a, (a,) and (), which are tuples, and lists and sets. */
Result<Node> PythonParser::display(Kind kind, std::string_view closing) {
  Node node{.kind = kind, .position = cursor_.peek().position};
  ++cursor_.position;
  if (kind == Kind::Set && cursor_.is("}"))
    return cursor_.refuse("dictionaries are not supported",
                          "write set() for the empty set, or list the values in [ ]");
  const bool comma = TRY(items(node, closing));
  const bool value = kind == Kind::Tuple && node.operands.size() == 1 && !comma;
  if (!value && node.name != running) return node;
  if (node.operands[0].kind == Kind::Spread)
    return cursor_.refuse("*values is allowed only in a list, a tuple or a set");
  Node inner = std::move(node.operands[0]);
  return inner;
}

/**
 * Reads up to the closing bracket.
 * @return whether there is a comma before it
 */
Result<bool> PythonParser::items(Node& node, std::string_view closing) {
  bool comma = false;
  while (!cursor_.accept(closing)) {
    if (!node.operands.empty() && !comma) {
      if (cursor_.is(":") && node.kind == Kind::Set)
        return cursor_.refuse("dictionaries are not supported",
                              "compare with each value, or use a if condition else b");
      return cursor_.refuse(fmt::format("{} where {} is expected", cursor_.found(), closing));
    }
    if (cursor_.is(",")) return cursor_.refuse("a value is missing before this comma");
    node.operands.push_back(TRY(item(node.kind)));
    if (cursor_.is_word("for") && node.operands.size() == 1) {
      const std::string_view opening = node.kind == Kind::List ? "[" : node.kind == Kind::Set ? "{" : "(";
      node.operands[0] = TRY(comprehension(std::move(node.operands[0]), opening));
      if (node.kind != Kind::Call) node.name = running;
      if (cursor_.is(","))
        return cursor_.refuse("a comprehension must be the only item in its brackets", "write it in [ ]");
    }
    comma = cursor_.accept(",");
  }
  return comma;
}

/** Reads a value, or *values. */
Result<Node> PythonParser::item(Kind kind) {
  if (!cursor_.is("*") || kind == Kind::Call) return deeper(&PythonParser::expression);
  Node node{.kind = Kind::Spread, .position = cursor_.peek().position};
  ++cursor_.position;
  node.operands.push_back(TRY(deeper(&PythonParser::bit_or)));
  return node;
}

/**
 * Reads `for x in values if condition` and further clauses after an element. The first iterated object can't
 * use the variables of the comprehension; all other parts can.
 */
Result<Node> PythonParser::comprehension(Node element, std::string_view opening) {
  if (element.kind == Kind::Spread) return cursor_.refuse("*values is not supported in a comprehension");
  Node all{.kind = Kind::Comprehension, .name = std::string(opening), .position = cursor_.peek().position};
  all.operands.push_back(std::move(element));
  std::vector<Node> locals;
  while (cursor_.accept_word("for")) {
    if (all.operands.size() > static_cast<std::size_t>(deepest_python)) return too_deep();
    Node loop{.kind = Kind::For, .position = cursor_.peek().position};
    loop.operands.push_back(TRY(target()));
    add_locals(loop.operands[0], locals);
    if (!cursor_.accept_word("in"))
      return cursor_.refuse(fmt::format("{} where in is expected", cursor_.found()));
    loop.operands.push_back(TRY(deeper(&PythonParser::disjunction)));
    while (cursor_.accept_word("if")) loop.operands.push_back(TRY(deeper(&PythonParser::disjunction)));
    all.operands.push_back(std::move(loop));
  }
  bind_comprehension(all, locals);
  return all;
}

/** Reads x, or x, y, or (x, y). */
Result<Node> PythonParser::target() {
  const bool bracket = cursor_.accept("(");
  Node first = TRY(target_name());
  Node node{.kind = Kind::Tuple, .position = first.position};
  node.operands.push_back(std::move(first));
  bool comma = false;
  while (cursor_.accept(",")) {
    comma = true;
    if (cursor_.peek().kind != PythonToken::Kind::Name || cursor_.is_word("in")) break;
    node.operands.push_back(TRY(target_name()));
  }
  if (bracket && !cursor_.accept(")"))
    return cursor_.refuse(fmt::format("{} where ) is expected", cursor_.found()));
  if (comma) return node;
  Node only = std::move(node.operands[0]);
  return only;
}

Result<Node> PythonParser::target_name() {
  if (cursor_.peek().kind != PythonToken::Kind::Name || cursor_.is_word("in"))
    return cursor_.refuse(fmt::format("{} where a variable is expected", cursor_.found()));
  Node local{.kind = Kind::Local,
             .name = cursor_.peek().text,
             .slot = slots_++,
             .position = cursor_.peek().position};
  ++cursor_.position;
  return local;
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
