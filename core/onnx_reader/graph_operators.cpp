#include "core/onnx_reader/graph_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/flat_graph_parts.h"
#include "core/onnx_reader/graph_preparation.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

using Integers = std::vector<std::int64_t>;

void erase_attribute(onnx::NodeProto& node, std::string_view name) {
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i)
    if (attributes.Get(i).name() == name) attributes.DeleteSubrange(i, 1);
}

std::string text_of(const onnx::NodeProto& node, std::string_view name, std::string otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? otherwise : attribute->s();
}

std::optional<Integers> integers_of(const onnx::NodeProto& node, std::string_view name) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return std::nullopt;
  return Integers(attribute->ints().begin(), attribute->ints().end());
}

bool has_input(const onnx::NodeProto& node, int number) {
  return node.input_size() > number && !node.input(number).empty();
}

/** Sets an input; inputs before it become absent if the node lacks them. */
void set_input(onnx::NodeProto& node, int number, const std::string& name) {
  while (node.input_size() <= number) node.add_input();
  node.set_input(number, name);
}

void keep_inputs(onnx::NodeProto& node, int count) {
  while (node.input_size() > count) node.mutable_input()->RemoveLast();
}

std::string first_output(const onnx::NodeProto& node) {
  return node.output_size() > 0 ? node.output(0) : std::string();
}

// Operators that are the same in all sets. The second half mostly computes shapes and constants, which are
// folded.
// clang-format off
constexpr auto unchanged_operators = std::to_array<std::string_view>({
    "Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "Relu", "Clip", "LeakyRelu", "PRelu",
    "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Erf", "LayerNormalization", "LRN", "Add", "Sub",
    "Mul", "InstanceNormalization", "Div", "Pow", "Sqrt", "Sum", "Max", "Min", "MaxPool", "Concat",
    "Transpose", "GlobalAveragePool", "Reshape", "Flatten", "Expand", "Gather", "Where", "Shape",
    "Identity", "QLinearConv", "ConstantOfShape", "QLinearMatMul",
    "Abs", "Ceil", "Floor", "Exp", "Log", "Neg", "Not", "Reciprocal", "Round", "Sign", "Sin", "Cos",
    "Softplus", "Softsign", "Elu", "Selu", "And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual",
    "Less", "LessOrEqual", "Mod", "Mean", "Range", "Tile", "Size", "GlobalMaxPool", "DepthToSpace",
    "SpaceToDepth", "GatherElements", "GatherND", "ConvInteger", "MatMulInteger",
    "DynamicQuantizeLinear", "ArgMax", "ArgMin"});
// clang-format on

class OperatorConversion {
 public:
  OperatorConversion(onnx::ModelProto& model, UnsupportedNodes& unsupported)
      : model_(model),
        graph_(*model.mutable_graph()),
        version_(operator_set_version(model)),
        unsupported_(unsupported) {}

  void run() {
    remove_unread_nodes(graph_);
    take_constant_nodes(graph_, unsupported_);
    constants_.emplace(graph_);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (onnx::NodeProto& node : nodes) convert(node);
    for (auto& imported : *model_.mutable_opset_import())
      if (imported.domain().empty()) imported.set_version(newest_operator_set);
  }

 private:
  /** The handler of an operator; null: the operator is the same in all sets. */
  using Handler = void (OperatorConversion::*)(onnx::NodeProto&);
  struct SupportedOperator {
    std::string_view name;
    Handler handler = nullptr;
  };
  static const std::vector<SupportedOperator>& supported_operators();

  void convert(onnx::NodeProto& node) {
    refusal_.clear();
    const auto& supported = supported_operators();
    const std::string name = operator_text(node);
    const auto found = std::ranges::lower_bound(supported, name, {}, &SupportedOperator::name);
    if (found == supported.end() || found->name != name) {
      refuse_operator(node);
      return;
    }
    if (found->handler != nullptr) (this->*found->handler)(node);
    if (!refusal_.empty()) unsupported_.add(node, refusal_);
    graph_.add_node()->Swap(&node);
    for (onnx::NodeProto& after : following_) graph_.add_node()->Swap(&after);
    following_.clear();
  }

  void refuse_operator(const onnx::NodeProto& node) {
    // The nodes between an If or a Loop and its body are ours.
    if (node.domain().starts_with("kernelscape.")) return;
    const bool control = node.op_type() == "Loop" || node.op_type() == "Scan";
    unsupported_.add(node, node.domain().empty() && control ? "control flow" : "");
  }

