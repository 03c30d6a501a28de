// Operators that normalise rows: every element depends on all elements of its row.
#include <algorithm>

#include "core/exchange/model/operators.h"

namespace kernelscape::exchange {
namespace {

std::int64_t extents_between(const graph::Shape& shape, std::size_t from, std::size_t to) {
  std::int64_t product = 1;
  for (std::size_t d = from; d < to; ++d) product *= shape[d];
  return product;
}

Status write_softmax(ModelSteps& steps, const graph::Node& node) {
  TRY(check_floats(steps, node, 1));
  const graph::Shape& shape = steps.value(node.inputs[0]).shape;
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", -1), shape.size());
  const ValueForm from = TRY(steps.plain_form(node.inputs[0]));
  const ValueForm to = steps.make_form(node.outputs[0], loop_nest::row_major("plain", shape));
  steps.add_step(about_node(node),
                 base::write<base::CSource>(
                     "  op_softmax(part, parts, {}, {}, {}, {}, {}, {});\n", extents_between(shape, 0, axis),
                     shape[axis], extents_between(shape, axis + 1, shape.size()),
                     node.operation == "LogSoftmax" ? 1 : 0, steps.address(from), steps.address(to, true)));
  return {};
}

Status write_layer_normalization(ModelSteps& steps, const graph::Node& node) {
  TRY(check_floats(steps, node, 3));
  const graph::Shape& shape = steps.value(node.inputs[0]).shape;
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i] != graph::absent) return unsupported(node, "its mean or deviation is read");
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", -1), shape.size());
  const std::int64_t length = extents_between(shape, axis, shape.size());
  for (std::size_t i = 1; i < 3; ++i)
    if (has_input(node, i) && graph::element_count(steps.value(node.inputs[i]).shape) != length)
      return unsupported(node, "its scale or bias has another shape than its rows");
  const ValueForm from = TRY(steps.plain_form(node.inputs[0]));
  const ValueForm scale = TRY(steps.plain_form(node.inputs[1]));
  const bool biased = has_input(node, 2);
  const ValueForm bias = TRY(steps.plain_form(node.inputs[biased ? 2 : 1]));
  const ValueForm to = steps.make_form(node.outputs[0], loop_nest::row_major("plain", shape));
  steps.add_step(
      about_node(node),
      base::write<base::CSource>(
          "  op_layer_normalization(part, parts, {}, {}, {}, {}, {}, {}, {});\n",
          extents_between(shape, 0, axis), length, float_text(graph::number_attribute(node, "epsilon", 1e-5)),
          steps.address(from), steps.address(scale), biased ? steps.address(bias) : base::CSourceText("NULL"),
          steps.address(to, true)));
  return {};
}

Status write_instance_normalization(ModelSteps& steps, const graph::Node& node) {
  TRY(check_floats(steps, node, 3));
  const graph::Shape& shape = steps.value(node.inputs[0]).shape;
  const ValueForm from = TRY(steps.plain_form(node.inputs[0]));
  const ValueForm scale = TRY(steps.plain_form(node.inputs[1]));
  const ValueForm bias = TRY(steps.plain_form(node.inputs[2]));
  const ValueForm to = steps.make_form(node.outputs[0], loop_nest::row_major("plain", shape));
  steps.add_step(about_node(node),
                 base::write<base::CSource>(
                     "  op_instance_normalization(part, parts, {}, {}, {}, {}, {}, {}, {}, {});\n",
                     shape[0] * shape[1], shape[1], extents_between(shape, 2, shape.size()),
                     float_text(graph::number_attribute(node, "epsilon", 1e-5)), steps.address(from),
                     steps.address(scale), steps.address(bias), steps.address(to, true)));
  return {};
}

Status write_local_response(ModelSteps& steps, const graph::Node& node) {
  TRY(check_floats(steps, node, 1));
  const graph::Shape& shape = steps.value(node.inputs[0]).shape;
  const ValueForm from = TRY(steps.plain_form(node.inputs[0]));
  const ValueForm to = steps.make_form(node.outputs[0], loop_nest::row_major("plain", shape));
  const std::int64_t size = graph::integer_attribute(node, "size", 1);
  steps.add_step(
      about_node(node),
      base::write<base::CSource>("  op_local_response(part, parts, {}, {}, {}, {}, {}, {}, {}, {}, {});\n",
                                 shape[0], shape[1], extents_between(shape, 2, shape.size()), size,
                                 float_text(graph::number_attribute(node, "alpha", 1e-4)),
                                 float_text(graph::number_attribute(node, "beta", 0.75)),
                                 float_text(graph::number_attribute(node, "bias", 1)), steps.address(from),
                                 steps.address(to, true)));
  return {};
}

}  // namespace

WriteOperator row_operator(std::string_view operation) {
  if (operation == "Softmax" || operation == "LogSoftmax") return write_softmax;
  if (operation == "LayerNormalization") return write_layer_normalization;
  if (operation == "InstanceNormalization") return write_instance_normalization;
  return operation == "LRN" ? write_local_response : nullptr;
}

}  // namespace kernelscape::exchange
