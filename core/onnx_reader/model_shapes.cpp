#include "core/onnx_reader/model_shapes.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <set>
#include <unordered_map>

#include "core/base/visible_text.h"
#include "core/onnx_reader/changed_operators.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/own_shapes.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr std::size_t longest_reason = 300;
constexpr std::string_view computed_ending = "/computed";

TensorFacts facts_of(const onnx::TypeProto& type) {
  TensorFacts facts;
  if (!type.has_tensor_type()) return facts;
  facts.type = type.tensor_type().elem_type();
  if (!type.tensor_type().has_shape()) return facts;
  facts.shape.emplace();
  for (const auto& dimension : type.tensor_type().shape().dim())
    facts.shape->push_back(dimension.has_dim_value() && dimension.dim_value() >= 0 ? dimension.dim_value()
                                                                                   : -1);
  return facts;
}

/** Returns the bytes of an element; 0 if the size is not fixed. */
std::int64_t element_bytes(int type) {
  using onnx::TensorProto;
  switch (type) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 1;
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return 2;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 4;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::COMPLEX64:
      return 8;
    case TensorProto::COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

/**
 * Makes inputs of the constants whose data is not part of the model: the library would stop at the first one
 * that it wants to compute shapes from.
 */
void declare_absent_constants(onnx::GraphProto& graph) {
  std::unordered_map<std::string, onnx::ValueInfoProto*> inputs;
  for (auto& input : *graph.mutable_input()) inputs.emplace(input.name(), &input);
  google::protobuf::RepeatedPtrField<onnx::TensorProto> constants;
  constants.Swap(graph.mutable_initializer());
  for (onnx::TensorProto& constant : constants) {
    if (!has_cut_data(constant) && constant.data_location() != onnx::TensorProto::EXTERNAL) {
      graph.add_initializer()->Swap(&constant);
      continue;
    }
    onnx::ValueInfoProto*& input = inputs[constant.name()];
    if (input == nullptr) input = graph.add_input();
    input->set_name(constant.name());
    auto& tensor = *input->mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(constant.data_type());
    tensor.clear_shape();
    tensor.mutable_shape();
    for (const std::int64_t extent : constant.dims())
      tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

using ShapesAsData = std::unordered_map<std::string, onnx::TensorShapeProto>;

/** Runs the inference. @return the error; empty: none */
std::string run_inference(onnx::ModelProto& model, ShapesAsData& data) {
  const onnx::ShapeInferenceOptions options(/*check_type_val=*/false, /*strict_mode_val=*/0,
                                            /*data_prop_val=*/true);
  try {
    onnx::shape_inference::InferShapes(model, &schemas_with_own_shapes(), options, &data);
  } catch (const std::exception& problem) {
    return base::one_line(problem.what(), longest_reason);
  }
  return {};
}

bool all_known(const onnx::TensorShapeProto& data) {
  return std::ranges::all_of(data.dim(), [](const auto& number) { return number.has_dim_value(); });
}

/**
 * Replaces computations on shapes, whose values are known by now, by constants, because the library requires
 * constants where they determine a shape. @return true if there were any
 */
bool make_constants(onnx::GraphProto& graph, const ShapesAsData& data, const auto& facts) {
  bool any = false;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (std::string& output : *node.mutable_output()) {
      const auto found = data.find(output);
      if (found == data.end() || !all_known(found->second) || output.ends_with(computed_ending)) continue;
      const TensorFacts& known = facts(output);
      if (known.type != onnx::TensorProto::INT64 || !known.complete() || known.shape->size() > 1) continue;
      if (known.shape->empty() ? found->second.dim_size() != 1
                               : known.shape->front() != found->second.dim_size())
        continue;
      onnx::TensorProto& constant = *graph.add_initializer();
      constant.set_name(output);
      constant.set_data_type(onnx::TensorProto::INT64);
      if (!known.shape->empty()) constant.add_dims(known.shape->front());
      for (const auto& number : found->second.dim()) constant.add_int64_data(number.dim_value());
      // The node stays and gives an unused result.
      output += computed_ending;
      any = true;
    }
  }
  return any;
}

}  // namespace

bool TensorFacts::complete() const {
  return shape && std::ranges::all_of(*shape, [](std::int64_t extent) { return extent >= 0; });
}

std::optional<std::int64_t> TensorFacts::bytes() const {
  std::int64_t bytes = element_bytes(type);
  if (!complete() || bytes == 0) return std::nullopt;
  for (const std::int64_t extent : *shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  return bytes;
}

DeclaredResults take_declared(onnx::GraphProto& graph) {
  DeclaredResults declared;
  for (const auto& value : graph.value_info()) declared.emplace(value.name(), value);
  graph.clear_value_info();
  for (auto& output : *graph.mutable_output()) {
    declared.emplace(output.name(), output);
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  return declared;
}

ModelShapes ModelShapes::infer(onnx::ModelProto& model, const DeclaredResults& declared) {
  onnx::GraphProto& graph = *model.mutable_graph();
  // A changing state may change others. States that still change after some rounds get no shape.
  constexpr int max_rounds = 8;
  for (int round = 0;; ++round) {
    ModelShapes shapes = infer_once(model, declared);
    if (!mark_changed_states(graph, shapes, round == max_rounds)) return shapes;
  }
}

bool ModelShapes::mark_changed_states(onnx::GraphProto& graph, const ModelShapes& shapes, bool all) {
  bool any = false;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (node.domain() != body_domain || node.op_type() != "Carried" || node.input_size() != 1) continue;
    const TensorFacts& initial = shapes.of(node.input(0));
    const onnx::AttributeProto* result = find_attribute(node, "result");
    const bool stays = initial.shape && result != nullptr && initial.shape == shapes.of(result->s()).shape;
    if (!initial.shape || (stays && !all)) continue;
    node.set_op_type("Changed");
    any = true;
  }
  return any;
}

ModelShapes ModelShapes::infer_once(const onnx::ModelProto& model, const DeclaredResults& declared) {
  ModelShapes shapes;
  const onnx::GraphProto& graph = model.graph();
  shapes.find_producers(graph);
  // The inference runs on another graph, in which the library knows all operators.
  onnx::ModelProto known = model;
  shapes.left_out_ = replace_changed_operators(known);
  declare_absent_constants(*known.mutable_graph());
  // Each pass uses the shapes that were computed in the previous one.
  constexpr int max_passes = 16;
  ShapesAsData data;
  for (int pass = 0; pass < max_passes; ++pass) {
    shapes.problem_ = run_inference(known, data);
    shapes.take(known.graph());
    const auto facts = [&shapes](const std::string& name) -> const TensorFacts& { return shapes.of(name); };
    bool more = shapes.lacks_some(graph) && make_constants(*known.mutable_graph(), data, facts);
    // Declarations of the model are used for results whose shape cannot be inferred.
    if (!more) more = shapes.believe(declared, *known.mutable_graph());
    if (!more) break;
  }
  for (const auto& [name, values] : data)
    if (values.dim_size() == 1 && all_known(values)) shapes.numbers_[name] = values.dim(0).dim_value();
  return shapes;
}

ModelShapes ModelShapes::declared(const onnx::GraphProto& graph) {
  ModelShapes shapes;
  shapes.find_producers(graph);
  shapes.take(graph);
  return shapes;
}

void ModelShapes::find_producers(const onnx::GraphProto& graph) {
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string& output : graph.node(i).output()) producers_.emplace(output, i);
}

bool ModelShapes::lacks_some(const onnx::GraphProto& graph) const {
  return std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
    return std::ranges::any_of(node.output(),
                               [&](const std::string& output) { return !of(output).complete(); });
  });
}

