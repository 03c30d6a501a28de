#include "core/graph/float_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/graph/layer_task.h"
#include "core/graph/passes/constants.h"

namespace kernelscape::graph {
namespace {

/** Where an operator of QLinear... has the scale of an operand; the operand is before it, its zero point
 * after. */
constexpr std::size_t left_scale = 1;
constexpr std::size_t right_scale = 4;
constexpr std::size_t result_scale = 6;

class FloatArithmetic {
 public:
  explicit FloatArithmetic(Graph& graph) : graph_(graph) {
    for (const Value& value : graph.values) names_.insert(value.name);
  }

  Result<std::size_t> run() {
    for (const Node& node : graph_.nodes) TRY(convert(node));
    std::size_t layers = 0;
    for (const Node& node : nodes_)
      if (is_layer(node) && dequantised_.contains(node.inputs[1])) ++layers;
    graph_.nodes = std::move(nodes_);
    return layers;
  }

 private:
  Status convert(const Node& node) {
    if (node.operation == "DequantizeLinear") return dequantise(node);
    if (node.operation == "QLinearConv") return convert_convolution(node);
    if (node.operation == "QLinearMatMul") {
      const auto axis_of_rows = [&](std::size_t value) {
        return graph_.values[value].shape.size() > 1 ? std::int64_t{-2} : std::int64_t{-1};
      };
      const std::size_t left = TRY(operand(node, left_scale, axis_of_rows(node.inputs[0])));
      const std::size_t right = TRY(operand(node, right_scale, -1));
      add_between(node, "MatMul", {left, right}, axis_of_rows(node.outputs[0]));
      return {};
    }
    if (node.operation == "com.microsoft.QLinearAdd" || node.operation == "com.microsoft.QLinearMul") {
      const std::size_t left = TRY(operand(node, left_scale, 1));
      const std::size_t right = TRY(operand(node, right_scale, 1));
      add_between(node, node.operation.ends_with("Add") ? "Add" : "Mul", {left, right}, 1);
      return {};
    }
    nodes_.push_back(node);
    return {};
  }

  Status convert_convolution(const Node& node) {
    constexpr std::size_t bias = 8;
    const bool biased = node.inputs.size() > bias && node.inputs[bias] != absent;
    if (biased && (!is_constant(node.inputs[bias]) || !is_constant(node.inputs[left_scale]) ||
                   !is_constant(node.inputs[right_scale]))) {
      nodes_.push_back(node);
      return {};
    }
    std::vector<std::size_t> operands{TRY(operand(node, left_scale, 1)), TRY(operand(node, right_scale, 0))};
    if (biased) operands.push_back(TRY(bias_of(node, bias)));
    add_between(node, "Conv", operands, 1);
    nodes_[nodes_.size() - 2].attributes = node.attributes;
    return {};
  }

  /** Adds the bias of a QLinearConv, whose scale is the product of those of the input and the weights. */
  Result<std::size_t> bias_of(const Node& node, std::size_t input) {
    std::vector<double> elements = TRY(constant_doubles(graph_.values[node.inputs[input]]));
    const std::vector<double> left = TRY(constant_doubles(graph_.values[node.inputs[left_scale]]));
    const std::vector<double> right = TRY(constant_doubles(graph_.values[node.inputs[right_scale]]));
    if (left.size() != 1 || (right.size() != 1 && right.size() != elements.size()))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the scales of {} are not one for its input and one for each of its channels",
                              node.name));
    for (std::size_t i = 0; i < elements.size(); ++i)
      elements[i] *= left[0] * right[right.size() == 1 ? 0 : i];
    const Value& bias = graph_.values[node.inputs[input]];
    const Shape shape = bias.shape;
    return graph_.add({.name = free_name(bias.name),
                       .type = ElementType::F32,
                       .shape = shape,
                       .constant = true,
                       .data = passes::encode(ElementType::F32, elements)});
  }

  bool is_constant(std::size_t value) const { return value == absent || graph_.values[value].constant; }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted + " in floats";
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{} in floats {}", wanted, i);
    return name;
  }

  std::size_t add_value(const std::string& name, ElementType type, Shape shape) {
    return graph_.add({.name = free_name(name), .type = type, .shape = std::move(shape)});
  }

  /** Returns an operand of an operator as floats. @param scale place of its scale among the inputs */
  Result<std::size_t> operand(const Node& node, std::size_t scale, std::int64_t axis) {
    const std::size_t quantised = node.inputs[scale - 1];
    const std::size_t result =
        add_value(graph_.values[quantised].name, ElementType::F32, graph_.values[quantised].shape);
    Node reader{.name = node.name,
                .operation = "DequantizeLinear",
                .inputs = {quantised, node.inputs[scale], node.inputs[scale + 1]},
                .outputs = {result},
                .attributes = {{"axis", axis}},
                .epilogue = {}};
    TRY(dequantise(reader));
    return result;
  }

  /** Adds an operator of floats, and the QuantizeLinear that has the result of the node. */
  void add_between(const Node& node, const char* operation, std::vector<std::size_t> operands,
                   std::int64_t axis) {
    const Value& result = graph_.values[node.outputs[0]];
    const std::size_t sums = add_value(result.name, ElementType::F32, result.shape);
    nodes_.push_back({.name = node.name,
                      .operation = operation,
                      .inputs = std::move(operands),
                      .outputs = {sums},
                      .attributes = {},
                      .epilogue = {}});
    nodes_.push_back({.name = node.name,
                      .operation = "QuantizeLinear",
                      .inputs = {sums, node.inputs[result_scale], node.inputs[result_scale + 1]},
                      .outputs = node.outputs,
                      .attributes = {{"axis", axis}},
                      .epilogue = {}});
  }

  /** Adds a DequantizeLinear, or computes it if its operands are constants. */
  Status dequantise(const Node& node) {
    const std::size_t output = node.outputs[0];
    const bool returned = std::ranges::find(graph_.outputs, output) != graph_.outputs.end();
    if (returned ||
        !std::ranges::all_of(node.inputs, [&](std::size_t input) { return is_constant(input); })) {
      nodes_.push_back(node);
      return {};
    }
    std::vector<Tensor> tensors;
    tensors.reserve(node.inputs.size());
    std::vector<const Tensor*> inputs;
    for (const std::size_t input : node.inputs) {
      if (input != absent) tensors.push_back(TRY(constant_tensor(graph_.values[input])));
      inputs.push_back(input == absent ? nullptr : &tensors.back());
    }
    const std::vector<Tensor> results = TRY(evaluate(node, inputs));
    Value& value = graph_.values[output];
    value.constant = true;
    value.data = passes::encode(value.type, results[0].elements);
    dequantised_.insert(output);
    return {};
  }

  Graph& graph_;
  std::vector<Node> nodes_;
  std::set<std::string> names_;
  std::set<std::size_t> dequantised_;  ///< constants that were computed
};

}  // namespace

Result<std::size_t> compute_in_floats(Graph& graph) { return FloatArithmetic(graph).run(); }

}  // namespace kernelscape::graph
