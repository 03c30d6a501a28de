#include "core/onnx_reader/model_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "core/base/visible_text.h"
#include "core/onnx_reader/einsum.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

struct LayerOperator {
  std::string_view domain;
  std::string_view name;
  Result<LayerSums> (*sums)(const onnx::GraphProto&, const onnx::NodeProto&, const ModelShapes&);
  bool quantised = false;
  int weight_input = 1;
};

constexpr std::array layer_operators{
    LayerOperator{"", "Conv", convolution_sums},
    LayerOperator{"", "ConvTranspose", convolution_sums},
    LayerOperator{"", "Gemm", gemm_sums},
    LayerOperator{"", "MatMul", matmul_sums},
    LayerOperator{"", "Einsum", einsum_sums},
    LayerOperator{"", "QLinearConv", convolution_sums, true, 3},
    LayerOperator{"", "ConvInteger", convolution_sums, true},
    LayerOperator{"", "QLinearMatMul", matmul_sums, true, 3},
    LayerOperator{"", "MatMulInteger", matmul_sums, true},
    LayerOperator{microsoft_domain, "FusedConv", convolution_sums},
    LayerOperator{microsoft_domain, "NhwcConv", convolution_sums},
    LayerOperator{microsoft_domain, "NhwcFusedConv", convolution_sums},
    LayerOperator{microsoft_domain, "QLinearConv", convolution_sums, true, 3},
    LayerOperator{microsoft_domain, "FusedGemm", gemm_sums},
    LayerOperator{microsoft_domain, "GemmFloat8", gemm_sums},
    LayerOperator{microsoft_domain, "GemmFastGelu", matmul_sums},
    LayerOperator{microsoft_domain, "QGemm", gemm_sums, true, 3},
    LayerOperator{microsoft_domain, "MatMulInteger16", matmul_sums, true},
    LayerOperator{microsoft_domain, "FusedMatMul", matmul_sums},
    LayerOperator{microsoft_domain, "FusedMatMulActivation", matmul_sums},
    LayerOperator{microsoft_domain, "TransposeMatMul", matmul_sums},
    LayerOperator{microsoft_domain, "MatMulIntegerToFloat", matmul_sums, true},
    LayerOperator{microsoft_domain, "DynamicQuantizeMatMul", matmul_sums, true}};

const LayerOperator* layer_operator(const onnx::NodeProto& node) {
  const auto found = std::ranges::find_if(layer_operators, [&](const LayerOperator& known) {
    return known.name == node.op_type() && known.domain == node.domain();
  });
  return found == layer_operators.end() ? nullptr : &*found;
}

std::string equation_of(const onnx::NodeProto& node) {
  const onnx::AttributeProto* equation = find_attribute(node, "equation");
  return equation == nullptr ? std::string() : equation->s();
}

Result<task::Task> make_task(const LayerSums& sums, const task::OperandTypes& types) {
  if (const auto* convolution = std::get_if<task::Convolution>(&sums.definition))
    return task::make_convolution_task(*convolution, types);
  return task::make_matmul_task(std::get<task::MatrixMultiplication>(sums.definition), types);
}

/** Returns the number of elements of the task's result, including what is added to it. */
double result_elements(const LayerSums& sums, const task::Task& task) {
  std::vector<std::int64_t> shape = task.op->output.shape;
  for (std::size_t d = 0; d < sums.added.size() && d + 2 < shape.size(); ++d) shape[d + 2] += sums.added[d];
  return std::accumulate(shape.begin(), shape.end(), 1.0, [](double product, std::int64_t extent) {
    return product * static_cast<double>(extent);
  });
}

/** Checks that the inferred output agrees with the attributes. */
Status check_output(const onnx::NodeProto& node, const ModelShapes& shapes, const LayerSums& sums,
                    const task::Task& task) {
  if (node.output_size() == 0) return no_task("it has no result");
  const TensorFacts& output = shapes.of(node.output(0));
  if (!output.complete()) return {};
  const double inferred = std::accumulate(
      output.shape->begin(), output.shape->end(), 1.0,
      [](double product, std::int64_t extent) { return product * static_cast<double>(extent); });
  if (inferred == result_elements(sums, task)) return {};
  return no_task(fmt::format("its result should be {} according to its attributes, but is {}",
                             fmt::join(task.op->output.shape, "x"), fmt::join(*output.shape, "x")));
}

}  // namespace

std::unexpected<Error> no_task(std::string reason) {
  return fail(ErrorCode::InvalidArgument, std::move(reason));
}

Result<std::vector<std::int64_t>> input_shape(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                              const ModelShapes& shapes, int number) {
  if (number >= node.input_size() || node.input(number).empty())
    return no_task(fmt::format("it has no input {}", number + 1));
  const std::string& name = node.input(number);
  if (!shapes.of(name).complete())
    return no_task(fmt::format("the shape of its input {}, {}, is unknown: {}", number + 1,
                               base::quoted_line(name), shapes.why_unknown(graph, name)));
  const std::vector<std::int64_t>& shape = *shapes.of(name).shape;
  if (std::ranges::find(shape, 0) != shape.end())
    return no_task(fmt::format("its input {}, {}, is {}: it has no elements, and nothing is computed",
                               number + 1, base::quoted_line(name), fmt::join(shape, "x")));
  return shape;
}

bool may_be_layer(const onnx::NodeProto& node) {
  const LayerOperator* known = layer_operator(node);
  if (known == nullptr) return false;
  return known->sums != einsum_sums || einsum_contracts(equation_of(node));
}

bool is_quantised(const onnx::NodeProto& node) {
  const LayerOperator* found = layer_operator(node);
  return found != nullptr && found->quantised;
}

int weight_input(const onnx::NodeProto& node) {
  const LayerOperator* found = layer_operator(node);
  return found == nullptr ? 1 : found->weight_input;
}

Result<NodeLayer> layer_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                             const ModelShapes& shapes) {
  const LayerOperator* known = layer_operator(node);
  if (known == nullptr) return no_task("its operator is not supported as a task");
  LayerSums sums = TRY(known->sums(graph, node, shapes));
  const LayerTypes types = TRY(layer_types(graph, node, shapes, sums));
  task::Task task = TRY(make_task(sums, types.types));
  TRY(check_output(node, shapes, sums, task));
  return NodeLayer{std::move(task), std::move(sums), types.quantised};
}

double layer_flops(const onnx::GraphProto& graph, const onnx::NodeProto& node, const ModelShapes& shapes) {
  const LayerOperator* known = layer_operator(node);
  if (known == nullptr) return 0;
  if (const auto sums = known->sums(graph, node, shapes)) {
    const auto task = make_task(*sums, *task::parse_operand_types("f32"));
    return task ? task->flops() : 0;
  }
  if (known->sums != einsum_sums) return 0;
  std::vector<Extents> extents;
  std::vector<std::size_t> ranks;
  for (const std::string& input : node.input()) {
    if (!shapes.of(input).complete()) return 0;
    extents.push_back(*shapes.of(input).shape);
    ranks.push_back(extents.back().size());
  }
  const auto equation = parse_einsum(equation_of(node), ranks);
  return equation ? einsum_flops(*equation, extents) : 0;
}

std::optional<HiddenSums> hidden_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                      const ModelShapes& shapes) {
  if (node.domain() == body_domain) return std::nullopt;
  if (may_be_layer(node)) return HiddenSums{{}, layer_flops(graph, node, shapes)};
  if (layer_operator(node) != nullptr) return std::nullopt;
  return unread_sums(node, shapes);
}

}  // namespace kernelscape::onnx_reader