bool ModelShapes::believe(const DeclaredResults& declared, onnx::GraphProto& graph) const {
  bool any = false;
  for (const auto& [name, value] : declared) {
    if (of(name).complete() || !facts_of(value.type()).complete()) continue;
    *graph.add_value_info() = value;
    any = true;
  }
  return any;
}

void ModelShapes::take(const onnx::GraphProto& graph) {
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const auto& value : *values) {
      TensorFacts facts = facts_of(value.type());
      // A name may occur several times; complete shapes are kept.
      if (TensorFacts& known = facts_[value.name()]; !known.complete()) known = std::move(facts);
    }
  for (const auto& constant : graph.initializer()) {
    TensorFacts& facts = facts_[constant.name()];
    facts.type = constant.data_type();
    facts.shape.emplace(constant.dims().begin(), constant.dims().end());
  }
  for (const auto& constant : graph.sparse_initializer()) {
    TensorFacts& facts = facts_[constant.values().name()];
    facts.type = constant.values().data_type();
    facts.shape.emplace(constant.dims().begin(), constant.dims().end());
  }
}

const TensorFacts& ModelShapes::of(const std::string& name) const {
  static const TensorFacts nothing;
  const auto found = facts_.find(name);
  return found == facts_.end() ? nothing : found->second;
}

std::optional<std::int64_t> ModelShapes::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const onnx::NodeProto* ModelShapes::producer(const onnx::GraphProto& graph, const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? nullptr : &graph.node(found->second);
}

std::string ModelShapes::why_unknown(const onnx::GraphProto& graph, const std::string& name) const {
  std::string asked = name;
  for (int step = 0; step <= graph.node_size(); ++step) {
    const auto found = producers_.find(asked);
    if (found == producers_.end()) {
      const bool input =
          std::ranges::any_of(graph.input(), [&](const auto& value) { return value.name() == asked; });
      return input ? fmt::format("the model's input {} has no shape", base::quoted_line(asked))
                   : fmt::format("no node gives {}", base::quoted_line(asked));
    }
    const onnx::NodeProto& producer = graph.node(found->second);
    const auto before = std::ranges::find_if(
        producer.input(), [&](const std::string& input) { return !input.empty() && !of(input).complete(); });
    if (before != producer.input().end()) {
      asked = *before;
      continue;
    }
    const auto known = left_out_.find(producer.output(0));
    const std::string reason = known != left_out_.end() ? known->second : problem_;
    return fmt::format("{} gives no shape{}", node_text(producer),
                       reason.empty() ? ", which depends on data" : ": " + reason);
  }
  return "its shape cannot be determined";
}

}  // namespace kernelscape::onnx_reader
