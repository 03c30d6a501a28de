#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/model_layers.h"

namespace kernelscape::onnx_reader {
namespace {

std::string type_name(int number) {
  if (number == 0) return "an unknown type";
  return onnx::TensorProto_DataType_IsValid(number)
             ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(number))
             : fmt::format("type {}", number);
}

/** Returns the types for one of the four combinations of 8-bit types, which determines the sums. */
Result<LayerTypes> quantised_types(int data, int weight) {
  if (data == onnx::TensorProto::UINT8 && weight == onnx::TensorProto::INT8)
    return LayerTypes{TRY(task::parse_operand_types("i8")), true};
  return no_task(fmt::format("int8 tasks have UINT8 data and INT8 weights, and it has {} and {}",
                             type_name(data), type_name(weight)));
}

Result<LayerTypes> plain_types(int first, int second) {
  // An unknown type equals that of the other operand: ONNX has no mixed types here.
  const int type = first == 0 ? second : first;
  switch (second == 0 || first == 0 || first == second ? type : 0) {
    case onnx::TensorProto::FLOAT:
      return LayerTypes{TRY(task::parse_operand_types("f32"))};
    case onnx::TensorProto::DOUBLE:
      return LayerTypes{TRY(task::parse_operand_types("f64"))};
    case onnx::TensorProto::FLOAT16:
      return LayerTypes{TRY(task::parse_operand_types("f16"))};
    case onnx::TensorProto::BFLOAT16:
      return LayerTypes{TRY(task::parse_operand_types("bf16"))};
    default:
      break;
  }
  return no_task(fmt::format("tasks of {} and {} are not supported", type_name(first), type_name(second)));
}

bool is_operator(const onnx::NodeProto& node, std::string_view name) {
  return node.op_type() == name && (node.domain().empty() || node.domain() == microsoft_domain);
}

/**
 * Returns true if the scale of a DequantizeLinear is one number, or one for each element along a free axis.
 */
bool scale_can_be_taken_out(const onnx::NodeProto& node, const ModelShapes& shapes,
                            const std::vector<const onnx::NodeProto*>& moved,
                            const std::vector<std::int64_t>& free_axes) {
  const TensorFacts& scale = shapes.of(node.input_size() > 1 ? node.input(1) : std::string());
  if (!scale.complete()) return false;
  if (std::ranges::all_of(*scale.shape, [](std::int64_t extent) { return extent == 1; })) return true;
  const TensorFacts& quantised = shapes.of(node.input(0));
  if (scale.shape->size() != 1 || !quantised.shape) return false;
  const auto rank = static_cast<std::int64_t>(quantised.shape->size());
  std::int64_t axis = whole_attribute(node, "axis", 1);
  if (axis < 0) axis += rank;
  // The last node before the layer was visited first.
  for (auto at = moved.rbegin(); at != moved.rend(); ++at) {
    if (!is_operator(**at, "Transpose")) return false;
    const onnx::AttributeProto* order = find_attribute(**at, "perm");
    if (order == nullptr || order->ints().empty()) {
      axis = rank - 1 - axis;
    } else {
      axis = std::ranges::find(order->ints(), axis) - order->ints().begin();
    }
  }
  return std::ranges::find(free_axes, axis) != free_axes.end();
}

/**
 * Returns the type to which an operand is quantised, if it comes from a DequantizeLinear whose scale can be
 * applied after the sums.
 */
std::optional<int> quantised_operand(const onnx::GraphProto& graph, const ModelShapes& shapes,
                                     const std::string& name, const std::vector<std::int64_t>& free_axes) {
  constexpr int max_steps = 16;
  std::vector<const onnx::NodeProto*> moved;
  std::string at = name;
  for (int step = 0; step < max_steps; ++step) {
    const onnx::NodeProto* node = shapes.producer(graph, at);
    if (node == nullptr || node->input_size() == 0) return std::nullopt;
    if (is_operator(*node, "DequantizeLinear")) {
      if (!scale_can_be_taken_out(*node, shapes, moved, free_axes)) return std::nullopt;
      return shapes.of(node->input(0)).type;
    }
    const bool moves =
        std::ranges::any_of(std::array{"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze"},
                            [&](const char* operation) { return is_operator(*node, operation); });
    if (moves) moved.push_back(node);
    if (!moves && !is_operator(*node, "Identity")) return std::nullopt;
    at = node->input(0);
  }
  return std::nullopt;
}

}  // namespace

Result<LayerTypes> layer_types(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                               const ModelShapes& shapes, const LayerSums& sums) {
  const std::string& first = node.input(sums.first);
  const std::string& second = node.input(sums.second);
  const int first_type = shapes.of(first).type;
  const int second_type = shapes.of(second).type;
  // The operator quantises its data to the type that matches int8 weights.
  if (node.op_type() == "DynamicQuantizeMatMul")
    return quantised_types(onnx::TensorProto::UINT8, second_type);
  if (is_quantised(node)) return quantised_types(first_type, second_type);
  const std::optional<int> first_bytes = quantised_operand(graph, shapes, first, sums.free_axes[0]);
  const std::optional<int> second_bytes = quantised_operand(graph, shapes, second, sums.free_axes[1]);
  if (first_bytes && second_bytes) return quantised_types(*first_bytes, *second_bytes);
  return plain_types(first_type, second_type);
}

}  // namespace kernelscape::onnx_reader