  void refuse(std::string reason) { refusal_ = std::move(reason); }
  /** Refuses a node because of an operand that has to be known. @param what "its axes are" */
  void refuse_operand(std::string_view what, const std::string& input) {
    refuse(
        fmt::format("{} {}", what, constants_->contains(input) ? "in a file of external data" : "computed"));
  }

  static std::string part_name(const onnx::NodeProto& node, std::string_view part) {
    return fmt::format("{}/{}", first_output(node), part);
  }

  /** Moves an attribute with integers to an input; absent attributes stay absent. */
  void attribute_to_input(onnx::NodeProto& node, const char* attribute, int input) {
    const std::optional<Integers> values = integers_of(node, attribute);
    if (!values) return;
    set_input(node, input, constants_->add_integers(part_name(node, attribute), *values));
    erase_attribute(node, attribute);
  }

  void convert_axes(onnx::NodeProto& node) {
    if (version_ < 13) attribute_to_input(node, "axes", 1);
  }

  void convert_reduction(onnx::NodeProto& node) {
    if (version_ < 18) return;
    const bool given = has_input(node, 1);
    const std::optional<Integers> axes = given ? constants_->integers(node.input(1)) : Integers();
    if (!axes) return refuse_operand("its axes are", node.input(1));
    const bool nothing = axes->empty() && whole_attribute(node, "noop_with_empty_axes", 0) != 0;
    erase_attribute(node, "noop_with_empty_axes");
    keep_inputs(node, 1);
    if (nothing) {
      node.set_op_type("Identity");
      node.clear_attribute();
    } else if (!axes->empty()) {
      add_numbers(node, "axes", *axes);
    }
  }

  void convert_normalization(onnx::NodeProto& node) {
    if (whole_attribute(node, "training_mode", 0) != 0 || node.output_size() > 1)
      return refuse("it is for training");
    if (whole_attribute(node, "spatial", 1) == 0) return refuse("it normalizes each position on its own");
    for (const char* name : {"training_mode", "spatial", "momentum"}) erase_attribute(node, name);
  }

  void convert_dropout(onnx::NodeProto& node) {
    if (has_input(node, 2)) {
      const std::optional<Integers> training = constants_->integers(node.input(2));
      if (!training) return refuse_operand("whether it is for training is", node.input(2));
      if (std::ranges::any_of(*training, [](std::int64_t value) { return value != 0; }))
        return refuse("it is for training");
    }
    keep_inputs(node, 1);
    node.clear_attribute();
    if (node.output_size() < 2) node.set_op_type("Identity");
  }

  void convert_softmax(onnx::NodeProto& node) {
    if (version_ >= 13) return;
    if (find_attribute(node, "axis") == nullptr) add_number(node, "axis", 1);
    add_number(node, coerced_attribute, 1);
  }

  void convert_split(onnx::NodeProto& node) {
    if (version_ < 13) return attribute_to_input(node, "split", 1);
    if (find_attribute(node, "num_outputs") != nullptr) node.set_domain(pending_domain);
  }

  void convert_slice(onnx::NodeProto& node) {
    if (version_ >= 10) return;
    attribute_to_input(node, "starts", 1);
    attribute_to_input(node, "ends", 2);
    attribute_to_input(node, "axes", 3);
  }

  void convert_pad(onnx::NodeProto& node) {
    if (text_of(node, "mode", "constant") == "wrap") return refuse("its mode is wrap");
    if (version_ < 11) attribute_to_input(node, "pads", 1);
    if (version_ < 18 || !has_input(node, 3)) return keep_inputs(node, 3);
    const std::optional<Integers> amounts = constants_->integers(node.input(1));
    const std::optional<Integers> axes = constants_->integers(node.input(3));
    if (!amounts) return refuse_operand("its amounts are", node.input(1));
    if (!axes) return refuse_operand("its axes are", node.input(3));
    // The amounts for all dimensions need their number.
    node.set_domain(pending_domain);
    add_numbers(node, pending_amounts_attribute, *amounts);
    add_numbers(node, pending_axes_attribute, *axes);
  }

