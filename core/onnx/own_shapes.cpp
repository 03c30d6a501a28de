#include "core/onnx/own_shapes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/onnx/einsum.h"
#include "core/onnx/flat_graph.h"
#include "core/onnx/model_graph.h"

namespace kernelscape {
namespace {

using Context = onnx::InferenceContext;

constexpr const char* type_attribute = "type";

const onnx::TypeProto_Tensor* tensor_input(Context& context, std::int64_t number) {
  if (number < 0 || static_cast<std::uint64_t>(number) >= context.getNumInputs()) return nullptr;
  const onnx::TypeProto* type = context.getInputType(static_cast<std::size_t>(number));
  return type != nullptr && type->has_tensor_type() ? &type->tensor_type() : nullptr;
}

/** The extents of an input, -1 where one is not known; nullopt: not even their number is. */
std::optional<Extents> extents_of(const onnx::TypeProto_Tensor* tensor) {
  if (tensor == nullptr || !tensor->has_shape()) return std::nullopt;
  Extents extents;
  for (const auto& dimension : tensor->shape().dim())
    extents.push_back(dimension.has_dim_value() && dimension.dim_value() >= 0 ? dimension.dim_value() : -1);
  return extents;
}

void give(Context& context, std::size_t output, int type, const std::optional<Extents>& extents) {
  if (output >= context.getNumOutputs() || type == 0) return;
  auto& tensor = *context.getOutputType(output)->mutable_tensor_type();
  tensor.set_elem_type(type);
  if (!extents) return;
  tensor.mutable_shape();
  for (const std::int64_t extent : *extents) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    if (extent >= 0) dimension.set_dim_value(extent);
  }
}

std::int64_t number_of(Context& context, std::string_view name, std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = context.getAttribute(std::string(name));
  return attribute == nullptr ? otherwise : attribute->i();
}

void infer_einsum(Context& context) {
  const onnx::AttributeProto* equation = context.getAttribute("equation");
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (equation == nullptr || first == nullptr) return;
  const auto type = static_cast<int>(number_of(context, type_attribute, first->elem_type()));
  std::vector<Extents> shapes;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < context.getNumInputs(); ++i) {
    const auto extents = extents_of(tensor_input(context, static_cast<std::int64_t>(i)));
    if (!extents) return give(context, 0, type, std::nullopt);
    ranks.push_back(extents->size());
    shapes.push_back(*extents);
  }
  const auto parsed = parse_einsum(equation->s(), ranks);
  const auto lengths = parsed ? einsum_lengths(*parsed, shapes) : std::unexpected(parsed.error());
  if (!lengths) return give(context, 0, type, std::nullopt);
  Extents output;
  for (const int label : parsed->output) output.push_back((*lengths)[static_cast<std::size_t>(label)]);
  give(context, 0, type, output);
}

/** Either branch may give the results: what they do not agree on is not known. */
void infer_if(Context& context) {
  const std::int64_t first = number_of(context, first_result_attribute, 1);
  const std::int64_t then_results = number_of(context, then_results_attribute, 0);
  for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const onnx::TypeProto_Tensor* one = place < then_results ? tensor_input(context, first + place) : nullptr;
    const onnx::TypeProto_Tensor* other = tensor_input(context, first + then_results + place);
    // A branch that never runs is not there.
    if (then_results == 0) one = other;
    if (other == nullptr && context.getNumInputs() == static_cast<std::size_t>(first + then_results))
      other = one;
    if (one == nullptr || other == nullptr || one->elem_type() != other->elem_type()) continue;
    std::optional<Extents> extents = extents_of(one);
    const std::optional<Extents> others = extents_of(other);
    if (!extents || !others || extents->size() != others->size()) {
      give(context, i, one->elem_type(), std::nullopt);
      continue;
    }
    for (std::size_t d = 0; d < extents->size(); ++d)
      if ((*extents)[d] != (*others)[d]) (*extents)[d] = -1;
    give(context, i, one->elem_type(), extents);
  }
}

