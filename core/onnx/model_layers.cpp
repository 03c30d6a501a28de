#include "core/onnx/model_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/base/visible_text.h"
#include "core/onnx/model_graph.h"

namespace kernelscape {
namespace {

using Sizes = std::vector<std::int64_t>;

/** What a layer's sums are. */
enum class LayerSums : std::uint8_t { Convolution, Gemm, MatMul };

struct LayerOperator {
  std::string_view name;
  LayerSums sums;
  bool quantised = false;
  int weight_input = 1;
};

constexpr std::array<LayerOperator, 8> layer_operators{{{"Conv", LayerSums::Convolution},
                                                        {"ConvTranspose", LayerSums::Convolution},
                                                        {"Gemm", LayerSums::Gemm},
                                                        {"MatMul", LayerSums::MatMul},
                                                        {"QLinearConv", LayerSums::Convolution, true, 3},
                                                        {"ConvInteger", LayerSums::Convolution, true},
                                                        {"QLinearMatMul", LayerSums::MatMul, true, 3},
                                                        {"MatMulInteger", LayerSums::MatMul, true}}};

const LayerOperator* layer_operator(const onnx::NodeProto& node) {
  if (!node.domain().empty()) return nullptr;
  const auto found = std::ranges::find(layer_operators, node.op_type(), &LayerOperator::name);
  return found == layer_operators.end() ? nullptr : &*found;
}

std::unexpected<Error> no_task(std::string reason) {
  return fail(ErrorCode::InvalidArgument, std::move(reason));
}

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t whole_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? otherwise : attribute->i();
}

/** A list of as many numbers as are expected; a missing one is `otherwise` throughout. */
Result<Sizes> list_attribute(const onnx::NodeProto& node, std::string_view name, std::size_t count,
                             std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr || attribute->ints().empty()) return Sizes(count, otherwise);
  Sizes values(attribute->ints().begin(), attribute->ints().end());
  if (values.size() != count)
    return no_task(fmt::format("its attribute {} has {} numbers, not {}", name, values.size(), count));
  // Below it sums of a few of them are exact.
  constexpr std::int64_t most = std::int64_t{1} << 40;
  for (const std::int64_t value : values)
    if (value > most || value < -most)
      return no_task(fmt::format("its attribute {} has the number {}", name, value));
  return values;
}

/** Of an input whose shape is known. */
Result<Sizes> input_shape(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                          const ModelShapes& shapes, int number) {
  if (number >= node.input_size() || node.input(number).empty())
    return no_task(fmt::format("it has no input {}", number + 1));
  const std::string& name = node.input(number);
  if (shapes.of(name).complete()) return *shapes.of(name).shape;
  return no_task(fmt::format("the shape of its input {}, {}, is not known: {}", number + 1, quoted_line(name),
                             shapes.why_unknown(graph, name)));
}

std::string type_name(int number) {
  if (number == 0) return "an unknown type";
  return onnx::TensorProto_DataType_IsValid(number)
             ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(number))
             : fmt::format("type {}", number);
}

/** Of bytes: which of the four mixtures it is decides what the sums are. */
Result<OperandTypes> quantised_types(int data, int weight) {
  if (data == onnx::TensorProto::UINT8 && weight == onnx::TensorProto::INT8) return parse_operand_types("i8");
  return no_task(fmt::format("tasks of bytes have UINT8 data and INT8 weights, and it has {} and {}",
                             type_name(data), type_name(weight)));
}

Result<OperandTypes> types_of(const onnx::NodeProto& node, const ModelShapes& shapes) {
  const int first = shapes.of(node.input(0)).type;
  const int second = shapes.of(node.input(weight_input(node))).type;
  if (is_quantised(node)) return quantised_types(first, second);
  // One that is not told is the other's: ONNX knows no mixture here.
  const int type = first == 0 ? second : first;
  switch (second == 0 || first == 0 || first == second ? type : 0) {
    case onnx::TensorProto::FLOAT:
      return parse_operand_types("f32");
    case onnx::TensorProto::DOUBLE:
      return parse_operand_types("f64");
    case onnx::TensorProto::FLOAT16:
      return parse_operand_types("f16");
    case onnx::TensorProto::BFLOAT16:
      return parse_operand_types("bf16");
    default:
      break;
  }
  return no_task(fmt::format("tasks of {} and {} are not supported", type_name(first), type_name(second)));
}

/** What a convolution is made of, as ONNX has it. */
struct ConvolutionNode {
  const onnx::NodeProto& node;
  Convolution convolution;
  Sizes output_padding;  ///< of a transposed one
  std::string auto_pad;  ///< "NOTSET" where pads are given

  std::size_t rank() const { return convolution.kernel.size(); }
  std::int64_t span(std::size_t d) const { return convolution.dilation[d] * (convolution.kernel[d] - 1) + 1; }

