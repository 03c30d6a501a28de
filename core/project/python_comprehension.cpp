#include "core/project/python_comprehension.h"

#include <algorithm>
#include <optional>

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;

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

void bind_comprehension(Node& comprehension, const std::vector<Node>& locals) {
  for (std::size_t i = 0; i < comprehension.operands.size(); ++i) {
    Node& part = comprehension.operands[i];
    if (part.kind != Node::Kind::For) {
      bind_names(part, locals);
      continue;
    }
    for (std::size_t j = i == 1 ? 2 : 1; j < part.operands.size(); ++j) bind_names(part.operands[j], locals);
  }
}

Status check_generators(const Node& root, std::string_view text) {
  const auto stray = stray_generator(root);
  if (!stray) return {};
  return std::unexpected(python_error(text, *stray,
                                      "a generator is supported only as a function's only argument",
                                      "write it in [ ], as a list"));
}

}  // namespace kernelscape::project
