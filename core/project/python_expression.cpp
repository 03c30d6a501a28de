#include "core/project/python_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/visible_text.h"
#include "core/project/python_node.h"
#include "core/project/python_value.h"

namespace kernelscape::project {

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

}  // namespace

Result<PythonExpression> PythonExpression::parse(std::string_view text, std::size_t max_bytes) {
  Data data{.text = std::string(text), .root = TRY(parse_python(text, max_bytes)), .names = {}};
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
  return fail(ErrorCode::InvalidArgument, fmt::format("{} gives {}, not {}", base::quoted_line(text(), 200),
                                                      python_type(object), wanted));
}

Result<PythonValue> PythonExpression::evaluate(const PythonNames& names) const {
  PythonObject object = TRY(compute(names));
  if (object.form != PythonObject::Form::Value) return unfit(object, "one value");
  return std::move(object.value);
}

Result<std::int64_t> PythonExpression::evaluate_integer(const PythonNames& names) const {
  const PythonObject object = TRY(compute(names));
  if (object.form != PythonObject::Form::Value) return unfit(object, "a whole number");
  if (const auto* integer = std::get_if<std::int64_t>(&object.value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&object.value)) return *truth ? 1 : 0;
  const auto* real = std::get_if<double>(&object.value);
  if (real == nullptr) return unfit(object, "a whole number");
  if (std::trunc(*real) == *real && *real >= -0x1p63 && *real < 0x1p63)
    return static_cast<std::int64_t>(*real);
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} gives {}, not a whole number of 64 bits", base::quoted_line(text(), 200), *real),
      "divide with // to round down");
}

Result<bool> PythonExpression::evaluate_truth(const PythonNames& names) const {
  return python_truth(TRY(compute(names)));
}

Result<std::vector<PythonValue>> PythonExpression::evaluate_list(const PythonNames& names) const {
  const PythonObject object = TRY(compute(names));
  if (!object.items && !object.range) return unfit(object, "a list");
  auto items = python_items(object);
  if (!items) return std::unexpected(python_error(text(), 0, items.error(), "name fewer values"));
  std::vector<PythonValue> values;
  for (PythonObject& item : *items) {
    if (item.form != PythonObject::Form::Value) return unfit(object, "a list of values alone");
    values.push_back(std::move(item.value));
  }
  return values;
}

}  // namespace kernelscape::project