  /** Of the next dimension both ends, so much in all; the odd one is after the last element, or before the
   * first.
   */
  void share_padding(std::int64_t total, bool more_at_end) {
    const std::int64_t smaller = std::max<std::int64_t>(total, 0) / 2;
    const std::int64_t larger = total - smaller;
    convolution.padding.push_back(more_at_end ? smaller : larger);
    convolution.padding_end.push_back(more_at_end ? larger : smaller);
  }

  Status pad_explicitly() {
    const Sizes pads = TRY(list_attribute(node, "pads", 2 * rank(), 0));
    for (std::size_t d = 0; d < rank(); ++d) {
      convolution.padding.push_back(pads[d]);
      // Output padding adds to the output what padding at its end takes away.
      convolution.padding_end.push_back(pads[rank() + d] - output_padding[d]);
    }
    return {};
  }

  Status pad_automatically() {
    if (auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER")
      return no_task(fmt::format("its attribute auto_pad is {}", quoted_line(auto_pad)));
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::int64_t stride = convolution.stride[d];
      const std::int64_t input = convolution.input_size[d];
      if (stride < 1) return no_task(fmt::format("its stride is {}", stride));
      const std::int64_t total =
          convolution.transposed
              ? std::max<std::int64_t>((input - 1) * stride + span(d) - input * stride, 0)
              : std::max<std::int64_t>(((input + stride - 1) / stride - 1) * stride + span(d) - input, 0);
      share_padding(total, auto_pad == "SAME_UPPER");
    }
    return {};
  }

  /** Where a transposed one says how long its output is, its padding follows. */
  Status pad_to_output(const Sizes& output) {
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::int64_t whole = (convolution.input_size[d] - 1) * convolution.stride[d] + span(d);
      share_padding(whole - output[d], auto_pad == "SAME_UPPER");
    }
    return {};
  }

  Status pad() {
    if (convolution.transposed) {
      const Sizes output = TRY(list_attribute(node, "output_shape", rank(), 0));
      if (std::ranges::any_of(output, [](std::int64_t extent) { return extent != 0; }))
        return pad_to_output(output);
    }
    if (auto_pad.empty() || auto_pad == "NOTSET") return pad_explicitly();
    if (auto_pad != "VALID") return pad_automatically();
    for (std::size_t d = 0; d < rank(); ++d) {
      convolution.padding.push_back(0);
      convolution.padding_end.push_back(-output_padding[d]);
    }
    return {};
  }
};

/** Whether the shape's extents may be multiplied without care. */
Status check_extents(const Sizes& shape) {
  for (const std::int64_t extent : shape)
    if (extent < 1 || extent >= count_limit / (1 << 13))
      return no_task(fmt::format("a tensor has the extent {}", extent));
  return {};
}

Result<Task> convolution_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                              const ModelShapes& shapes) {
  const Sizes data = TRY(input_shape(graph, node, shapes, 0));
  const Sizes weight = TRY(input_shape(graph, node, shapes, weight_input(node)));
  if (data.size() < 3 || data.size() > 5)
    return no_task(fmt::format("its input has {} dimensions, and 3 to 5 are supported", data.size()));
  if (weight.size() != data.size())
    return no_task(fmt::format("its input has {} dimensions and its weights {}", data.size(), weight.size()));
  TRY(check_extents(data));
  TRY(check_extents(weight));
  ConvolutionNode parts{node, {}, {}, {}};
  Convolution& c = parts.convolution;
  const std::size_t rank = data.size() - 2;
  c.transposed = node.op_type() == "ConvTranspose";
  c.batch = data[0];
  c.input_channels = data[1];
  c.groups = whole_attribute(node, "group", 1);
  if (c.groups < 1 || c.groups > count_limit) return no_task(fmt::format("its group is {}", c.groups));
  c.output_channels = weight[0];
  if (c.transposed && __builtin_mul_overflow(weight[1], c.groups, &c.output_channels))
    c.output_channels = count_limit;
  c.input_size.assign(data.begin() + 2, data.end());
  c.kernel.assign(weight.begin() + 2, weight.end());
  c.stride = TRY(list_attribute(node, "strides", rank, 1));
  c.dilation = TRY(list_attribute(node, "dilations", rank, 1));
  parts.output_padding = c.transposed ? TRY(list_attribute(node, "output_padding", rank, 0)) : Sizes(rank, 0);
  if (const onnx::AttributeProto* attribute = find_attribute(node, "auto_pad"))
    parts.auto_pad = attribute->s();
  const Sizes said = TRY(list_attribute(node, "kernel_shape", rank, 0));
  if (said != Sizes(rank, 0) && said != c.kernel)
    return no_task(fmt::format("its kernel_shape is {}, and its weights are for {}", fmt::join(said, "x"),
                               fmt::join(c.kernel, "x")));
  const std::int64_t expected = c.transposed ? c.input_channels : c.input_channels / c.groups;
  if (const std::int64_t channels = weight[c.transposed ? 0 : 1]; channels != expected)
    return no_task(
        fmt::format("its weights are for {} channels, and its input has {} of a group", channels, expected));
  TRY(parts.pad());
  return make_convolution_task(c, TRY(types_of(node, shapes)));
}