  void convert_upsample(onnx::NodeProto& node) {
    node.set_op_type("Resize");
    std::string scales = has_input(node, 1) ? node.input(1) : std::string();
    if (const onnx::AttributeProto* attribute = find_attribute(node, "scales"))
      scales = constants_->add_vector(part_name(node, "scales"),
                                      {attribute->floats().begin(), attribute->floats().end()});
    keep_inputs(node, 1);
    set_input(node, 2, scales);
    const std::string mode = text_of(node, "mode", "nearest");
    if (mode != "nearest" && mode != "linear") return refuse("its mode is " + base::one_line(mode));
    // Implementations disagree in which element is the nearest of a smaller result.
    const std::optional<std::vector<double>> factors = constants_->numbers(scales);
    if (mode == "nearest" && factors &&
        std::ranges::any_of(*factors, [](double factor) { return factor < 1; }))
      return refuse("it takes the nearest elements for a smaller result");
    node.clear_attribute();
    add_text(node, "mode", mode);
    add_text(node, "coordinate_transformation_mode", "asymmetric");
    add_text(node, "nearest_mode", "floor");
  }

  void convert_resize(onnx::NodeProto& node) {
    if (version_ < 11) return convert_upsample(node);
    const std::string mode = text_of(node, "mode", "nearest");
    const std::string coordinates = text_of(node, "coordinate_transformation_mode", "half_pixel");
    if (mode != "nearest" && mode != "linear") return refuse("its mode is " + base::one_line(mode));
    if (whole_attribute(node, "antialias", 0) != 0) return refuse("it uses antialias");
    if (find_attribute(node, "axes") != nullptr) return refuse("it names axes");
    if (text_of(node, "keep_aspect_ratio_policy", "stretch") != "stretch")
      return refuse("it keeps the aspect ratio");
    if (coordinates == "half_pixel_symmetric") return refuse("its coordinates are half_pixel_symmetric");
    for (const char* name : {"antialias", "keep_aspect_ratio_policy"}) erase_attribute(node, name);
    if (coordinates != "tf_crop_and_resize" && has_input(node, 1)) node.set_input(1, "");
    // Before set 13, scales without elements said that there are sizes.
    if (has_input(node, 3) && has_input(node, 2)) node.set_input(2, "");
  }

  void convert_average_pool(onnx::NodeProto& node) {
    const std::optional<Integers> dilations = integers_of(node, "dilations");
    if (dilations && std::ranges::any_of(*dilations, [](std::int64_t value) { return value != 1; }))
      return refuse("it is dilated");
    erase_attribute(node, "dilations");
  }

  void convert_quantization(onnx::NodeProto& node) {
    if (whole_attribute(node, "block_size", 0) != 0) return refuse("it has a scale for each block");
    const std::int64_t type = whole_attribute(node, "output_dtype", 0);
    if (node.op_type() == "QuantizeLinear" && !has_input(node, 2) && type != 0 &&
        type != onnx::TensorProto::UINT8)
      return refuse("it has no zero point of its result's type");
    for (const char* name : {"block_size", "output_dtype", "saturate", "precision"})
      erase_attribute(node, name);
  }

  void convert_cast(onnx::NodeProto& node) {
    for (const char* name : {"saturate", "round_mode"}) erase_attribute(node, name);
  }

  // A Gelu is an operator of com.microsoft until shapes are inferred, because set 17 has none.
  void convert_gelu(onnx::NodeProto& node) { node.set_domain(std::string(microsoft_domain)); }

  void convert_fast_gelu(onnx::NodeProto& node) {
    if (has_input(node, 1)) return refuse("it adds a bias");
    node.set_op_type("Gelu");
    add_text(node, "approximate", "tanh");
  }

  void convert_fused_matmul(onnx::NodeProto& node) {
    if (whole_attribute(node, "transBatchA", 0) != 0 || whole_attribute(node, "transBatchB", 0) != 0)
      return refuse("it transposes batches");
    node.set_domain(pending_domain);
  }

  /** Replaces an If whose condition is constant: only the results of one branch are left among its inputs. */
  void convert_if(onnx::NodeProto& node) {
    const std::int64_t first = whole_attribute(node, first_result_attribute, 0);
    const std::int64_t then_results = whole_attribute(node, then_results_attribute, -1);
    const std::int64_t results = node.input_size() - first;
    const bool known = find_attribute(node, first_result_attribute) != nullptr &&
                       (then_results == 0 || then_results == results) && results >= node.output_size();
    if (!known) return refuse("control flow");
    const onnx::NodeProto choice = node;
    node = identity(choice.input(static_cast<int>(first)), choice.output(0));
    for (int i = 1; i < choice.output_size(); ++i)
      following_.push_back(identity(choice.input(static_cast<int>(first) + i), choice.output(i)));
  }

