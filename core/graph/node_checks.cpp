#include "core/graph/node_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/visible_text.h"
#include "core/graph/interpreter.h"
#include "core/graph/operators/indexing.h"

namespace kernelscape::graph {
namespace {

using Names = std::span<const std::string_view>;

// clang-format off
constexpr std::array<std::string_view, 20> unary_operators{
    "Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Erf", "Gelu", "Exp", "Sqrt",
    "Neg", "Abs", "Cast", "Softmax", "LogSoftmax", "Reciprocal", "Identity", "Dropout", "BatchNormalization"};
constexpr std::array<std::string_view, 6> binary_operators{"Add", "Sub", "Mul", "Div", "Pow", "PRelu"};
constexpr std::array<std::string_view, 3> any_number_of_operands{"Sum", "Max", "Min"};
constexpr std::array<std::string_view, 5> views{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
constexpr std::array<std::string_view, 5> with_axis{"Softmax", "LogSoftmax", "Concat", "Split", "Gather"};
constexpr std::array<std::string_view, 6> with_several_results{
    "Split", "MaxPool", "Dropout", "BatchNormalization", "LayerNormalization", "DynamicQuantizeLinear"};
// clang-format on

bool is_in(std::string_view operation, Names names) {
  return std::ranges::find(names, operation) != names.end();
}

/** The checks of one node. Each returns why the node is refused; nullopt: it is not. */
class NodeCheck {
 public:
  NodeCheck(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  std::optional<std::string> run() const {
    if (auto why = wrong_numbers()) return why;
    if (!has(0) || node_.outputs[0] == absent) return std::nullopt;
    for (const auto check :
         {&NodeCheck::wrong_elementwise, &NodeCheck::wrong_axes, &NodeCheck::wrong_transpose,
          &NodeCheck::wrong_convolution, &NodeCheck::wrong_product, &NodeCheck::wrong_parameters})
      if (auto why = (this->*check)()) return why;
    return std::nullopt;
  }

 private:
  using Reason = std::optional<std::string>;

  std::size_t own_inputs() const { return node_.own_input_count(); }
  bool has(std::size_t input) const { return input < own_inputs() && node_.inputs[input] != absent; }
  const Shape& shape(std::size_t input) const { return graph_.values[node_.inputs[input]].shape; }
  const Shape& result() const { return graph_.values[node_.outputs[0]].shape; }
  bool is(std::string_view operation) const { return node_.operation == operation; }

  Reason wrong_numbers() const {
    if (node_.outputs.empty()) return "it has no results";
    if (node_.outputs.size() == 1 && node_.outputs[0] == absent) return "nothing is its result";
    const std::optional<Arity> arity = arity_of(node_.operation);
    if (!arity) return std::nullopt;
    if (node_.outputs.size() > 1 && !is_in(node_.operation, with_several_results))
      return fmt::format("it has {} results", node_.outputs.size());
    for (std::size_t input = 0; input < arity->required_inputs; ++input)
      if (!has(input)) return fmt::format("its input {} is missing", input);
    if (own_inputs() > arity->max_inputs) return fmt::format("it has {} inputs", own_inputs());
    for (std::size_t input = 0; is_in(node_.operation, any_number_of_operands) && input < own_inputs();
         ++input)
      if (!has(input)) return fmt::format("its input {} is missing", input);
    return std::nullopt;
  }

  Reason wrong_elementwise() const {
    Shape expected = shape(0);
    const bool combines =
        is_in(node_.operation, binary_operators) || is_in(node_.operation, any_number_of_operands);
    for (std::size_t input = 1; combines && input < own_inputs(); ++input) {
      const std::optional<Shape> both = broadcast_shape(expected, shape(input));
      if (!both) return "the shapes of its operands do not fit together";
      expected = *both;
    }
    if (combines || is_in(node_.operation, unary_operators))
      if (expected != result()) return "its result has not the shape of its operands";
    if (is_in(node_.operation, views) && element_count(shape(0)) != element_count(result()))
      return "its result has another number of elements than its operand";
    return std::nullopt;
  }

  /** Refuses axes that do not exist, and those that are named twice. */
  static Reason wrong_list(const std::vector<std::int64_t>& axes, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    std::vector<bool> named(rank, false);
    for (const std::int64_t axis : axes) {
      if (axis < -count || axis >= count)
        return fmt::format("axis {} does not exist in {} dimensions", axis, rank);
      const auto place = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
      if (named[place]) return fmt::format("axis {} is named twice", axis);
      named[place] = true;
    }
    return std::nullopt;
  }

  Reason wrong_axes() const {
    const std::size_t rank = shape(0).size();
    if (is_in(node_.operation, with_axis)) {
      const std::int64_t otherwise = node_.operation.ends_with("Softmax") ? -1 : 0;
      if (auto why = wrong_list({integer_attribute(node_, "axis", otherwise)}, rank)) return why;
    }
    if (is("Concat"))
      for (std::size_t input = 0; input < own_inputs(); ++input)
        if (!has(input) || shape(input).size() != result().size())
          return "its operands have not the rank of its result";
    if (is("Pad") && result().size() != rank) return "its result has not the rank of its operand";
    if (!node_.operation.starts_with("Reduce")) return std::nullopt;
    if (auto why = wrong_list(integers_attribute(node_, "axes", {}), rank)) return why;
    if (!has(1) || !graph_.values[node_.inputs[1]].constant) return std::nullopt;
    const auto axes = constant_integers(graph_.values[node_.inputs[1]]);
    return axes ? wrong_list(*axes, rank) : Reason(axes.error().message);
  }

  Reason wrong_transpose() const {
    if (!is("Transpose")) return std::nullopt;
    const std::size_t rank = shape(0).size();
    std::vector<std::int64_t> permutation;
    for (std::size_t axis = rank; axis-- > 0;) permutation.push_back(static_cast<std::int64_t>(axis));
    permutation = integers_attribute(node_, "perm", permutation);
    const bool negative = std::ranges::any_of(permutation, [](std::int64_t axis) { return axis < 0; });
    if (permutation.size() != rank || negative || wrong_list(permutation, rank))
      return "its perm is no permutation of its operand's axes";
    Shape expected;
    for (const std::int64_t axis : permutation) expected.push_back(shape(0)[static_cast<std::size_t>(axis)]);
    return expected == result() ? Reason() : Reason("its result has not the transposed shape");
  }

  Reason wrong_window(std::size_t spatial) const {
    for (const std::string_view name : {"kernel_shape", "strides", "dilations"})
      if (node_.attributes.contains(std::string(name)) &&
          integers_attribute(node_, name, {}).size() != spatial)
        return fmt::format("its {} has not {} numbers", name, spatial);
    if (node_.attributes.contains("pads") && integers_attribute(node_, "pads", {}).size() != 2 * spatial)
      return fmt::format("its pads has not {} numbers", 2 * spatial);
    return std::nullopt;
  }

  Reason wrong_convolution() const {
    const bool layer = is("Conv") || is("ConvTranspose");
    if (!layer && !is("MaxPool") && !is("AveragePool")) return std::nullopt;
    const std::size_t rank = shape(0).size();
    if (rank < 3 || result().size() != rank || (layer && shape(1).size() != rank))
      return "its operands and its result have not one rank above 2";
    if (auto why = wrong_window(rank - 2)) return why;
    if (!layer) return std::nullopt;
    const std::int64_t group = integer_attribute(node_, "group", 1);
    if (group < 1 || group > count_limit) return fmt::format("it has {} groups", group);
    const std::int64_t channels = result()[1];
    const Shape& weights = shape(1);
    const bool fits =
        is("Conv") ? weights[0] == channels
                   : channels % group == 0 && weights[1] == channels / group && weights[0] % group == 0;
    if (!fits) return "its weights do not fit its channels";
    return has(2) && shape(2) != Shape{channels} ? Reason("its bias does not fit its channels") : Reason();
  }

  Reason wrong_product() const {
    if (!is("Gemm") && !is("MatMul")) return std::nullopt;
    const Shape& a = shape(0);
    const Shape& b = shape(1);
    if (is("Gemm") && (a.size() != 2 || b.size() != 2)) return "its operands are no matrices";
    if (a.size() < 2 || b.size() < 2) return std::nullopt;
    if (result().size() != std::max(a.size(), b.size())) return "its result has not the rank of its operands";
    const bool transposed = is("Gemm") && integer_attribute(node_, "transB", 0) != 0;
    if (result().back() != b[b.size() - (transposed ? 2 : 1)]) return "its weights do not fit its result";
    return std::nullopt;
  }

  Reason wrong_parameters() const {
    if (!is("BatchNormalization")) return std::nullopt;
    const Shape channels{shape(0).size() > 1 ? shape(0)[1] : 1};
    for (std::size_t input = 1; input < own_inputs(); ++input)
      if (has(input) && shape(input) != channels)
        return fmt::format("its parameter {} does not fit its channels", input);
    return std::nullopt;
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

Status check_nodes(const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (const auto why = NodeCheck(graph, node).run())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the node {} ({}): {}", base::quoted_line(node.name),
                              base::one_line(node.operation), *why),
                  "Export the model again.");
  return {};
}

}  // namespace kernelscape::graph
