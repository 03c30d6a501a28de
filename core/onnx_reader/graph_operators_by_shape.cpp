#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/onnx_reader/graph_operators.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

class ShapedConversion {
 public:
  ShapedConversion(onnx::ModelProto& model, const ModelShapes& shapes)
      : graph_(*model.mutable_graph()), shapes_(shapes), constants_(graph_) {}

  bool run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : nodes) {
      const bool known =
          node.input_size() > 0 && node.output_size() > 0 && shapes_.of(node.input(0)).complete();
      if (known) convert(node);
      graph_.add_node()->Swap(&node);
      for (onnx::NodeProto& after : following_) graph_.add_node()->Swap(&after);
      following_.clear();
    }
    return changed_;
  }

 private:
  void convert(onnx::NodeProto& node) {
    const bool pending = node.domain() == pending_domain;
    if (pending && node.op_type() == "Pad") return convert_pad_axes(node);
    if (pending && node.op_type() == "Split") return convert_split(node);
    if (pending && node.op_type() == "FusedMatMul") return convert_fused_matmul(node);
    if (!node.domain().empty()) return;
    if (node.op_type() == "Clip") {
      take_scalar(node, "min", 1);
      take_scalar(node, "max", 2);
    } else if (node.op_type() == "Pad") {
      take_scalar(node, "value", 2);
    } else if (find_attribute(node, coerced_attribute) != nullptr) {
      convert_softmax(node);
    }
  }

  const std::vector<std::int64_t>& shape_of(const onnx::NodeProto& node) const {
    return *shapes_.of(node.input(0)).shape;
  }

  static void erase(onnx::NodeProto& node, std::string_view name) {
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i)
      if (attributes.Get(i).name() == name) attributes.DeleteSubrange(i, 1);
  }

  /** Adds a node before the one that is converted. @return its result */
  std::string precede(const onnx::NodeProto& node, const std::string& operation,
                      const std::vector<std::string>& inputs, onnx::NodeProto** added = nullptr) {
    onnx::NodeProto& before = *graph_.add_node();
    before.set_op_type(operation);
    for (const std::string& input : inputs) before.add_input(input);
    before.add_output(constants_.unique_name(fmt::format("{}/{}", node.output(0), operation)));
    if (added != nullptr) *added = &before;
    return before.output(0);
  }

  /** Returns the name of a scalar of the type of the node's first input. */
  std::string typed_scalar(const onnx::NodeProto& node, std::string_view part, float value) {
    const std::string name = constants_.add_scalar(fmt::format("{}/{}", node.output(0), part), value);
    const int type = shapes_.of(node.input(0)).type;
    if (type == onnx::TensorProto::FLOAT) return name;
    onnx::NodeProto* cast = nullptr;
    std::string result = precede(node, "Cast", {name}, &cast);
    add_number(*cast, "to", type);
    return result;
  }

  /** Makes an input of an attribute with a number. */
  void take_scalar(onnx::NodeProto& node, const char* attribute, int input) {
    const onnx::AttributeProto* found = find_attribute(node, attribute);
    if (found == nullptr) return;
    const std::string name = typed_scalar(node, attribute, found->f());
    while (node.input_size() <= input) node.add_input();
    node.set_input(input, name);
    erase(node, attribute);
    changed_ = true;
  }

  /** A Softmax over several dimensions reads them as one. */
  void convert_softmax(onnx::NodeProto& node) {
    const std::vector<std::int64_t>& shape = shape_of(node);
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t axis = whole_attribute(node, "axis", 1);
    if (axis < 0) axis += rank;
    erase(node, coerced_attribute);
    changed_ = true;
    if (axis < 0 || axis >= rank) return;
    const auto inner = shape.begin() + axis + 1;
    if (std::all_of(inner, shape.end(), [](std::int64_t extent) { return extent == 1; })) return;
    if (std::ranges::find(shape, 0) != shape.end()) return;
    const std::string result = node.output(0);
    std::vector<std::int64_t> flat(shape.begin(), shape.begin() + axis);
    flat.push_back(-1);
    const std::string flat_shape = constants_.add_integers(result + "/flat_shape", flat);
    const std::string read = precede(node, "Reshape", {node.input(0), flat_shape});
    node.set_input(0, read);
    erase(node, "axis");
    add_number(node, "axis", axis);
    node.set_output(0, constants_.unique_name(result + "/flat"));
    onnx::NodeProto& after = following_.emplace_back();
    after.set_op_type("Reshape");
    after.add_input(node.output(0));
    after.add_input(constants_.add_integers(result + "/shape", shape));
    after.add_output(result);
  }

  void convert_pad_axes(onnx::NodeProto& node) {
    const auto amounts =
        pending_pad_amounts(find_attribute(node, pending_amounts_attribute),
                            find_attribute(node, pending_axes_attribute), shape_of(node).size());
    if (!amounts || node.input_size() != 4) return;
    node.clear_domain();
    for (const char* name : {pending_amounts_attribute, pending_axes_attribute}) erase(node, name);
    node.set_input(1, constants_.add_integers(node.output(0) + "/pads", *amounts));
    node.mutable_input()->RemoveLast();
    changed_ = true;
  }

  void convert_split(onnx::NodeProto& node) {
    const std::vector<std::int64_t>& shape = shape_of(node);
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t parts = whole_attribute(node, "num_outputs", 0);
    std::int64_t axis = whole_attribute(node, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || parts < node.output_size()) return;
    const std::vector<std::int64_t> lengths =
        pending_split_lengths(shape[static_cast<std::size_t>(axis)], parts);
    if (lengths.empty()) return;
    node.clear_domain();
    erase(node, "num_outputs");
    while (node.input_size() > 1) node.mutable_input()->RemoveLast();
    node.add_input(constants_.add_integers(node.output(0) + "/split", lengths));
    while (node.output_size() < parts) node.add_output(constants_.unique_name(node.output(0) + "/unread"));
    changed_ = true;
  }

  std::string transposed(const onnx::NodeProto& node, const std::string& input) {
    std::vector<std::int64_t> order(shapes_.of(input).shape->size());
    std::iota(order.begin(), order.end(), 0);
    if (order.size() < 2) return input;
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    onnx::NodeProto* transpose = nullptr;
    std::string result = precede(node, "Transpose", {input}, &transpose);
    add_numbers(*transpose, "perm", order);
    return result;
  }

  void convert_fused_matmul(onnx::NodeProto& node) {
    if (node.input_size() != 2 || !shapes_.of(node.input(1)).complete()) return;
    const onnx::AttributeProto* alpha = find_attribute(node, "alpha");
    const float factor = alpha == nullptr ? 1.0F : alpha->f();
    if (whole_attribute(node, "transA", 0) != 0) node.set_input(0, transposed(node, node.input(0)));
    if (whole_attribute(node, "transB", 0) != 0) node.set_input(1, transposed(node, node.input(1)));
    node.clear_domain();
    node.set_op_type("MatMul");
    node.clear_attribute();
    changed_ = true;
    if (factor == 1.0F) return;
    const std::string result = node.output(0);
    const std::string scalar = typed_scalar(node, "alpha", factor);
    node.set_output(0, constants_.unique_name(result + "/product"));
    onnx::NodeProto& after = following_.emplace_back();
    after.set_op_type("Mul");
    after.add_input(node.output(0));
    after.add_input(scalar);
    after.add_output(result);
  }

  onnx::GraphProto& graph_;
  const ModelShapes& shapes_;
  GraphConstants constants_;
  std::vector<onnx::NodeProto> following_;  ///< nodes to be added after the converted one
  bool changed_ = false;
};

}  // namespace

