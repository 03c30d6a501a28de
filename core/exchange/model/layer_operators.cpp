// Convolutions and multiplications, which kernels compute.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "core/exchange/model/arranged_bytes.h"
#include "core/exchange/model/layer_plan.h"
#include "core/exchange/model/operators.h"
#include "core/task/winograd.h"

namespace kernelscape::exchange {
namespace {

/** Returns kernels of 3x3 transformed for output tiles, a few at a time: doubles of all would take much
 * memory. */
std::vector<float> transformed_weights(int tile, std::span<const std::byte> bytes) {
  constexpr std::size_t count = std::size_t{9} * 1024;
  const std::size_t elements = bytes.size() / sizeof(float);
  std::vector<float> all;
  const auto width = static_cast<std::size_t>(tile + task::winograd_kernel - 1);
  all.reserve(elements / 9 * width * width);
  std::vector<float> plain(count);
  for (std::size_t i = 0; i < elements; i += count) {
    plain.resize(std::min(count, elements - i));
    std::memcpy(plain.data(), bytes.data() + i * sizeof(float), plain.size() * sizeof(float));
    const std::vector<double> transformed =
        task::winograd_weights(tile, std::vector<double>(plain.begin(), plain.end()));
    all.insert(all.end(), transformed.begin(), transformed.end());
  }
  return all;
}

/** Returns the elements of a constant in the order of a kernel's layout, transformed if it is Winograd's. */
Result<std::vector<std::byte>> packed_weights(const graph::Value& value, const loop_nest::Layout& layout) {
  const auto plain = TRY(graph::constant_bytes(value));
  if (layout.winograd_tile == 0) return arranged_bytes(*plain, layout, sizeof(float));
  const std::vector<float> transformed = transformed_weights(layout.winograd_tile, *plain);
  return arranged_bytes(std::as_bytes(std::span(transformed)), layout, sizeof(float));
}

class LayerWriter {
 public:
  LayerWriter(ModelSteps& steps, const graph::Node& node, const PlannedLayer& planned)
      : steps_(steps), node_(node), layer_(planned.layer), kernel_(planned.kernel), fused_(planned.fused) {}

  Status run() {
    const ExportedKernel& kernel = steps_.kernels().kernels()[kernel_];
    const std::vector<codegen::KernelArgument>& arguments = kernel.source.arguments;
    std::vector<ValueForm> inputs;
    for (std::size_t i = 0; i < 2; ++i) inputs.push_back(TRY(operand(i, arguments[i].layout)));
    for (std::size_t i = 3; i < arguments.size(); ++i)
      inputs.push_back(TRY(value_in(layer_.epilogue_operands[i - 3], arguments[i].layout)));
    const std::size_t output = node_.outputs[0];
    const loop_nest::Layout& own = arguments[2].layout;
    const std::optional<loop_nest::Layout> given = reshaped(own, steps_.value(output).shape);
    // A reader of the same layout ignores the gaps, in which a kernel stores what it computes from zeros.
    const bool kept =
        given && (!has_gaps(*given) || (is_preferred(*given) && nests(*given, row_major_result())));
    const ValueForm result = kept ? steps_.make_form(output, *given)
                                  : steps_.scratch(graph::ElementType::F32, given ? *given : own);
    add_call(kernel, inputs, result);
    if (!kept) return given ? write_without_gaps(result) : write_in_own_shape(result);
    return needs_epilogue(node_, fused_) ? write_epilogue(steps_, node_, fused_, result, result) : Status{};
  }

 private:
  /** Appends the step that calls the kernel. @param inputs its arguments without the result */
  void add_call(const ExportedKernel& kernel, const std::vector<ValueForm>& inputs, const ValueForm& result) {
    base::CSourceText call = base::write<base::CSource>(
        "  {}(part, parts, {}, {}, {}", base::CSource::name(kernel.name), steps_.address(inputs[0]),
        steps_.address(inputs[1]), steps_.address(result, true));
    for (std::size_t i = 2; i < inputs.size(); ++i)
      call += base::write<base::CSource>(", {}", steps_.address(inputs[i]));
    steps_.add_layer(fmt::format("{}, {}", about_node(node_), kernel.measured.task.text),
                     call + base::Literal(");\n"), layer_.task.text);
  }

  loop_nest::Layout row_major_result() const {
    return loop_nest::row_major("plain", steps_.value(node_.outputs[0]).shape);
  }