Result<Task> gemm_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                       const ModelShapes& shapes) {
  const Sizes a = TRY(input_shape(graph, node, shapes, 0));
  const Sizes b = TRY(input_shape(graph, node, shapes, 1));
  if (a.size() != 2 || b.size() != 2)
    return no_task(fmt::format("its operands have {} and {} dimensions, not 2", a.size(), b.size()));
  MatrixMultiplication m;
  m.transpose_a = whole_attribute(node, "transA", 0) != 0;
  m.transpose_b = whole_attribute(node, "transB", 0) != 0;
  m.m = a[m.transpose_a ? 1 : 0];
  m.k = a[m.transpose_a ? 0 : 1];
  m.n = b[m.transpose_b ? 0 : 1];
  if (const std::int64_t k = b[m.transpose_b ? 1 : 0]; k != m.k)
    return no_task(fmt::format("its operands don't fit: {} and {} are multiplied", m.k, k));
  return make_matmul_task(m, TRY(types_of(node, shapes)));
}

/** The product of all but the last two extents; count_limit where it is not below. */
std::int64_t matrices(const Sizes& shape) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    if (__builtin_mul_overflow(count, shape[d], &count) || count > count_limit) return count_limit;
  return count;
}

Result<Task> matmul_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                         const ModelShapes& shapes) {
  Sizes a = TRY(input_shape(graph, node, shapes, 0));
  Sizes b = TRY(input_shape(graph, node, shapes, weight_input(node)));
  if (a.empty() || b.empty()) return no_task("an operand is a single number");
  // A vector is a row, or a column.
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  MatrixMultiplication m;
  m.m = a[a.size() - 2];
  m.k = a.back();
  m.n = b.back();
  if (b[b.size() - 2] != m.k)
    return no_task(fmt::format("its operands don't fit: {} and {} are multiplied", m.k, b[b.size() - 2]));
  const std::int64_t left = matrices(a);
  const std::int64_t right = matrices(b);
  const std::size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  if (right == 1) {
    // The same weights for all matrices: their rows are those of one.
    if (__builtin_mul_overflow(m.m, left, &m.m)) m.m = count_limit;
  } else if (std::equal(a.begin(), a.end() - 2, b.begin())) {
    m.batched = true;
    m.batch = left;
  } else {
    return no_task("its batches differ: one operand is repeated for many matrices of the other");
  }
  return make_matmul_task(m, TRY(types_of(node, shapes)));
}

/** The inference and the attributes have to say the same. */
Status check_output(const onnx::NodeProto& node, const ModelShapes& shapes, const Task& task) {
  if (node.output_size() == 0) return no_task("it gives no result");
  const TensorFacts& output = shapes.of(node.output(0));
  if (!output.complete()) return {};
  const auto elements = [](const Sizes& shape) {
    return std::accumulate(shape.begin(), shape.end(), 1.0, [](double product, std::int64_t extent) {
      return product * static_cast<double>(extent);
    });
  };
  if (elements(*output.shape) == elements(task.op->output.shape)) return {};
  return no_task(fmt::format("its result should be {} by its attributes, and is {}",
                             fmt::join(task.op->output.shape, "x"), fmt::join(*output.shape, "x")));
}

}  // namespace

bool may_be_layer(const onnx::NodeProto& node) { return layer_operator(node) != nullptr; }

bool is_quantised(const onnx::NodeProto& node) {
  const LayerOperator* found = layer_operator(node);
  return found != nullptr && found->quantised;
}

int weight_input(const onnx::NodeProto& node) {
  const LayerOperator* found = layer_operator(node);
  return found == nullptr ? 1 : found->weight_input;
}

Result<Task> layer_task(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                        const ModelShapes& shapes) {
  const LayerOperator* known = layer_operator(node);
  if (known == nullptr) return no_task("its operator is none that tasks are made of");
  Task task = TRY(known->sums == LayerSums::MatMul ? matmul_task(graph, node, shapes)
                  : known->sums == LayerSums::Gemm ? gemm_task(graph, node, shapes)
                                                   : convolution_task(graph, node, shapes));
  TRY(check_output(node, shapes, task));
  return task;
}

}  // namespace kernelscape