std::optional<std::vector<std::int64_t>> pending_pad_amounts(const onnx::AttributeProto* amounts,
                                                             const onnx::AttributeProto* axes,
                                                             std::size_t rank) {
  if (amounts == nullptr || axes == nullptr || amounts->ints_size() != 2 * axes->ints_size())
    return std::nullopt;
  std::vector<std::int64_t> all(2 * rank, 0);
  for (int i = 0; i < axes->ints_size(); ++i) {
    const auto count = static_cast<std::int64_t>(rank);
    const std::int64_t axis = axes->ints(i) < 0 ? axes->ints(i) + count : axes->ints(i);
    if (axis < 0 || axis >= count) return std::nullopt;
    all[static_cast<std::size_t>(axis)] = amounts->ints(i);
    all[static_cast<std::size_t>(axis + count)] = amounts->ints(axes->ints_size() + i);
  }
  return all;
}

std::vector<std::int64_t> pending_split_lengths(std::int64_t extent, std::int64_t parts) {
  constexpr std::int64_t max_parts = 1'000'000;
  std::vector<std::int64_t> lengths;
  if (parts < 1 || parts > max_parts || extent < 0) return lengths;
  const std::int64_t part = extent / parts + (extent % parts != 0 ? 1 : 0);
  for (std::int64_t left = extent; std::ssize(lengths) < parts; left -= lengths.back())
    lengths.push_back(std::min(part, left));
  return lengths;
}

bool convert_with_shapes(onnx::ModelProto& model, const ModelShapes& shapes) {
  return ShapedConversion(model, shapes).run();
}

}  // namespace kernelscape::onnx_reader
