#include "core/graph/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** Returns all operators by their names. */
const std::map<std::string_view, Operator>& operators() {
  static const std::map<std::string_view, Operator> all = [] {
    std::map<std::string_view, Operator> found;
    for (const auto family :
         {activation_operators, arithmetic_operators, convolution_operators, creation_operators,
          gathering_operators, movement_operators, multiplication_operators, normalization_operators,
          padding_operators, pooling_operators, quantization_operators, reduction_operators,
          resizing_operators, shape_operators}) {
      for (const Operator& known : family()) found.emplace(known.name, known);
    }
    return found;
  }();
  return all;
}

/** Refuses missing inputs, too many of them, and those whose elements do not fit their shape. */
Status check_inputs(const Call& call, const Operator& known) {
  if (call.input_count() > known.max_inputs) {
    return call.refuse(
        fmt::format("it has {} inputs, and the operator has {}", call.input_count(), known.max_inputs));
  }
  for (std::size_t input = 0; input < known.required_inputs; ++input)
    if (!call.has(input)) return call.refuse(fmt::format("its input {} is missing", input));
  for (std::size_t input = 0; input < call.input_count(); ++input) {
    if (!call.has(input)) continue;
    const Shape& shape = call[input].shape;
    const bool negative = std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; });
    if (negative || element_count(shape) != static_cast<std::int64_t>(call[input].elements.size())) {
      return call.refuse(fmt::format("its input {} has {} elements and the shape {}", input,
                                     call[input].elements.size(), shape_text(shape)));
    }
  }
  return {};
}

/** Returns the axis of the channels of an operator's result, to which bias and scale belong. */
std::size_t channel_axis(const Node& node, std::size_t rank) {
  const bool multiplies = node.operation.find("MatMul") != std::string::npos ||
                          node.operation.find("Gemm") != std::string::npos || node.operation == "Einsum";
  return multiplies || rank < 2 ? rank - 1 : 1;
}

/** Returns what a step reads for each element of a result: the strides of its operand. */
Result<std::pair<std::int64_t, std::int64_t>> channel_places(const Call& call, const Tensor& result,
                                                             const Tensor& operand) {
  const std::size_t rank = result.shape.size();
  if (rank == 0) return call.refuse("its result has no channels");
  const std::size_t axis = channel_axis(call.node(), rank);
  if (static_cast<std::int64_t>(operand.elements.size()) != result.shape[axis]) {
    return call.refuse(fmt::format("its epilogue reads {} elements for {} channels", operand.elements.size(),
                                   result.shape[axis]));
  }
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < rank; ++i) inner *= result.shape[i];
  return std::pair{inner, result.shape[axis]};
}

/** Applies one step to a result. @param operand nullptr if the step has none */
Status apply_step(const Call& call, const task::EpilogueStep& step, const Tensor* operand, Tensor& result) {
  if (operand == nullptr) {
    for (double& element : result.elements) element = task::apply(step, element, 0);
    return {};
  }
  if (step.kind == task::EpilogueKind::Add) {
    if (operand->shape != result.shape || operand->elements.size() != result.elements.size()) {
      return call.refuse(fmt::format("its epilogue adds a tensor of shape {} to a result of shape {}",
                                     shape_text(operand->shape), shape_text(result.shape)));
    }
    for (std::size_t i = 0; i < result.elements.size(); ++i)
      result.elements[i] = task::apply(step, result.elements[i], operand->elements[i]);
    return {};
  }
  const auto [inner, channels] = TRY(channel_places(call, result, *operand));
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    const std::int64_t channel = static_cast<std::int64_t>(i) / inner % channels;
    result.elements[i] =
        task::apply(step, result.elements[i], operand->elements[static_cast<std::size_t>(channel)]);
  }
  return {};
}

/** Applies the epilogue of a node to its only result. @param inputs all of the node, with the operands */
Status apply_epilogue(const Node& node, const std::vector<const Tensor*>& inputs, Tensor& result) {
  const Call call(node, inputs);
  std::size_t operand = node.own_input_count();
  for (const task::EpilogueStep& step : node.epilogue) {
    const Tensor* tensor = nullptr;
    if (task::has_operand(step.kind)) {
      if (!call.has(operand)) return call.refuse("an operand of its epilogue is missing");
      tensor = &call[operand++];
    }
    TRY(apply_step(call, step, tensor, result));
  }
  return {};
}

/** The tensors of a graph while it is computed. */
class Interpretation {
 public:
  explicit Interpretation(const Graph& graph)
      : graph_(graph), tensors_(graph.values.size()), uses_(tensors_.size()) {
    for (const Node& node : graph.nodes)
      for (const std::size_t input : node.inputs)
        if (input != absent) ++uses_[input];
    for (const std::size_t output : graph.outputs) ++uses_[output];
  }

  void set(std::size_t value, Tensor tensor) { tensors_[value] = std::move(tensor); }

