#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_parsing.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;

constexpr std::string_view running = "for";  // name of a display that is a comprehension

/** Replaces names that a comprehension binds by its variables. */
void bind_names(Node& node, const std::vector<Node>& locals) {
  if (node.kind == Node::Kind::Name)
    for (const Node& local : locals)
      if (local.name == node.name) {
        node.kind = Node::Kind::Local;
        node.slot = local.slot;
      }
  for (Node& operand : node.operands) bind_names(operand, locals);
}

/** Appends the variables of a target. Equal names are one variable. */
void add_locals(Node& target, std::vector<Node>& locals) {
  if (target.kind == Node::Kind::Local) {
    const auto known = std::ranges::find(locals, target.name, &Node::name);
    if (known == locals.end())
      locals.push_back(target);
    else
      target.slot = known->slot;
  }
  for (Node& operand : target.operands) add_locals(operand, locals);
}

/**
 * Returns the position of a generator that is not the only argument of a function. Such generators are not
 * supported.
 */
std::optional<std::size_t> stray_generator(const Node& node, bool argument = false) {
  if (node.kind == Node::Kind::Comprehension && node.name == "(" && !argument) return node.position;
  const bool only =
      node.kind == Node::Kind::Call && node.operands.size() == 1 && !node.name.starts_with("np.");
  for (const Node& operand : node.operands)
    if (const auto found = stray_generator(operand, only)) return found;
  return std::nullopt;
}

}  // namespace

Status PythonParser::check_generators(const Node& root) const {
  const auto stray = stray_generator(root);
  if (!stray) return {};
  return std::unexpected(python_error(text_, *stray,
                                      "a generator is supported only as a function's only argument",
                                      "write it in [ ], as a list"));
}

Result<Node> PythonParser::subscripted() {
  Node node = TRY(atom());
  const int before = depth_;
  while (is("[")) {
    if (depth_ == deepest_python) return too_deep();
    ++depth_;
    Node whole{.kind = Kind::Subscript, .position = peek().position};
    ++here_;
    whole.operands.push_back(std::move(node));
    whole.operands.push_back(TRY(subscript()));
    if (!accept("]")) return refuse(fmt::format("{} where ] is expected", found()));
    node = std::move(whole);
  }
  depth_ = before;
  if (is("("))
    return refuse("the text before this ( is not the name of a function", "functions: " + python_functions());
  if (is(".")) {
    ++here_;
    return refuse(fmt::format("the member .{} is not supported", peek().text),
                  "write it with operators and functions: " + python_functions());
  }
  return node;
}

/** Reads a subscript: an index, or first:end:step. */
Result<Node> PythonParser::subscript() {
  Node slice{.kind = Kind::Slice, .position = peek().position};
  auto first = TRY(bound_of_slice());
  if (first && !is(":")) return *std::move(first);
  if (!is(":")) return refuse(fmt::format("{} where a value is expected", found()));
  const Node none{.kind = Kind::None, .position = peek().position};
  slice.operands.push_back(std::move(first).value_or(none));
  while (slice.operands.size() < 3 && accept(":"))
    slice.operands.push_back(TRY(bound_of_slice()).value_or(none));
  slice.operands.resize(3, none);
  return slice;
}

Result<std::optional<Node>> PythonParser::bound_of_slice() {
  if (is(":") || is("]")) return std::nullopt;
  return TRY(deeper(&PythonParser::expression));
}

Result<Node> PythonParser::atom() {
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
      if (is("(")) return display(Kind::Tuple, ")");
      if (is("[")) return display(Kind::List, "]");
      if (is("{")) return display(Kind::Set, "}");
      break;
    case PythonToken::Kind::End:
      break;
  }
  return refuse(fmt::format("{} where a value is expected", found()));
}

/** Reads consecutive texts, which are joined. */
Result<Node> PythonParser::text() {
  Node node{.position = peek().position};
  std::string whole;
  for (; peek().kind == PythonToken::Kind::Text; ++here_) whole += peek().text;
  node.constant = std::move(whole);
  return node;
}

Result<Node> PythonParser::name() {
  const PythonToken token = peek();
  static constexpr std::array<std::string_view, 14> other{"and",   "or",    "in",   "is",   "if",
                                                          "else",  "for",   "not",  "def",  "lambda",
                                                          "yield", "class", "from", "await"};
  if (std::ranges::find(other, token.text) != other.end())
    return refuse(fmt::format("{} where a value is expected", found()));
  if (is("(", 1)) return call(token.text, 1);
  if (is(".", 1) && is("(", 3)) return call(token.text + "." + peek(2).text, 3);
  ++here_;
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
  Node node{.kind = Kind::Call, .name = std::string(python_function(written)), .position = peek().position};
  if (node.name.empty())
    return refuse(fmt::format("there is no function {}", base::quoted_line(written, 40)),
                  "functions: " + python_functions());
  here_ += words + 1;
  TRY(items(node, ")"));
  return node;
}

