#include "core/onnx_reader/own_shapes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/onnx_reader/attention.h"
#include "core/onnx_reader/einsum.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/graph_operators.h"
#include "core/onnx_reader/microsoft_shapes.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

using Context = onnx::InferenceContext;

constexpr const char* kind_attribute = "kind";  // of an Attention: its AttentionKind

const onnx::TypeProto_Tensor* tensor_input(Context& context, std::int64_t number) {
  if (number < 0 || static_cast<std::uint64_t>(number) >= context.getNumInputs()) return nullptr;
  const onnx::TypeProto* type = context.getInputType(static_cast<std::size_t>(number));
  return type != nullptr && type->has_tensor_type() ? &type->tensor_type() : nullptr;
}

/** Returns the extents of an input, -1 for unknown ones; nullopt if the number of dimensions is unknown. */
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

/**
 * Infers the results of an If. Either branch may give them: extents in which the branches differ are unknown.
 */
void infer_if(Context& context) {
  const std::int64_t first = number_of(context, first_result_attribute, 1);
  const std::int64_t then_results = number_of(context, then_results_attribute, 0);
  for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const onnx::TypeProto_Tensor* one = place < then_results ? tensor_input(context, first + place) : nullptr;
    const onnx::TypeProto_Tensor* other = tensor_input(context, first + then_results + place);
    // A branch that is never executed was removed.
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

/** Returns the maximum number of iterations of a Loop if it is computed from shapes; else 0. */
std::int64_t computed_trips(Context& context) {
  const onnx::TensorProto* constant = context.getInputData(0);
  if (constant != nullptr && constant->int64_data_size() == 1) return constant->int64_data(0);
  const onnx::TensorShapeProto* data = context.getSymbolicInput(0);
  return data != nullptr && data->dim_size() == 1 ? data->dim(0).dim_value() : 0;
}

/**
 * Infers the results of a Loop or Scan: states as the body gives them, other results stacked along an axis.
 */
void infer_loop(Context& context) {
  const std::int64_t first = number_of(context, first_result_attribute, 0);
  const std::int64_t states = number_of(context, states_attribute, 0);
  std::int64_t length = number_of(context, length_attribute, 0);
  if (length == 0 && context.getAttribute(std::string(length_attribute)) != nullptr)
    length = computed_trips(context);
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

/**
 * Infers results with the shape of the first input. The fourth result of a normalization, the sum that it
 * normalizes, has this shape as well.
 */
void infer_same(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  for (const std::size_t output : {0U, 3U}) give(context, output, first->elem_type(), extents_of(first));
}

/** Infers the result of MatMulNBits and similar operators: weights are packed, and N is an attribute. */
void infer_packed_product(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  std::optional<Extents> extents = extents_of(first);
  if (extents && extents->empty()) return;
  if (extents) extents->back() = number_of(context, "N", -1);
  give(context, 0, first->elem_type(), extents);
}

/** Infers the results of attentions with various inputs, distinguished by an attribute. */
void infer_attention(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  std::vector<std::optional<Extents>> inputs;
  for (std::size_t i = 0; i < context.getNumInputs(); ++i)
    inputs.push_back(extents_of(tensor_input(context, static_cast<std::int64_t>(i))));
  const auto kind = static_cast<AttentionKind>(number_of(context, kind_attribute, 0));
  const auto sizes = attention_sizes(
      kind, inputs, [&](std::string_view name) { return context.getAttribute(std::string(name)); });
  const bool quantised = kind == AttentionKind::Quantised;
  give(context, 0, quantised ? static_cast<int>(onnx::TensorProto::FLOAT) : first->elem_type(),
       sizes ? std::optional(sizes->result) : std::nullopt);
}

constexpr std::int64_t max_attribute = 1 << 30;  // products and sums of numbers up to this limit are exact

/** Reads a number of a list attribute, or returns `otherwise` if the list is missing. */
std::int64_t element_of(Context& context, const char* name, std::size_t place, std::int64_t otherwise) {
  const onnx::AttributeProto* list = context.getAttribute(name);
  const auto number = static_cast<int>(place);
  const bool given = list != nullptr && number < list->ints_size();
  return std::clamp(given ? list->ints(number) : otherwise, -max_attribute, max_attribute);
}

/** Infers the result of a convolution with the channels last; the inputs are data and weights. */
void infer_channels_last(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  const auto data = extents_of(first);
  const auto weights = extents_of(tensor_input(context, 1));
  if (!data || !weights || data->size() < 3 || weights->size() != data->size()) return;
  const std::size_t rank = data->size() - 2;
  const onnx::AttributeProto* automatic = context.getAttribute("auto_pad");
  const bool same = automatic != nullptr && automatic->s().starts_with("SAME");
  Extents result{data->front()};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t stride = std::max<std::int64_t>(element_of(context, "strides", d, 1), 1);
    const std::int64_t kernel = element_of(context, "kernel_shape", d, (*weights)[d + 2]);
    const std::int64_t span = element_of(context, "dilations", d, 1) * (kernel - 1) + 1;
    const std::int64_t pads = element_of(context, "pads", d, 0) + element_of(context, "pads", rank + d, 0);
    const std::int64_t extent = std::min((*data)[d + 1], max_attribute * max_attribute);
    const std::int64_t reached = same ? (extent + stride - 1) / stride : (extent + pads - span) / stride + 1;
    result.push_back(extent < 0 || kernel < 0 || reached < 0 ? -1 : reached);
  }
  result.push_back(weights->front());
  give(context, 0, first->elem_type(), result);
}

/** Infers the result of a Pad that names axes. */
void infer_pending_pad(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  std::optional<Extents> extents = extents_of(first);
  const auto amounts =
      pending_pad_amounts(context.getAttribute(pending_amounts_attribute),
                          context.getAttribute(pending_axes_attribute), extents ? extents->size() : 0);
  if (!amounts) extents.reset();
  for (std::size_t d = 0; extents && d < extents->size(); ++d) {
    std::int64_t& extent = (*extents)[d];
    const bool fits = extent >= 0 && !__builtin_add_overflow(extent, (*amounts)[d], &extent) &&
                      !__builtin_add_overflow(extent, (*amounts)[extents->size() + d], &extent);
    if (!fits || extent < 0) extent = -1;
  }
  give(context, 0, first->elem_type(), extents);
}

/** Infers the results of a Split into a number of parts. */
void infer_pending_split(Context& context) {
  const onnx::TypeProto_Tensor* first = tensor_input(context, 0);
  if (first == nullptr) return;
  const std::optional<Extents> extents = extents_of(first);
  const auto rank = static_cast<std::int64_t>(extents ? extents->size() : 0);
  std::int64_t axis = number_of(context, "axis", 0);
  if (axis < 0) axis += rank;
  const bool known = axis >= 0 && axis < rank;
  const auto place = static_cast<std::size_t>(axis);
  const Extents lengths =
      known ? pending_split_lengths((*extents)[place], number_of(context, "num_outputs", 0)) : Extents();
  for (std::size_t i = 0; i < context.getNumOutputs(); ++i) {
    std::optional<Extents> part = extents;
    if (known) (*part)[place] = i < lengths.size() ? lengths[i] : -1;
    give(context, i, first->elem_type(), part);
  }
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
                                 OwnSchema{"ChannelsLast", infer_channels_last},
                                 OwnSchema{"PendingPad", infer_pending_pad},
                                 OwnSchema{"PendingSplit", infer_pending_split},
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

}  // namespace

void set_rule(onnx::NodeProto& node, std::string_view rule) {
  node.set_op_type(std::string(rule));
  node.set_domain(own_shapes_domain);
}

bool take_own_shape_rule(onnx::NodeProto& node) {
  if (const auto kind = attention_kind(node)) {
    set_rule(node, "Attention");
    add_number(node, kind_attribute, static_cast<std::int64_t>(*kind));
    return true;
  }
  if (node.domain() == pending_domain && node.op_type() == "FusedMatMul")
    node.set_domain(std::string(microsoft_domain));
  if (node.domain() == microsoft_domain) return take_microsoft_rule(node);
  if (node.domain() == pending_domain) {
    set_rule(node, node.op_type() == "Pad" ? "PendingPad" : "PendingSplit");
    return true;
  }
  if (node.domain() == body_domain && node.op_type() == "Carried") {
    // Identity would be wrong: the number of a first iteration, such as a counter's, is not constant.
    set_rule(node, "Same");
    return true;
  }
  if (node.domain().empty() && node.op_type() == "DeformConv") {
    take_plain_form(node, "Conv", {0, 1, -1});
    return true;
  }
  if (node.domain().empty() && node.op_type() == "SimplifiedLayerNormalization") {
    // ONNX Runtime writes its own operator into ONNX's domain.
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

}  // namespace kernelscape::onnx_reader