  /** Computes a node, and frees what no later node reads. */
  Status run(const Node& node) {
    std::vector<const Tensor*> inputs;
    for (const std::size_t input : node.inputs)
      inputs.push_back(input == absent ? nullptr : TRY(tensor(input)));
    const std::size_t own = std::min(node.own_input_count(), inputs.size());
    Tensors results =
        TRY(evaluate(node, {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(own)}));
    if (!node.epilogue.empty() && !results.empty()) TRY(apply_epilogue(node, inputs, results.front()));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == absent) continue;
      TRY(check_result(node, inputs, i, results));
      if (uses_[node.outputs[i]] > 0) set(node.outputs[i], std::move(results[i]));
    }
    for (const std::size_t input : node.inputs)
      if (input != absent && --uses_[input] == 0) tensors_[input].reset();
    return {};
  }

  /** Returns the tensor of a value; a constant is read at its first use. */
  Result<const Tensor*> tensor(std::size_t value) {
    if (!tensors_[value] && graph_.values[value].constant)
      tensors_[value] = TRY(constant_tensor(graph_.values[value]));
    if (!tensors_[value]) {
      return fail(ErrorCode::InvalidArgument, fmt::format("no node before its use computes the value {}",
                                                          base::quoted_line(graph_.values[value].name)));
    }
    return &*tensors_[value];
  }

 private:
  /** Refuses a result that is missing or has not the shape of its value. */
  Status check_result(const Node& node, const std::vector<const Tensor*>& inputs, std::size_t output,
                      const Tensors& results) const {
    const Call call(node, inputs);
    if (output >= results.size()) return call.refuse(fmt::format("the operator has no result {}", output));
    const Value& value = graph_.values[node.outputs[output]];
    if (results[output].shape == value.shape) return {};
    return call.refuse(fmt::format("its result has the shape {}, and the value {} has {}",
                                   shape_text(results[output].shape), base::quoted_line(value.name),
                                   shape_text(value.shape)));
  }

  const Graph& graph_;
  std::vector<std::optional<Tensor>> tensors_;
  std::vector<std::size_t> uses_;
};

/** Refuses inputs of another number, type or shape than the graph's. */
Status check_graph_inputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  if (inputs.size() != graph.inputs.size()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("the model has {} inputs, and {} tensors were passed",
                                                        graph.inputs.size(), inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i]];
    if (inputs[i].type == value.type && inputs[i].shape == value.shape &&
        static_cast<std::int64_t>(inputs[i].elements.size()) == element_count(value.shape))
      continue;
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("the input {} has the type {} and the shape {}; the tensor has the type {}, the "
                    "shape {} and {} elements",
                    base::quoted_line(value.name), to_string(value.type), shape_text(value.shape),
                    to_string(inputs[i].type), shape_text(inputs[i].shape), inputs[i].elements.size()));
  }
  return {};
}

/** Computes the outputs of a valid graph from inputs that fit it. */
Result<std::vector<Tensor>> compute_outputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  Interpretation interpretation(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) interpretation.set(graph.inputs[i], inputs[i]);
  for (const Node& node : graph.nodes) TRY(interpretation.run(node));
  std::vector<Tensor> outputs;
  for (const std::size_t output : graph.outputs) outputs.push_back(*TRY(interpretation.tensor(output)));
  return outputs;
}

}  // namespace

Result<Tensor> constant_tensor(const Value& value) {
  std::vector<double> elements = TRY(constant_doubles(value));
  return Tensor{value.type, value.shape, std::move(elements)};
}

Result<std::vector<Tensor>> evaluate(const Node& node, const std::vector<const Tensor*>& inputs) {
  const auto found = operators().find(node.operation);
  if (found == operators().end()) {
    return fail(ErrorCode::NotFound,
                fmt::format("node {}: the operator {} is not known", base::quoted_line(node.name),
                            base::quoted_line(node.operation)),
                base::suggest(node.operation, known_operations()));
  }
  const Call call(node, inputs);
  TRY(check_inputs(call, found->second));
  try {
    return found->second.compute(call);
  } catch (const std::bad_alloc&) {
    return call.refuse("its result does not fit the memory");
  } catch (const std::length_error&) {
    return call.refuse("its result is too large");
  }
}

Result<std::vector<Tensor>> interpret(const Graph& graph, const std::vector<Tensor>& inputs) {
  TRY(validate(graph));
  TRY(check_graph_inputs(graph, inputs));
  try {
    return compute_outputs(graph, inputs);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::Environment, "the tensors of the model do not fit the memory");
  }
}

std::optional<Arity> arity_of(std::string_view operation) {
  const auto found = operators().find(operation);
  if (found == operators().end()) return std::nullopt;
  return Arity{.required_inputs = found->second.required_inputs, .max_inputs = found->second.max_inputs};
}

std::vector<std::string> known_operations() {
  std::vector<std::string> names;
  for (const auto& [name, known] : operators()) names.emplace_back(name);
  return names;
}

}  // namespace kernelscape::graph