  /** Adds a node that computes the result of `node` from what the nodes before it compute. */
  onnx::NodeProto& follow(onnx::NodeProto& node, const std::string& operation, const std::string& result) {
    const std::string between = constants_->unique_name(fmt::format("{}/before_{}", result, operation));
    (following_.empty() ? node : following_.back()).set_output(0, between);
    onnx::NodeProto& after = following_.emplace_back();
    if (!node.name().empty()) after.set_name(fmt::format("{}/{}", node.name(), operation));
    after.set_op_type(operation);
    after.add_input(between);
    after.add_output(result);
    return after;
  }

  void convert_fused_convolution(onnx::NodeProto& node) {
    static constexpr std::array<std::string_view, 6> activations{"Relu",      "Sigmoid",     "Tanh",
                                                                 "LeakyRelu", "HardSigmoid", "Clip"};
    const std::string activation = text_of(node, "activation", "");
    if (!activation.empty() && std::ranges::find(activations, activation) == activations.end())
      return refuse("its activation is " + base::one_line(activation));
    const onnx::AttributeProto* parameters = find_attribute(node, "activation_params");
    const std::vector<float> numbers =
        parameters == nullptr ? std::vector<float>()
                              : std::vector<float>(parameters->floats().begin(), parameters->floats().end());
    const std::string result = first_output(node);
    const std::string added = has_input(node, 3) ? node.input(3) : std::string();
    node.clear_domain();
    node.set_op_type("Conv");
    keep_inputs(node, 3);
    for (const char* name : {"activation", "activation_params"}) erase_attribute(node, name);
    if (!added.empty()) follow(node, "Add", result).add_input(added);
    if (activation.empty()) return;
    onnx::NodeProto& after = follow(node, activation, result);
    const bool clips = activation == "Clip";
    for (std::size_t i = 0; i < std::min<std::size_t>(numbers.size(), 2); ++i) {
      onnx::AttributeProto& attribute = *after.add_attribute();
      attribute.set_name(i == 0 ? (clips ? "min" : "alpha") : (clips ? "max" : "beta"));
      attribute.set_type(onnx::AttributeProto::FLOAT);
      attribute.set_f(numbers[i]);
    }
  }

  onnx::ModelProto& model_;
  onnx::GraphProto& graph_;
  std::int64_t version_;
  UnsupportedNodes& unsupported_;
  std::optional<GraphConstants> constants_;
  std::vector<onnx::NodeProto> following_;  ///< nodes to be added after the converted one
  std::string refusal_;
};

const std::vector<OperatorConversion::SupportedOperator>& OperatorConversion::supported_operators() {
  using C = OperatorConversion;
  static const std::vector<SupportedOperator> operators = [] {
    std::vector<SupportedOperator> list{{"BatchNormalization", &C::convert_normalization},
                                        {"Dropout", &C::convert_dropout},
                                        {"Squeeze", &C::convert_axes},
                                        {"Unsqueeze", &C::convert_axes},
                                        {"ReduceSum", &C::convert_axes},
                                        {"ReduceMean", &C::convert_reduction},
                                        {"ReduceMax", &C::convert_reduction},
                                        {"ReduceMin", &C::convert_reduction},
                                        {"ReduceProd", &C::convert_reduction},
                                        {"Softmax", &C::convert_softmax},
                                        {"LogSoftmax", &C::convert_softmax},
                                        {"Split", &C::convert_split},
                                        {"Slice", &C::convert_slice},
                                        {"Pad", &C::convert_pad},
                                        {"Upsample", &C::convert_upsample},
                                        {"Resize", &C::convert_resize},
                                        {"AveragePool", &C::convert_average_pool},
                                        {"QuantizeLinear", &C::convert_quantization},
                                        {"DequantizeLinear", &C::convert_quantization},
                                        {"Cast", &C::convert_cast},
                                        {"Gelu", &C::convert_gelu},
                                        {"If", &C::convert_if},
                                        {"com.microsoft.Gelu"},
                                        {"com.microsoft.FastGelu", &C::convert_fast_gelu},
                                        {"com.microsoft.FusedConv", &C::convert_fused_convolution},
                                        {"com.microsoft.FusedMatMul", &C::convert_fused_matmul}};
    for (const std::string_view name : unchanged_operators) list.push_back({name});
    std::ranges::sort(list, {}, &SupportedOperator::name);
    return list;
  }();
  return operators;
}

}  // namespace

void convert_operators(onnx::ModelProto& model, UnsupportedNodes& unsupported) {
  OperatorConversion(model, unsupported).run();
}

}  // namespace kernelscape::onnx_reader
