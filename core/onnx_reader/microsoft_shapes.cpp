#include "core/onnx_reader/microsoft_shapes.h"

#include <algorithm>
#include <string_view>

#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/own_shapes.h"

namespace kernelscape::onnx_reader {
namespace {

/** An operator of com.microsoft, and the operator of own_shapes_domain with the same shapes. */
struct MicrosoftOperator {
  std::string_view name;
  std::string_view rule;
};
constexpr std::array microsoft_operators{MicrosoftOperator{"Gelu", "Same"},
                                         MicrosoftOperator{"FastGelu", "Same"},
                                         MicrosoftOperator{"QuickGelu", "Same"},
                                         MicrosoftOperator{"BiasGelu", "Same"},
                                         MicrosoftOperator{"SkipLayerNormalization", "Same"},
                                         MicrosoftOperator{"SimplifiedLayerNormalization", "Same"},
                                         MicrosoftOperator{"SkipSimplifiedLayerNormalization", "Same"},
                                         MicrosoftOperator{"RotaryEmbedding", "Same"},
                                         MicrosoftOperator{"MatMulNBits", "PackedProduct"},
                                         MicrosoftOperator{"MatMulBnb4", "PackedProduct"},
                                         MicrosoftOperator{"MoE", "Same"},
                                         MicrosoftOperator{"QLinearLeakyRelu", "Same"},
                                         MicrosoftOperator{"QLinearSigmoid", "Same"},
                                         MicrosoftOperator{"QLinearSoftmax", "Same"}};

/** An operator of com.microsoft, and ONNX's operator with the same shapes for some of its inputs. */
struct PlainForm {
  std::string_view name;
  const char* plain;
  std::array<int, 3> inputs;  ///< -1: none
};
constexpr std::array plain_forms{PlainForm{"FusedConv", "Conv", {0, 1, 2}},
                                 PlainForm{"FusedGemm", "Gemm", {0, 1, 2}},
                                 PlainForm{"GemmFastGelu", "MatMul", {0, 1, -1}},
                                 PlainForm{"QLinearAdd", "Add", {0, 3, -1}},
                                 PlainForm{"QLinearMul", "Mul", {0, 3, -1}},
                                 PlainForm{"QLinearWhere", "Where", {0, 1, 4}},
                                 PlainForm{"QLinearReduceMean", "ReduceMean", {0, -1, -1}},
                                 PlainForm{"QLinearAveragePool", "AveragePool", {0, -1, -1}},
                                 PlainForm{"QLinearGlobalAveragePool", "GlobalAveragePool", {0, -1, -1}},
                                 PlainForm{"QuantizeLinear", "QuantizeLinear", {0, 1, 2}},
                                 PlainForm{"DequantizeLinear", "DequantizeLinear", {0, 1, 2}}};
constexpr auto matmul_operators =
    std::to_array<std::string_view>({"FusedMatMul", "TransposeMatMul", "FusedMatMulActivation",
                                     "MatMulIntegerToFloat", "DynamicQuantizeMatMul"});

/**
 * Converts a QLinearConcat: the scale and zero point of the result, then each input with its scale and zero
 * point.
 */
void take_concat_form(onnx::NodeProto& node) {
  const google::protobuf::RepeatedPtrField<std::string> all = node.input();
  node.set_op_type("Concat");
  node.clear_domain();
  node.clear_input();
  for (int place = 2; place < all.size(); place += 3) node.add_input(all.Get(place));
}

/** Converts a matrix multiplication with transposed operands to an equation. */
void take_einsum_form(onnx::NodeProto& node) {
  if (whole_attribute(node, "transBatchA", 0) != 0 || whole_attribute(node, "transBatchB", 0) != 0) return;
  const std::string equation = std::string(whole_attribute(node, "transA", 0) != 0 ? "...km," : "...mk,") +
                               (whole_attribute(node, "transB", 0) != 0 ? "...nk" : "...kn") + "->...mn";
  const bool quantised = node.op_type().contains("Quantize") || node.op_type().contains("Integer");
  set_rule(node, "Einsum");
  node.clear_attribute();
  add_text(node, "equation", equation);
  while (node.input_size() > 2) node.mutable_input()->RemoveLast();
  if (!quantised) return;
  add_number(node, type_attribute, onnx::TensorProto::FLOAT);
}

/** Converts a convolution with the channels last, or with scales, to one with data and weights as inputs. */
void take_convolution_form(onnx::NodeProto& node) {
  const bool quantised = node.op_type() == "QLinearConv";
  const bool channels_last = has_channels_last(node);
  take_plain_form(node, "Conv", {0, quantised ? 3 : 1, -1});
  if (channels_last) set_rule(node, "ChannelsLast");
}

/**
 * Converts a Gemm with scales. It gives 8 bits if the result has a zero point, and else numbers of 32 bits.
 */
void take_gemm_form(onnx::NodeProto& node) {
  const bool bytes = node.input_size() > 8 && !node.input(8).empty();
  const std::string a = whole_attribute(node, "transA", 0) != 0 ? "km," : "mk,";
  const std::string b = whole_attribute(node, "transB", 0) != 0 ? "nk" : "kn";
  take_plain_form(node, "Einsum", {0, 3, -1});
  node.clear_attribute();
  set_rule(node, "Einsum");
  add_text(node, "equation", a + b + "->mn");
  if (!bytes) add_number(node, type_attribute, onnx::TensorProto::FLOAT);
}

}  // namespace

void take_plain_form(onnx::NodeProto& node, const char* plain, const std::array<int, 3>& inputs) {
  node.set_op_type(plain);
  node.clear_domain();
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i) {
    const std::string& name = attributes.Get(i).name();
    if (name.starts_with("activation") || name == "channels_last" || name == "offset_group")
      attributes.DeleteSubrange(i, 1);
  }
  const google::protobuf::RepeatedPtrField<std::string> all = node.input();
  node.clear_input();
  for (const int place : inputs)
    if (place >= 0 && place < all.size()) node.add_input(all.Get(place));
}

bool take_microsoft_rule(onnx::NodeProto& node) {
  const std::string& name = node.op_type();
  if (name == "QLinearConv" || name == "NhwcConv" || name == "NhwcFusedConv") {
    take_convolution_form(node);
    return true;
  }
  if (name == "QGemm") {
    take_gemm_form(node);
    return true;
  }
  if (name == "QLinearConcat") {
    take_concat_form(node);
    return true;
  }
  // There is no rule for pools with the channels last.
  if (has_channels_last(node)) return false;
  const auto plain = std::ranges::find(plain_forms, name, &PlainForm::name);
  if (plain != plain_forms.end()) {
    take_plain_form(node, plain->plain, plain->inputs);
    return true;
  }
  if (std::ranges::find(matmul_operators, name) != matmul_operators.end()) {
    take_einsum_form(node);
    return node.domain() == own_shapes_domain;
  }
  const auto found = std::ranges::find(microsoft_operators, node.op_type(), &MicrosoftOperator::name);
  if (found == microsoft_operators.end()) return false;
  set_rule(node, found->rule);
  return true;
}

}  // namespace kernelscape::onnx_reader
