#include "core/project/python_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_node.h"
#include "core/project/python_value.h"

namespace kernelscape {

struct PythonExpression::Data {
  std::string text;
  Node root;
  std::vector<std::string> names;
};

namespace {

using Node = PythonExpression::Node;

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.kind == Node::Kind::Name && std::ranges::find(names, node.name) == names.end())
    names.push_back(node.name);
  for (const Node& operand : node.operands) collect_names(operand, names);
}

PythonObject sequence_of(std::vector<PythonObject> items, bool tuple) {
  return {.items = std::make_shared<const std::vector<PythonObject>>(std::move(items)), .tuple = tuple};
}

/** Walks a tree; errors are those of its text. */
class PythonEvaluator {
 public:
  PythonEvaluator(std::string_view text, const PythonNames& names) : text_(text), names_(names) {}

  Result<PythonObject> operator()(const Node& node) const {
    using enum Node::Kind;
    switch (node.kind) {
      case Constant:
        return PythonObject{.value = node.constant};
      case Name:
        return named(node);
      case Sum:
      case Product:
      case Power:
        return arithmetic(node);
      case Negate:
      case Plus:
        return at(node, python_sign(node.kind == Negate, TRY((*this)(node.operands[0]))));
      case Not:
        return PythonObject{.value = !python_truth(TRY((*this)(node.operands[0])))};
      case And:
      case Or:
        return connected(node);
      case Compare:
        return compared(node);
      case Call:
        return at(node, python_call(node.name, TRY(all_of(node))));
      case List:
      case Tuple:
        return sequence_of(TRY(all_of(node)), node.kind == Tuple);
      case Subscript: {
        const std::vector<PythonObject> both = TRY(all_of(node));
        return at(node, python_subscript(both[0], both[1]));
      }
    }
    return PythonObject{};
  }

 private:
  template <typename Value>
  Result<Value> at(const Node& node, std::expected<Value, std::string> result) const {
    if (!result) return std::unexpected(python_error(text_, node.position, result.error()));
    return *std::move(result);
  }

  Result<PythonObject> named(const Node& node) const {
    const std::optional<PythonBinding> binding = names_ ? names_(node.name) : std::nullopt;
    if (!binding || (!binding->list && binding->values.size() != 1))
      return std::unexpected(
          python_error(text_, node.position, fmt::format("nothing is named {}", quoted_line(node.name, 60))));
    if (!binding->list) return PythonObject{.value = binding->values[0]};
    std::vector<PythonObject> items;
    for (const PythonValue& value : binding->values) items.push_back({.value = value});
    return sequence_of(std::move(items), false);
  }

  Result<std::vector<PythonObject>> all_of(const Node& node) const {
    std::vector<PythonObject> all;
    for (const Node& operand : node.operands) all.push_back(TRY((*this)(operand)));
    return all;
  }

  Result<PythonObject> arithmetic(const Node& node) const {
    PythonObject left = TRY((*this)(node.operands[0]));
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      const PythonObject right = TRY((*this)(node.operands[i + 1]));
      left = TRY(at(node, python_arithmetic(node.operators[i], left, right)));
    }
    return left;
  }

  /** The first operand that decides, else the last one. */
  Result<PythonObject> connected(const Node& node) const {
    PythonObject value;
    for (const Node& operand : node.operands) {
      value = TRY((*this)(operand));
      if (python_truth(value) == (node.kind == Node::Kind::Or)) break;
    }
    return value;
  }

  Result<PythonObject> compared(const Node& node) const {
    PythonObject left = TRY((*this)(node.operands[0]));
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      PythonObject right = TRY((*this)(node.operands[i + 1]));
      if (!TRY(at(node, python_compares(node.operators[i], left, right))))
        return PythonObject{.value = false};
      left = std::move(right);
    }
    return PythonObject{.value = true};
  }

  std::string_view text_;
  const PythonNames& names_;
};

}  // namespace

Result<PythonObject> compute_python(std::string_view text, const PythonExpression::Node& node,
                                    const PythonNames& names) {
  return PythonEvaluator(text, names)(node);
}

Result<PythonExpression> PythonExpression::parse(std::string_view text) {
  Data data{.text = std::string(text), .root = TRY(parse_python(text)), .names = {}};
  collect_names(data.root, data.names);
  PythonExpression expression;
  expression.data_ = std::make_shared<const Data>(std::move(data));
  return expression;
}

const std::string& PythonExpression::text() const {
  static const std::string none;
  return data_ ? data_->text : none;
}

const std::vector<std::string>& PythonExpression::names() const {
  static const std::vector<std::string> none;
  return data_ ? data_->names : none;
}

const PythonExpression::Node& PythonExpression::root() const {
  static const Node none;
  return data_ ? data_->root : none;
}

Result<PythonObject> PythonExpression::compute(const PythonNames& names) const {
  if (!data_) return fail(ErrorCode::InvalidArgument, "there is no expression");
  return compute_python(text(), root(), names);
}

std::unexpected<Error> PythonExpression::unfit(const PythonObject& object, std::string_view wanted) const {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} gives {}, not {}", quoted_line(text(), 200), python_type(object), wanted));
}

Result<PythonValue> PythonExpression::evaluate(const PythonNames& names) const {
  PythonObject object = TRY(compute(names));
  if (object.items) return unfit(object, "one value");
  return std::move(object.value);
}

Result<std::int64_t> PythonExpression::evaluate_integer(const PythonNames& names) const {
  const PythonObject object = TRY(compute(names));
  if (object.items) return unfit(object, "a whole number");
  if (const auto* integer = std::get_if<std::int64_t>(&object.value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&object.value)) return *truth ? 1 : 0;
  const auto* real = std::get_if<double>(&object.value);
  if (real == nullptr) return unfit(object, "a whole number");
  if (std::trunc(*real) == *real && *real >= -0x1p63 && *real < 0x1p63)
    return static_cast<std::int64_t>(*real);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} gives {}, not a whole number of 64 bits", quoted_line(text(), 200), *real),
              "divide with // to round down");
}

Result<bool> PythonExpression::evaluate_truth(const PythonNames& names) const {
  return python_truth(TRY(compute(names)));
}

Result<std::vector<PythonValue>> PythonExpression::evaluate_list(const PythonNames& names) const {
  const PythonObject object = TRY(compute(names));
  if (!object.items) return unfit(object, "a list");
  std::vector<PythonValue> values;
  for (const PythonObject& item : *object.items) {
    if (item.items) return unfit(object, "a list of values alone");
    values.push_back(item.value);
  }
  return values;
}

}  // namespace kernelscape
