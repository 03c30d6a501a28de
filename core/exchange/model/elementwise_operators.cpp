// Operators that compute each element of their result from the elements at the same index.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/exchange/model/operators.h"
#include "core/graph/layer_task.h"

namespace kernelscape::exchange {
namespace {

using Text = base::CSourceText;
using Operands = std::vector<Text>;

/** Returns the value of an operator as an expression of its operands, which are names of variables. */
using Expression = Text (*)(const Operands& v, const graph::Node& node, graph::ElementType type);

Text call(base::Literal function, const Text& operand) {
  return base::write<base::CSource>("{}({})", function, operand);
}

/** Joins all operands, two at a time, by a format such as "({} + {})". */
template <typename Join>
Text joined_operands(const Operands& v, const Join& join) {
  Text text = v[0];
  for (std::size_t i = 1; i < v.size(); ++i) text = join(text, v[i]);
  return text;
}

Text sum_of(const Operands& v, const graph::Node&, graph::ElementType) {
  return joined_operands(
      v, [](const Text& a, const Text& b) { return base::write<base::CSource>("({} + {})", a, b); });
}
/** Joins all operands by a function of two numbers of the type. */
Text joined_by_function(const Operands& v, base::Literal function, graph::ElementType type) {
  using enum graph::ElementType;
  const bool narrow = type == Bool || type == I8 || type == U8;
  const base::Literal suffix = narrow ? base::Literal("int32_t") : c_type(type);
  return joined_operands(v, [&](const Text& a, const Text& b) {
    return base::write<base::CSource>("{}_{}({}, {})", function, suffix, a, b);
  });
}

Text largest_of(const Operands& v, const graph::Node&, graph::ElementType type) {
  return joined_by_function(v, "op_larger", type);
}
Text smallest_of(const Operands& v, const graph::Node&, graph::ElementType type) {
  return joined_by_function(v, "op_smaller", type);
}
Text mean_of(const Operands& v, const graph::Node& node, graph::ElementType type) {
  return base::write<base::CSource>("({} / {})", sum_of(v, node, type), v.size());
}

Text binary(const Operands& v, base::Literal sign) {
  return base::write<base::CSource>("({} {} {})", v[0], sign, v[1]);
}
Text quotient(const Operands& v, graph::ElementType type) {
  using enum graph::ElementType;
  // A division of integers by 0 ends the program.
  if (type == I64 || type == I32 || type == I8 || type == U8)
    return base::write<base::CSource>("({1} == 0 ? 0 : {0} / ({1} == 0 ? 1 : {1}))", v[0], v[1]);
  return binary(v, "/");
}

Text clip(const Operands& v, const graph::Node&, graph::ElementType) {
  Text text = v[0];
  // The macros return their second operand if it is no number.
  if (v.size() > 1 && !v[1].empty()) text = base::write<base::CSource>("op_max({}, {})", v[1], text);
  if (v.size() > 2 && !v[2].empty()) text = base::write<base::CSource>("op_min({}, {})", v[2], text);
  return text;
}

Text cast(const Operands& v, const graph::Node&, graph::ElementType type) {
  if (type == graph::ElementType::Bool) return base::write<base::CSource>("({} != 0)", v[0]);
  return base::write<base::CSource>("({})({})", c_type(type), v[0]);
}

Text gelu(const Operands& v, const graph::Node& node, graph::ElementType) {
  return graph::text_attribute(node, "approximate", "none") == "tanh" ? call("op_gelu_tanh", v[0])
                                                                      : call("op_gelu", v[0]);
}

Text with_parameters(base::Literal function, const Text& v, double a, double b) {
  return base::write<base::CSource>("{}({}, {}, {})", function, v, float_text(a), float_text(b));
}

Text leaky(const Text& v, double slope) {
  return base::write<base::CSource>("({0} >= 0 ? {0} : {1} * {0})", v, float_text(slope));
}

/** Operators of one form: the function is the C expression. */
const std::map<std::string, Expression, std::less<>>& expressions() {
  static const std::map<std::string, Expression, std::less<>> table = [] {
    std::map<std::string, Expression, std::less<>> t;
    using Node = graph::Node;
    using Type = graph::ElementType;
    t["Relu"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("op_max(0, {})", v[0]);
    };
    t["LeakyRelu"] = [](const Operands& v, const Node& n, Type) {
      return leaky(v[0], graph::number_attribute(n, "alpha", 0.01));
    };
    t["PRelu"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("({0} >= 0 ? {0} : {1} * {0})", v[0], v[1]);
    };
    t["Sigmoid"] = [](const Operands& v, const Node&, Type) { return call("op_sigmoid", v[0]); };
    t["HardSigmoid"] = [](const Operands& v, const Node& n, Type) {
      return with_parameters("op_hard_sigmoid", v[0], graph::number_attribute(n, "alpha", 0.2),
                             graph::number_attribute(n, "beta", 0.5));
    };
    t["HardSwish"] = [](const Operands& v, const Node&, Type) { return call("op_hard_swish", v[0]); };
    t["Tanh"] = [](const Operands& v, const Node&, Type) { return call("op_tanh", v[0]); };
    t["Erf"] = [](const Operands& v, const Node&, Type) { return call("op_erf", v[0]); };
    t["Gelu"] = gelu;
    t["Exp"] = [](const Operands& v, const Node&, Type) { return call("op_exp", v[0]); };
    t["Log"] = [](const Operands& v, const Node&, Type) { return call("logf", v[0]); };
    t["Sqrt"] = [](const Operands& v, const Node&, Type) { return call("sqrtf", v[0]); };
    t["Abs"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("({0} < 0 ? -{0} : {0})", v[0]);
    };
    t["Neg"] = [](const Operands& v, const Node&, Type) { return base::write<base::CSource>("(-{})", v[0]); };
    t["Reciprocal"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("(1 / {})", v[0]);
    };
    t["Floor"] = [](const Operands& v, const Node&, Type) { return call("floorf", v[0]); };
    t["Ceil"] = [](const Operands& v, const Node&, Type) { return call("ceilf", v[0]); };
    t["Not"] = [](const Operands& v, const Node&, Type) { return base::write<base::CSource>("(!{})", v[0]); };
    t["Pow"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("op_power({}, {})", v[0], v[1]);
    };
    t["Add"] = [](const Operands& v, const Node&, Type) { return binary(v, "+"); };
    t["Sub"] = [](const Operands& v, const Node&, Type) { return binary(v, "-"); };
    t["Mul"] = [](const Operands& v, const Node&, Type) { return binary(v, "*"); };
    t["Div"] = [](const Operands& v, const Node&, Type type) { return quotient(v, type); };
    t["Sum"] = sum_of;
    t["Max"] = largest_of;
    t["Min"] = smallest_of;
    t["Mean"] = mean_of;
    t["Equal"] = [](const Operands& v, const Node&, Type) { return binary(v, "=="); };
    t["Less"] = [](const Operands& v, const Node&, Type) { return binary(v, "<"); };
    t["LessOrEqual"] = [](const Operands& v, const Node&, Type) { return binary(v, "<="); };
    t["Greater"] = [](const Operands& v, const Node&, Type) { return binary(v, ">"); };
    t["GreaterOrEqual"] = [](const Operands& v, const Node&, Type) { return binary(v, ">="); };
    t["And"] = [](const Operands& v, const Node&, Type) { return binary(v, "&&"); };
    t["Or"] = [](const Operands& v, const Node&, Type) { return binary(v, "||"); };
    t["Where"] = [](const Operands& v, const Node&, Type) {
      return base::write<base::CSource>("({} ? {} : {})", v[0], v[1], v[2]);
    };
    t["Clip"] = clip;
    t["Cast"] = cast;
    return t;
  }();
  return table;
}

Status write_elementwise(ModelSteps& steps, const graph::Node& node) {
  const graph::Value& result = steps.value(node.outputs[0]);
  const loop_nest::Layout layout = TRY(layout_of_result(steps, node, result.shape));
  std::vector<LoopOperand> operands;
  for (std::size_t i = 0; i < node.own_input_count(); ++i)
    if (has_input(node, i)) operands.push_back(TRY(operand_for(steps, node.inputs[i], layout)));
  const ValueForm to = steps.make_form(node.outputs[0], layout);
  operands.insert(operands.begin(), whole_operand(to, result.shape.size()));
  const Expression expression = expressions().find(node.operation)->second;
  return steps.add_loop(about_node(node), result.shape, operands, [&](const Operands& names) {
    Operands values;
    std::size_t next = 1;
    for (std::size_t i = 0; i < node.own_input_count(); ++i)
      values.push_back(has_input(node, i) ? names[next++] : Text());
    return base::write<base::CSource>("{} = {};", names[0], expression(values, node, result.type));
  });
}

Status write_batch_normalization(ModelSteps& steps, const graph::Node& node) {
  const graph::Value& result = steps.value(node.outputs[0]);
  const std::size_t rank = result.shape.size();
  graph::Shape channels(rank, 1);
  channels[1] = result.shape[1];
  ValueForm from = TRY(steps.first_form(node.inputs[0]));
  if (has_gaps(from.layout)) from = TRY(steps.plain_form(node.inputs[0]));
  std::vector<LoopOperand> operands{whole_operand(from, rank)};
  for (std::size_t i = 1; i < 5; ++i) {
    ValueForm form = TRY(steps.plain_form(node.inputs[i]));
    form.layout = loop_nest::row_major("plain", channels);
    operands.push_back(whole_operand(form, rank));
  }
  const ValueForm to = steps.make_form(node.outputs[0], from.layout);
  operands.insert(operands.begin(), whole_operand(to, rank));
  const Text epsilon = float_text(graph::number_attribute(node, "epsilon", 1e-5));
  return steps.add_loop(about_node(node), result.shape, operands, [&](const Operands& v) {
    return base::write<base::CSource>("{} = ({} - {}) / sqrtf({} + {}) * {} + {};", v[0], v[1], v[4], v[5],
                                      epsilon, v[2], v[3]);
  });
}

/** Returns a step of an epilogue as an expression. @param operand name of its operand, if it has one */
Text epilogue_expression(const task::EpilogueStep& step, const Text& v, const Text& operand) {
  switch (step.kind) {
    case task::EpilogueKind::Bias:
    case task::EpilogueKind::Add:
      return base::write<base::CSource>("({} + {})", v, operand);
    case task::EpilogueKind::Scale:
      return base::write<base::CSource>("({} * {})", v, operand);
    case task::EpilogueKind::Relu:
      return base::write<base::CSource>("op_max(0, {})", v);
    case task::EpilogueKind::Clip:
      return base::write<base::CSource>("op_min({}, op_max({}, {}))", float_text(step.b), float_text(step.a),
                                        v);
    case task::EpilogueKind::LeakyRelu:
      return leaky(v, step.a);
    case task::EpilogueKind::Sigmoid:
      return call("op_sigmoid", v);
    case task::EpilogueKind::HardSigmoid:
      return with_parameters("op_hard_sigmoid", v, step.a, step.b);
    case task::EpilogueKind::HardSwish:
      return call("op_hard_swish", v);
    case task::EpilogueKind::Silu:
      return call("op_silu", v);
    case task::EpilogueKind::Tanh:
      return call("op_tanh", v);
    case task::EpilogueKind::Gelu:
      return call("op_gelu", v);
    case task::EpilogueKind::GeluTanh:
      return call("op_gelu_tanh", v);
  }
  return v;
}

bool has_own_addend(const graph::Node& node) {
  return layer_operator(node.operation) != nullptr && node.operation != "MatMul" && has_input(node, 2);
}

/** Returns how a loop over a result sees a vector over its channels. */
Result<LoopOperand> channel_operand(ModelSteps& steps, const graph::Node& node, std::size_t value) {
  const std::size_t rank = steps.value(node.outputs[0]).shape.size();
  ValueForm form = TRY(steps.plain_form(value));
  graph::Shape shape(rank, 1);
  const bool multiplication = node.operation == "MatMul" || node.operation == "Gemm";
  const std::size_t channels = multiplication || rank < 2 ? rank - 1 : 1;
  shape[channels] = graph::element_count(form.layout.shape);
  form.layout = loop_nest::row_major("plain", shape);
  return whole_operand(form, rank);
}

}  // namespace

Result<loop_nest::Layout> layout_of_result(ModelSteps& steps, const graph::Node& node,
                                           const graph::Shape& shape) {
  loop_nest::Layout layout = loop_nest::row_major("plain", shape);
  for (std::size_t i = 0; i < node.own_input_count(); ++i) {
    if (!has_input(node, i) || steps.value(node.inputs[i]).shape != shape) continue;
    if (steps.value(node.inputs[i]).constant) continue;
    const ValueForm form = TRY(steps.first_form(node.inputs[i]));
    if (has_gaps(form.layout) || is_row_major(form.layout)) continue;
    return form.layout;
  }
  return layout;
}

Result<LoopOperand> operand_for(ModelSteps& steps, std::size_t value, const loop_nest::Layout& layout) {
  ValueForm form = TRY(steps.first_form(value));
  // Blocks that do not nest need a conversion, as does a constant that is read once per element.
  if (form.layout.shape == layout.shape && !same_order(form.layout, layout))
    form = TRY(steps.form_in(value, layout));
  const bool broadcast = form.layout.shape != layout.shape;
  const std::int64_t block = channel_block(form.layout);
  if (broadcast && block != 1 && (block == 0 || block != channel_block(layout)))
    form = TRY(steps.plain_form(value));
  return whole_operand(form, layout.shape.size());
}

bool needs_epilogue(const graph::Node& node, std::size_t first) {
  return first < node.epilogue.size() ||
         (layer_operator(node.operation) != nullptr && graph::has_own_epilogue(node));
}

Status write_epilogue(ModelSteps& steps, const graph::Node& node, std::size_t first, const ValueForm& from,
                      const ValueForm& to) {
  const graph::Value& result = steps.value(node.outputs[0]);
  const std::size_t rank = result.shape.size();
  std::vector<LoopOperand> operands{whole_operand(to, rank), whole_operand(from, rank)};
  const bool addend = has_own_addend(node);
  if (addend && node.operation == "Gemm") {
    operands.push_back(TRY(operand_for(steps, node.inputs[2], to.layout)));
  } else if (addend) {
    operands.push_back(TRY(channel_operand(steps, node, node.inputs[2])));
  }
  std::size_t operand = node.own_input_count();
  for (std::size_t i = 0; i < node.epilogue.size(); ++i) {
    if (!task::has_operand(node.epilogue[i].kind)) continue;
    const std::size_t value = node.inputs[operand++];
    if (i < first) continue;
    operands.push_back(node.epilogue[i].kind == task::EpilogueKind::Add
                           ? TRY(operand_for(steps, value, to.layout))
                           : TRY(channel_operand(steps, node, value)));
  }
  return steps.add_loop(about_node(node) + ", epilogue", result.shape, operands, [&](const Operands& v) {
    Text lines;
    std::size_t next = 2;
    Text start = v[1];
    const double alpha = node.operation == "Gemm" ? graph::number_attribute(node, "alpha", 1) : 1;
    if (alpha != 1) start = base::write<base::CSource>("{} * {}", start, float_text(alpha));
    if (addend) {
      const double beta = node.operation == "Gemm" ? graph::number_attribute(node, "beta", 1) : 1;
      start += base::write<base::CSource>(" + {} * {}", float_text(beta), v[next++]);
    }
    lines = base::write<base::CSource>("float y = {};", start);
    for (std::size_t i = first; i < node.epilogue.size(); ++i) {
      const bool has = task::has_operand(node.epilogue[i].kind);
      lines += base::write<base::CSource>(
          " y = {};", epilogue_expression(node.epilogue[i], base::Literal("y"), has ? v[next] : Text()));
      if (has) ++next;
    }
    return lines + base::write<base::CSource>(" {} = y;", v[0]);
  });
}

WriteOperator elementwise_operator(std::string_view operation) {
  if (operation == "BatchNormalization") return write_batch_normalization;
  return expressions().contains(operation) ? write_elementwise : nullptr;
}

}  // namespace kernelscape::exchange