/** Of a Loop and a Scan: states as the body gives them, other results stacked along an axis. */
void infer_loop(Context& context) {
  const std::int64_t first = number_of(context, first_result_attribute, 0);
  const std::int64_t states = number_of(context, states_attribute, 0);
  std::int64_t length = number_of(context, length_attribute, 0);
  if (const auto sequence = extents_of(tensor_input(context, number_of(context, sequence_attribute, -1)))) {
    const auto rank = static_cast<std::int64_t>(sequence->size());
    std::int64_t axis = number_of(context, axis_attribute, 0);
    if (axis < 0) axis += rank;
    if (axis >= 0 && axis < rank) length = (*sequence)[static_cast<std::size_t>(axis)];
  }
  const onnx::AttributeProto* axes = context.getAttribute(std::string(result_axes_attribute));
  for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const onnx::TypeProto_Tensor* result = tensor_input(context, first + place);
    if (result == nullptr) continue;
    std::optional<Extents> extents = extents_of(result);
    if (extents && place >= states) {
      const std::int64_t stacked = place - states;
      const auto rank = static_cast<std::int64_t>(extents->size()) + 1;
      std::int64_t axis =
          axes != nullptr && stacked < axes->ints_size() ? axes->ints(static_cast<int>(stacked)) : 0;
      if (axis < 0) axis += rank;
      if (axis < 0 || axis >= rank) continue;
      extents->insert(extents->begin() + axis, length > 0 ? length : -1);
    }
    give(context, i, result->elem_type(), extents);
  }
}

void infer_element(Context& context) {
  const onnx::TypeProto_Tensor* sequence = tensor_input(context, 0);
  if (sequence == nullptr) return;
  std::optional<Extents> extents = extents_of(sequence);
  if (extents) {
    const auto rank = static_cast<std::int64_t>(extents->size());
    std::int64_t axis = number_of(context, axis_attribute, 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return;
    extents->erase(extents->begin() + axis);
  }
  give(context, 0, sequence->elem_type(), extents);
}

/** Results as long as the first input: of a normalization also the sum that it normalizes, its fourth result.
 */
void infer_same(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  for (const std::size_t output : {0U, 3U}) give(context, output, first->elem_type(), extents_of(first));
}

/** MatMulNBits and its like: weights are packed, and N is an attribute. */
void infer_packed_product(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  std::optional<Extents> extents = extents_of(first);
  if (extents && extents->empty()) return;
  if (extents) extents->back() = number_of(context, "N", -1);
  give(context, 0, first->elem_type(), extents);
}

/** com.microsoft.Attention: weights [hidden, 3 x hidden], or the lengths of an attribute. */
void infer_attention(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  std::optional<Extents> extents = extents_of(first);
  const auto weights = extents_of(tensor_input(context, 1));
  if (!extents || extents->size() != 3) return;
  const onnx::AttributeProto* sizes = context.getAttribute("qkv_hidden_sizes");
  if (sizes != nullptr && sizes->ints_size() == 3) {
    extents->back() = sizes->ints(2);
  } else {
    extents->back() = weights && weights->size() == 2 && weights->back() > 0 ? weights->back() / 3 : -1;
  }
  give(context, 0, first->elem_type(), extents);
}

struct OwnSchema {
  const char* name;
  void (*infer)(Context&);
};
constexpr std::array own_schemas{OwnSchema{"Einsum", infer_einsum},
                                 OwnSchema{"If", infer_if},
                                 OwnSchema{"Loop", infer_loop},
                                 OwnSchema{"Scan", infer_loop},
                                 OwnSchema{"Element", infer_element},
                                 OwnSchema{"Same", infer_same},
                                 OwnSchema{"PackedProduct", infer_packed_product},
                                 OwnSchema{"Attention", infer_attention}};

class OwnSchemas : public onnx::ISchemaRegistry {
 public:
  OwnSchemas() {
    for (const OwnSchema& own : own_schemas) {
      onnx::OpSchema schema(own.name, __FILE__, __LINE__);
      schema.SetDomain(own_shapes_domain).SinceVersion(1).TypeAndShapeInferenceFunction(own.infer);
      schemas_.push_back(std::move(schema));
    }
  }

  const onnx::OpSchema* GetSchema(const std::string& key, const int max_version,
                                  const std::string& domain) const override {
    if (domain != own_shapes_domain)
      return onnx::OpSchemaRegistry::Instance()->GetSchema(key, max_version, domain);
    for (const onnx::OpSchema& schema : schemas_)
      if (schema.Name() == key) return &schema;
    return nullptr;
  }

 private:
  std::vector<onnx::OpSchema> schemas_;
};

/** An operator of com.microsoft, and the own operator that has its shapes. */
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
                                         MicrosoftOperator{"Attention", "Attention"}};