/** Reads a display: (a), which is a, (a,) and (), which are tuples, and lists and sets. */
Result<Node> PythonParser::display(Kind kind, std::string_view closing) {
  Node node{.kind = kind, .position = peek().position};
  ++here_;
  if (kind == Kind::Set && is("}"))
    return refuse("dictionaries are not supported",
                  "write set() for the empty set, or list the values in [ ]");
  const bool comma = TRY(items(node, closing));
  const bool value = kind == Kind::Tuple && node.operands.size() == 1 && !comma;
  if (!value && node.name != running) return node;
  if (node.operands[0].kind == Kind::Spread)
    return refuse("*values is allowed only in a list, a tuple or a set");
  Node inner = std::move(node.operands[0]);
  return inner;
}

/**
 * Reads up to the closing bracket.
 * @return whether there is a comma before it
 */
Result<bool> PythonParser::items(Node& node, std::string_view closing) {
  bool comma = false;
  while (!accept(closing)) {
    if (!node.operands.empty() && !comma) {
      if (is(":") && node.kind == Kind::Set)
        return refuse("dictionaries are not supported",
                      "compare with each value, or use a if condition else b");
      return refuse(fmt::format("{} where {} is expected", found(), closing));
    }
    if (is(",")) return refuse("a value is missing before this comma");
    node.operands.push_back(TRY(item(node.kind)));
    if (is_word("for") && node.operands.size() == 1) {
      const std::string_view opening = node.kind == Kind::List ? "[" : node.kind == Kind::Set ? "{" : "(";
      node.operands[0] = TRY(comprehension(std::move(node.operands[0]), opening));
      if (node.kind != Kind::Call) node.name = running;
      if (is(",")) return refuse("a comprehension must be the only item in its brackets", "write it in [ ]");
    }
    comma = accept(",");
  }
  return comma;
}

/** Reads a value, or *values. */
Result<Node> PythonParser::item(Kind kind) {
  if (!is("*") || kind == Kind::Call) return deeper(&PythonParser::expression);
  Node node{.kind = Kind::Spread, .position = peek().position};
  ++here_;
  node.operands.push_back(TRY(deeper(&PythonParser::bit_or)));
  return node;
}

/**
 * Reads `for x in values if condition` and further clauses after an element. The first iterated object can't
 * use the variables of the comprehension; all other parts can.
 */
Result<Node> PythonParser::comprehension(Node element, std::string_view opening) {
  if (element.kind == Kind::Spread) return refuse("*values is not supported in a comprehension");
  Node all{.kind = Kind::Comprehension, .name = std::string(opening), .position = peek().position};
  all.operands.push_back(std::move(element));
  std::vector<Node> locals;
  while (accept_word("for")) {
    if (all.operands.size() > static_cast<std::size_t>(deepest_python)) return too_deep();
    Node loop{.kind = Kind::For, .position = peek().position};
    loop.operands.push_back(TRY(target()));
    add_locals(loop.operands[0], locals);
    if (!accept_word("in")) return refuse(fmt::format("{} where in is expected", found()));
    loop.operands.push_back(TRY(deeper(&PythonParser::disjunction)));
    while (accept_word("if")) loop.operands.push_back(TRY(deeper(&PythonParser::disjunction)));
    all.operands.push_back(std::move(loop));
  }
  for (std::size_t i = 0; i < all.operands.size(); ++i) {
    Node& part = all.operands[i];
    if (part.kind != Kind::For) {
      bind_names(part, locals);
      continue;
    }
    for (std::size_t j = i == 1 ? 2 : 1; j < part.operands.size(); ++j) bind_names(part.operands[j], locals);
  }
  return all;
}

/** Reads x, or x, y, or (x, y). */
Result<Node> PythonParser::target() {
  const bool bracket = accept("(");
  Node first = TRY(target_name());
  Node node{.kind = Kind::Tuple, .position = first.position};
  node.operands.push_back(std::move(first));
  bool comma = false;
  while (accept(",")) {
    comma = true;
    if (peek().kind != PythonToken::Kind::Name || is_word("in")) break;
    node.operands.push_back(TRY(target_name()));
  }
  if (bracket && !accept(")")) return refuse(fmt::format("{} where ) is expected", found()));
  if (comma) return node;
  Node only = std::move(node.operands[0]);
  return only;
}

Result<Node> PythonParser::target_name() {
  if (peek().kind != PythonToken::Kind::Name || is_word("in"))
    return refuse(fmt::format("{} where a variable is expected", found()));
  Node local{.kind = Kind::Local, .name = peek().text, .slot = slots_++, .position = peek().position};
  ++here_;
  return local;
}

}  // namespace kernelscape::project
