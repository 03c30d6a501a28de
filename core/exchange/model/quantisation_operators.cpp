// QuantizeLinear and DequantizeLinear.
#include <fmt/format.h>

#include <algorithm>

#include "core/exchange/model/operators.h"

namespace kernelscape::exchange {
namespace {

using Text = base::CSourceText;

/** Returns how a loop over a result sees a scale or a zero point: one number, or a vector over an axis. */
Result<LoopOperand> quantisation_operand(ModelSteps& steps, const graph::Node& node, std::size_t input) {
  const graph::Shape& result = steps.value(node.outputs[0]).shape;
  ValueForm form = TRY(steps.plain_form(node.inputs[input]));
  graph::Shape shape(result.size(), 1);
  if (const std::int64_t count = graph::element_count(form.layout.shape); count > 1) {
    const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 1), result.size());
    if (axis >= result.size() || result[axis] != count)
      return unsupported(node, "its scales are not one for all elements, or one for each index of its axis");
    shape[axis] = count;
  }
  form.layout = loop_nest::row_major("plain", shape);
  return whole_operand(form, result.size());
}

bool is_quantised(graph::ElementType type) {
  return type == graph::ElementType::I8 || type == graph::ElementType::U8;
}

bool same_constants(const ModelSteps& steps, std::size_t one, std::size_t other) {
  if (one == other) return true;
  if (one == graph::absent || other == graph::absent) return false;
  const graph::Value& a = steps.value(one);
  const graph::Value& b = steps.value(other);
  if (!a.constant || !b.constant || a.type != b.type) return false;
  const auto bytes = graph::constant_bytes(a);
  const auto others = graph::constant_bytes(b);
  return bytes && others && **bytes == **others;
}

/** Returns true if a DequantizeLinear has the scales and zero points of a QuantizeLinear. */
bool turns_back(const ModelSteps& steps, const graph::Node& node, const graph::Node& quantisation) {
  const auto zero_of = [](const graph::Node& of) { return has_input(of, 2) ? of.inputs[2] : graph::absent; };
  return node.operation == "DequantizeLinear" && node.inputs[0] == quantisation.outputs[0] &&
         graph::integer_attribute(node, "axis", 1) == graph::integer_attribute(quantisation, "axis", 1) &&
         same_constants(steps, node.inputs[1], quantisation.inputs[1]) &&
         same_constants(steps, zero_of(node), zero_of(quantisation));
}

/** Returns true if all readers of a QuantizeLinear turn its result back into floats: it is not stored then.
 */
bool is_turned_back(const ModelSteps& steps, const graph::Node& quantisation) {
  const std::size_t result = quantisation.outputs[0];
  if (std::ranges::find(steps.graph().outputs, result) != steps.graph().outputs.end()) return false;
  return std::ranges::all_of(steps.graph().nodes, [&](const graph::Node& node) {
    return std::ranges::find(node.inputs, result) == node.inputs.end() ||
           turns_back(steps, node, quantisation);
  });
}

/** Returns the node whose result a DequantizeLinear reads if that is not stored; nullptr: it is. */
const graph::Node* rounding_before(const ModelSteps& steps, const graph::Node& node) {
  const auto found = std::ranges::find_if(steps.graph().nodes, [&](const graph::Node& other) {
    return other.operation == "QuantizeLinear" && other.outputs[0] == node.inputs[0];
  });
  return found != steps.graph().nodes.end() && is_turned_back(steps, *found) ? &*found : nullptr;
}

Status check_quantisation(const ModelSteps& steps, const graph::Node& node) {
  const graph::ElementType from = steps.value(node.inputs[0]).type;
  const graph::ElementType to = steps.value(node.outputs[0]).type;
  const bool known = node.operation == "QuantizeLinear"
                         ? from == graph::ElementType::F32 && is_quantised(to)
                         : is_quantised(from) || from == graph::ElementType::I32;
  if (known && steps.value(node.inputs[1]).type == graph::ElementType::F32) return {};
  return unsupported(node, fmt::format("it turns {} into {}, and only f32, i8 and u8 are supported",
                                       graph::to_string(from), graph::to_string(to)));
}

/** Writes a QuantizeLinear or a DequantizeLinear; both in one loop if nothing else reads what is between. */
Status write_quantisation(ModelSteps& steps, const graph::Node& node) {
  TRY(check_quantisation(steps, node));
  const bool quantises = node.operation == "QuantizeLinear";
  if (quantises && is_turned_back(steps, node)) return {};
  const graph::Node* rounding = quantises ? &node : rounding_before(steps, node);
  const graph::Node& first = rounding != nullptr ? *rounding : node;
  const graph::Value& result = steps.value(node.outputs[0]);
  const loop_nest::Layout layout = TRY(layout_of_result(steps, first, result.shape));
  std::vector<LoopOperand> operands{TRY(operand_for(steps, first.inputs[0], layout)),
                                    TRY(quantisation_operand(steps, node, 1))};
  if (has_input(node, 2)) operands.push_back(TRY(quantisation_operand(steps, node, 2)));
  operands.insert(operands.begin(),
                  whole_operand(steps.make_form(node.outputs[0], layout), result.shape.size()));
  return steps.add_loop(about_node(node), result.shape, operands, [&](const std::vector<Text>& v) {
    const Text zero = v.size() > 3 ? v[3] : Text(base::Literal("0"));
    Text whole = v[1];
    if (rounding != nullptr) {
      const bool is_signed = steps.value(rounding->outputs[0]).type == graph::ElementType::I8;
      whole = base::write<base::CSource>(
          "{}({}, {}, {})", is_signed ? base::Literal("op_quantized_i8") : base::Literal("op_quantized_u8"),
          v[1], v[2], zero);
    }
    if (quantises) return base::write<base::CSource>("{} = {};", v[0], whole);
    return base::write<base::CSource>("{} = (float)({} - {}) * {};", v[0], whole, zero, v[2]);
  });
}

}  // namespace

WriteOperator quantisation_operator(std::string_view operation) {
  return operation == "QuantizeLinear" || operation == "DequantizeLinear" ? write_quantisation : nullptr;
}

}  // namespace kernelscape::exchange
