#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/onnx_reader/attention.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/model_layers.h"

namespace kernelscape::onnx_reader {
namespace {

/** Returns the shape of an input; nullopt if the input is missing, or if its shape is unknown. */
std::optional<Extents> known_shape(const onnx::NodeProto& node, const ModelShapes& shapes, int input) {
  if (input >= node.input_size()) return std::nullopt;
  const TensorFacts& facts = shapes.of(node.input(input));
  return facts.complete() ? facts.shape : std::nullopt;
}

/** Returns the product of a shape's extents, starting at dimension `from`. */
double elements(const Extents& shape, std::size_t from = 0) {
  double product = 1;
  for (std::size_t d = from; d < shape.size(); ++d) product *= static_cast<double>(shape[d]);
  return product;
}

/**
 * Returns the FLOPs of recurrent operators: the weights W and R of all gates are multiplied once for each
 * step of a sequence.
 */
double recurrent_flops(const onnx::NodeProto& node, const ModelShapes& shapes) {
  const auto data = known_shape(node, shapes, 0);
  const auto weights = known_shape(node, shapes, 1);
  const auto recurrence = known_shape(node, shapes, 2);
  if (!data || !weights || !recurrence || data->size() != 3) return 0;
  return 2 * static_cast<double>((*data)[0]) * static_cast<double>((*data)[1]) *
         (elements(*weights) + elements(*recurrence));
}

/**
 * Returns the FLOPs of MatMulNBits and similar operators: each element of the data is multiplied by N
 * weights.
 */
double packed_product_flops(const onnx::NodeProto& node, const ModelShapes& shapes) {
  const auto data = known_shape(node, shapes, 0);
  const auto columns = static_cast<double>(std::max<std::int64_t>(whole_attribute(node, "N", 0), 0));
  return data ? 2 * columns * elements(*data) : 0;
}

/**
 * Returns the FLOPs of DeformConv: as many products for each element of the result as a convolution; sampling
 * is not counted.
 */
double deformed_flops(const onnx::NodeProto& node, const ModelShapes& shapes) {
  const auto weights = known_shape(node, shapes, 1);
  const TensorFacts& result = shapes.of(node.output_size() > 0 ? node.output(0) : std::string());
  return weights && result.complete() ? 2 * elements(*result.shape) * elements(*weights, 1) : 0;
}

/**
 * Returns the FLOPs of com.microsoft.MoE: k experts multiply each row of the data by two or three matrices.
 */
double mixture_flops(const onnx::NodeProto& node, const ModelShapes& shapes) {
  const auto data = known_shape(node, shapes, 0);
  const auto first = known_shape(node, shapes, 2);
  const auto second = known_shape(node, shapes, 4);
  if (!data || data->empty() || data->back() == 0 || !first || !second) return 0;
  const bool gated = node.input_size() > 6 && !node.input(6).empty();
  const auto third = known_shape(node, shapes, 6);
  if (gated && !third) return 0;
  const double weights = elements(*first, 1) + elements(*second, 1) + (gated ? elements(*third, 1) : 0);
  const auto experts = static_cast<double>(std::max<std::int64_t>(whole_attribute(node, "k", 1), 0));
  return 2 * elements(*data) / static_cast<double>(data->back()) * experts * weights;
}

double attention_flops(AttentionKind kind, const onnx::NodeProto& node, const ModelShapes& shapes) {
  std::vector<std::optional<Extents>> inputs;
  for (int i = 0; i < node.input_size(); ++i) {
    inputs.push_back(known_shape(node, shapes, i));
    if (!node.input(i).empty() && !shapes.of(node.input(i)).shape) return 0;
  }
  const auto sizes =
      attention_sizes(kind, inputs, [&](std::string_view name) { return find_attribute(node, name); });
  return sizes ? sizes->flops() : 0;
}

constexpr auto recurrent_operators =
    std::to_array<std::string_view>({"LSTM", "GRU", "RNN", "DynamicQuantizeLSTM"});
constexpr auto packed_products = std::to_array<std::string_view>({"MatMulNBits", "MatMulBnb4", "MatMulFpQ4"});
/** Substrings of names of operators that convolve or multiply matrices, in any domain, in lower case. */
constexpr auto descriptive_names = std::to_array<std::string_view>(
    {"conv", "matmul", "gemm", "attention", "lstm", "gru", "rnn", "einsum", "moe", "svm", "linearclassifier",
     "linearregressor", "addmm", "baddbmm"});

bool is_one_of(const auto& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_telling_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return !name.contains("convert") &&
         std::ranges::any_of(descriptive_names, [&](std::string_view part) { return name.contains(part); });
}

}  // namespace

std::optional<HiddenSums> unread_sums(const onnx::NodeProto& node, const ModelShapes& shapes) {
  if (is_one_of(recurrent_operators, node.op_type()))
    return HiddenSums{"contains matrix multiplications for each step, which are not read as layers",
                      recurrent_flops(node, shapes)};
  if (is_one_of(packed_products, node.op_type()))
    return HiddenSums{"contains a multiplication by packed weights, which tasks do not support",
                      packed_product_flops(node, shapes)};
  if (node.op_type() == "DeformConv" && node.domain().empty())
    return HiddenSums{"contains a convolution of sampled elements, which tasks do not support",
                      deformed_flops(node, shapes)};
  if (node.op_type() == "MoE" && node.domain() == microsoft_domain)
    return HiddenSums{
        "contains matrix multiplications by the weights of experts, which are not read as layers",
        mixture_flops(node, shapes)};
  if (const auto kind = attention_kind(node))
    return HiddenSums{"contains matrix multiplications, which are not read as layers",
                      attention_flops(*kind, node, shapes)};
  if (!has_telling_name(node.op_type())) return std::nullopt;
  return HiddenSums{
      "contains convolutions or matrix multiplications according to its name, which are not read as layers"};
}

}  // namespace kernelscape::onnx_reader
