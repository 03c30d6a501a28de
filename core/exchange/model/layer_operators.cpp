// Convolutions and multiplications, which kernels compute.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/exchange/model/operators.h"
#include "core/graph/layer_task.h"
#include "core/task/winograd.h"

namespace kernelscape::exchange {
namespace {

/** Returns the elements of a constant in the order of a kernel's layout, transformed if it is Winograd's. */
Result<std::vector<std::byte>> packed_weights(const graph::Value& value, const loop_nest::Layout& layout) {
  std::vector<double> plain = TRY(graph::constant_doubles(value));
  if (layout.winograd_tile > 0) plain = task::winograd_weights(layout.winograd_tile, plain);
  std::vector<float> packed(static_cast<std::size_t>(layout.physical_count()), 0.0F);
  const std::vector<std::int64_t> offsets = loop_nest::physical_offsets(layout);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    packed[static_cast<std::size_t>(offsets[i])] = static_cast<float>(plain[i]);
  std::vector<std::byte> bytes(packed.size() * sizeof(float));
  std::memcpy(bytes.data(), packed.data(), bytes.size());
  return bytes;
}

class LayerWriter {
 public:
  LayerWriter(ModelSteps& steps, const graph::Node& node, graph::LayerTask layer, std::size_t kernel)
      : steps_(steps), node_(node), layer_(std::move(layer)), kernel_(kernel) {}

  Status run() {
    const ExportedKernel& kernel = steps_.kernels().kernels()[kernel_];
    const ValueForm first = TRY(operand(0, kernel.source.arguments[0].layout));
    const ValueForm second = TRY(operand(1, kernel.source.arguments[1].layout));
    const std::size_t output = node_.outputs[0];
    const graph::Shape& shape = steps_.value(output).shape;
    const std::optional<loop_nest::Layout> given = reshaped(kernel.source.arguments[2].layout, shape);
    if (!given) return unsupported(node_, "its kernel's result is in no order of the model's shape");
    const bool kept = !has_gaps(*given);
    const ValueForm result =
        kept ? steps_.make_form(output, *given) : steps_.scratch(graph::ElementType::F32, *given);
    const std::string name = kernel.name;
    steps_.add_step(fmt::format("{}, {}", about_node(node_), layer_.task.text),
                    base::write<base::CSource>("  {}(part, parts, {}, {}, {});\n", base::CSource::name(name),
                                               steps_.address(first), steps_.address(second),
                                               steps_.address(result, true)));
    if (kept)
      return needs_epilogue(node_, layer_.epilogue_steps)
                 ? write_epilogue(steps_, node_, layer_.epilogue_steps, result, result)
                 : Status{};
    return write_without_gaps(result, kernel.source.arguments[2].layout);
  }

 private:
  /** Writes the row-major result of a kernel whose own result has gaps. @param own layout in the kernel's
   * shape */
  Status write_without_gaps(const ValueForm& result, const loop_nest::Layout& own) {
    const std::size_t output = node_.outputs[0];
    const graph::Shape& shape = steps_.value(output).shape;
    ValueForm plain = steps_.make_form(output, loop_nest::row_major("plain", shape));
    const std::vector<TensorView> views{{.layout = plain.layout}, {.layout = result.layout}};
    if (!strided_nests(shape, views)) {
      // The channels of a group are no whole blocks: only the kernel's shape has them apart.
      ValueForm from = result;
      ValueForm to = plain;
      from.layout = own;
      to.layout = loop_nest::row_major("plain", own.shape);
      TRY(steps_.add_conversion(about_node(node_) + ", result", own.shape, to, from));
      return needs_epilogue(node_, layer_.epilogue_steps)
                 ? write_epilogue(steps_, node_, layer_.epilogue_steps, plain, plain)
                 : Status{};
    }
    if (needs_epilogue(node_, layer_.epilogue_steps))
      return write_epilogue(steps_, node_, layer_.epilogue_steps, result, plain);
    return steps_.add_conversion(about_node(node_) + ", result", shape, plain, result);
  }

  /** Returns an operand in its kernel's layout. */
  Result<ValueForm> operand(std::size_t i, const loop_nest::Layout& wanted) {
    const std::size_t number = layer_.operands[i];
    const graph::Value& value = steps_.value(number);
    if (!layer_.broadcast[i].empty()) return repeated_operand(i, wanted);
    if (value.constant) return steps_.add_weights(value.type, wanted, TRY(packed_weights(value, wanted)));
    if (const std::optional<loop_nest::Layout> layout = reshaped(wanted, value.shape))
      return steps_.form_in(number, *layout);
    ValueForm plain = TRY(steps_.plain_form(number));
    plain.layout = loop_nest::row_major("plain", wanted.shape);
    return converted(plain, wanted);
  }

  /** Returns an operand whose matrices are repeated as the task has them. */
  Result<ValueForm> repeated_operand(std::size_t i, const loop_nest::Layout& wanted) {
    const ValueForm plain = TRY(steps_.plain_form(layer_.operands[i]));
    const graph::Shape& shape = layer_.broadcast[i];
    ValueForm repeated = steps_.scratch(plain.type, loop_nest::row_major("plain", shape));
    TRY(steps_.add_copy(about_node(node_) + ", operand repeated", shape,
                        whole_operand(repeated, shape.size()), whole_operand(plain, shape.size())));
    repeated.layout = loop_nest::row_major("plain", wanted.shape);
    return converted(repeated, wanted);
  }

  Result<ValueForm> converted(const ValueForm& from, const loop_nest::Layout& wanted) {
    if (wanted.winograd_tile > 0)
      return unsupported(
          node_,
          "its kernel transforms the weights before the model runs (Winograd's algorithm), and "
          "they are computed by the model");
    if (same_order(from.layout, wanted)) return from;
    const ValueForm to = steps_.scratch(from.type, wanted);
    TRY(steps_.add_conversion(about_node(node_) + ", operand packed", wanted.shape, to, from));
    return to;
  }

  ModelSteps& steps_;
  const graph::Node& node_;
  graph::LayerTask layer_;
  std::size_t kernel_;
};

Status write_layer(ModelSteps& steps, const graph::Node& node) {
  graph::LayerTask layer = TRY(graph::layer_task(steps.graph(), node));
  const Result<std::size_t> kernel = steps.kernels().kernel_of(layer.task);
  if (!kernel) return unsupported(node, describe(kernel.error()));
  return LayerWriter(steps, node, std::move(layer), *kernel).run();
}

}  // namespace

WriteOperator layer_operator(std::string_view operation) {
  const bool layer =
      operation == "Conv" || operation == "ConvTranspose" || operation == "Gemm" || operation == "MatMul";
  return layer ? write_layer : nullptr;
}

}  // namespace kernelscape::exchange