  bool is_preferred(const loop_nest::Layout& layout) const {
    const std::optional<loop_nest::Layout>& preferred = steps_.preferred(node_.outputs[0]);
    return preferred && same_order(*preferred, layout);
  }

  /** Returns true if one loop can copy between the layouts. */
  static bool nests(const loop_nest::Layout& one, const loop_nest::Layout& other) {
    return strided_nests(one.shape, std::vector<TensorView>{{.layout = one}, {.layout = other}}).has_value();
  }

  /** Returns the layout in which readers want a result that the kernel writes with gaps. */
  loop_nest::Layout layout_without_gaps(const loop_nest::Layout& result) const {
    const std::optional<loop_nest::Layout>& preferred = steps_.preferred(node_.outputs[0]);
    return preferred && !has_gaps(*preferred) && nests(*preferred, result) ? *preferred : row_major_result();
  }

  /** Writes the result of a kernel whose own result has gaps. */
  Status write_without_gaps(const ValueForm& result) {
    const std::size_t output = node_.outputs[0];
    const ValueForm to = steps_.make_form(output, layout_without_gaps(result.layout));
    if (needs_epilogue(node_, fused_)) return write_epilogue(steps_, node_, fused_, result, to);
    return steps_.add_conversion(about_node(node_) + ", result", steps_.value(output).shape, to, result);
  }

  /** Writes the result of groups whose channels are no whole blocks: only the kernel's shape has them apart.
   */
  Status write_in_own_shape(const ValueForm& result) {
    if (const std::optional<std::size_t> view = only_view()) {
      ValueForm form = result;
      if (const auto layout = reshaped(result.layout, steps_.value(*view).shape)) {
        form.layout = *layout;
        steps_.add_form(*view, form);
        return {};
      }
    }
    const ValueForm plain = steps_.make_form(node_.outputs[0], row_major_result());
    ValueForm to = plain;
    to.layout = loop_nest::row_major("plain", result.layout.shape);
    TRY(steps_.add_conversion(about_node(node_) + ", result", result.layout.shape, to, result));
    return needs_epilogue(node_, fused_) ? write_epilogue(steps_, node_, fused_, plain, plain) : Status{};
  }

  /** Returns the value that a Reshape of the result has, if nothing else reads the result; else nullopt. */
  std::optional<std::size_t> only_view() const {
    const std::size_t output = node_.outputs[0];
    const std::vector<std::size_t>& outputs = steps_.graph().outputs;
    if (needs_epilogue(node_, fused_) || std::ranges::find(outputs, output) != outputs.end())
      return std::nullopt;
    std::optional<std::size_t> view;
    for (const graph::Node& reader : steps_.graph().nodes) {
      if (std::ranges::find(reader.inputs, output) == reader.inputs.end()) continue;
      if (view || reader.operation != "Reshape" || !reader.epilogue.empty()) return std::nullopt;
      view = reader.outputs[0];
    }
    return view;
  }

  /** Returns an operand in its kernel's layout. */
  Result<ValueForm> operand(std::size_t i, const loop_nest::Layout& wanted) {
    const std::size_t number = layer_.operands[i];
    return layer_.broadcast[i].empty() ? value_in(number, wanted) : repeated_operand(i, wanted);
  }

  /** Returns a value in a layout of as many elements; a constant is packed. */
  Result<ValueForm> value_in(std::size_t number, const loop_nest::Layout& wanted) {
    const graph::Value& value = steps_.value(number);
    if (value.constant) return steps_.add_weights(value.type, wanted, TRY(packed_weights(value, wanted)));
    const std::optional<loop_nest::Layout> layout = reshaped(wanted, value.shape);
    if (layout && nests(*layout, loop_nest::row_major("plain", value.shape)))
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
  const graph::LayerTask& layer_;
  std::size_t kernel_;
  std::size_t fused_;
};

Status write_layer(ModelSteps& steps, const graph::Node& node) {
  return LayerWriter(steps, node, *steps.planned(node)).run();
}

}  // namespace

WriteOperator layer_operator(std::string_view operation) {
  const bool layer =
      operation == "Conv" || operation == "ConvTranspose" || operation == "Gemm" || operation == "MatMul";
  return layer ? write_layer : nullptr;
}

}  // namespace kernelscape::exchange