constexpr auto matmul_operators =
    std::to_array<std::string_view>({"FusedMatMul", "TransposeMatMul", "FusedMatMulActivation",
                                     "MatMulIntegerToFloat", "DynamicQuantizeMatMul"});

void set_rule(onnx::NodeProto& node, std::string_view rule) {
  node.set_op_type(std::string(rule));
  node.set_domain(own_shapes_domain);
}

/** An activation behind an operator, which keeps its shape. */
void take_plain_form(onnx::NodeProto& node, const char* plain) {
  node.set_op_type(plain);
  node.clear_domain();
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i)
    if (attributes.Get(i).name().starts_with("activation")) attributes.DeleteSubrange(i, 1);
  while (node.input_size() > 3) node.mutable_input()->RemoveLast();
}

/** A matrix multiplication with transposed operands, as an equation. */
void take_einsum_form(onnx::NodeProto& node) {
  if (whole_attribute(node, "transBatchA", 0) != 0 || whole_attribute(node, "transBatchB", 0) != 0) return;
  const std::string equation = std::string(whole_attribute(node, "transA", 0) != 0 ? "...km," : "...mk,") +
                               (whole_attribute(node, "transB", 0) != 0 ? "...nk" : "...kn") + "->...mn";
  const bool quantised = node.op_type().contains("Quantize") || node.op_type().contains("Integer");
  set_rule(node, "Einsum");
  node.clear_attribute();
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("equation");
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(equation);
  while (node.input_size() > 2) node.mutable_input()->RemoveLast();
  if (!quantised) return;
  onnx::AttributeProto& type = *node.add_attribute();
  type.set_name(type_attribute);
  type.set_type(onnx::AttributeProto::INT);
  type.set_i(onnx::TensorProto::FLOAT);
}

bool take_microsoft_rule(onnx::NodeProto& node) {
  if (node.op_type() == "FusedConv") {
    take_plain_form(node, "Conv");
    return true;
  }
  if (node.op_type() == "FusedGemm") {
    take_plain_form(node, "Gemm");
    return true;
  }
  if (std::ranges::find(matmul_operators, node.op_type()) != matmul_operators.end()) {
    take_einsum_form(node);
    return node.domain() == own_shapes_domain;
  }
  const auto found = std::ranges::find(microsoft_operators, node.op_type(), &MicrosoftOperator::name);
  if (found == microsoft_operators.end()) return false;
  set_rule(node, found->rule);
  return true;
}

}  // namespace

bool take_own_shape_rule(onnx::NodeProto& node) {
  if (node.domain() == microsoft_domain) return take_microsoft_rule(node);
  if (node.domain() == body_domain && node.op_type() == "Carried") {
    // Not an Identity: the number of a first iteration, such as a counter's, is no constant.
    set_rule(node, "Same");
    return true;
  }
  const bool flat = find_attribute(node, first_result_attribute) != nullptr;
  const bool own = node.domain() == body_domain
                       ? node.op_type() == "Element"
                       : node.domain().empty() && (flat || node.op_type() == "Einsum");
  if (own) set_rule(node, std::string(node.op_type()));
  return own;
}

const onnx::ISchemaRegistry& schemas_with_own_shapes() {
  static const OwnSchemas schemas;
  return schemas;
}

}  // namespace kernelscape
