#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/visible_text.h"
#include "core/onnx_reader/layer_sums.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

using Sizes = std::vector<std::int64_t>;

/** Returns a list of the expected length; each element of a missing list is `otherwise`. */
Result<Sizes> list_attribute(const onnx::NodeProto& node, std::string_view name, std::size_t count,
                             std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr || attribute->ints().empty()) return Sizes(count, otherwise);
  Sizes values(attribute->ints().begin(), attribute->ints().end());
  if (values.size() != count)
    return no_task(fmt::format("its attribute {} has {} numbers, not {}", name, values.size(), count));
  // Sums of a few numbers below this limit are exact.
  constexpr std::int64_t most = std::int64_t{1} << 40;
  for (const std::int64_t value : values)
    if (value > most || value < -most)
      return no_task(fmt::format("its attribute {} has the number {}", name, value));
  return values;
}

/** The properties of a convolution in ONNX's form. */
struct ConvolutionNode {
  const onnx::NodeProto& node;
  task::Convolution convolution;
  Sizes output_padding;  ///< of a transposed convolution
  std::string auto_pad;  ///< "NOTSET" if pads are given
  Sizes added = {};      ///< extents added to each dimension of a transposed result, beyond the reach of its
                         ///< sums

  std::size_t rank() const { return convolution.kernel.size(); }
  std::int64_t span(std::size_t d) const { return convolution.dilation[d] * (convolution.kernel[d] - 1) + 1; }

  /**
   * Adds the padding of the next dimension, `total` at both ends together; an odd element is added at the end
   * or at the beginning.
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
      // Output padding adds to the output what padding at the end removes.
      convolution.padding_end.push_back(pads[rank() + d] - output_padding[d]);
    }
    return {};
  }

  Status pad_automatically() {
    if (auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER")
      return no_task(fmt::format("its attribute auto_pad is {}", base::quoted_line(auto_pad)));
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

  /** Computes the padding of a transposed convolution that declares the length of its output. */
  Status pad_to_output(const Sizes& output) {
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::int64_t whole = (convolution.input_size[d] - 1) * convolution.stride[d] + span(d);
      share_padding(whole - output[d], auto_pad == "SAME_UPPER");
    }
    return {};
  }

  /** Applies negative padding by removing elements of the input; the remaining input is not padded. */
  Status crop_input() {
    for (std::size_t d = 0; d < rank(); ++d) {
      for (std::int64_t* padding : {&convolution.padding[d], &convolution.padding_end[d]}) {
        if (*padding >= 0) continue;
        if (convolution.input_size[d] + *padding < 1)
          return no_task(fmt::format("its negative pads remove the whole input of {} elements",
                                     convolution.input_size[d]));
        convolution.input_size[d] += std::exchange(*padding, 0);
      }
    }
    return {};
  }

  /**
   * Applies negative padding of a transposed convolution. It adds elements to the result that no sum reaches;
   * the task has none of them except for output padding.
   */
  void crop_result() {
    added.assign(rank(), 0);
    for (std::size_t d = 0; d < rank(); ++d) {
      const std::int64_t reached = std::max(convolution.stride[d], convolution.dilation[d]) - 1;
      if (convolution.padding[d] < 0) added[d] -= std::exchange(convolution.padding[d], 0);
      if (-convolution.padding_end[d] > reached) added[d] -= std::exchange(convolution.padding_end[d], 0);
    }
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

/** Checks that the products of the shape's extents cannot overflow. */
Status check_extents(const Sizes& shape) {
  for (const std::int64_t extent : shape)
    if (extent < 1 || extent >= task::count_limit / (1 << 13))
      return no_task(fmt::format("a tensor has the extent {}", extent));
  return {};
}

/**
 * Converts shapes with the channels last to those of a Conv. Weights are stored as in a Conv, or with their
 * channels last as well.
 */
void put_channels_first(const onnx::NodeProto& node, Sizes& data, Sizes& weight) {
  std::rotate(data.begin() + 1, data.end() - 1, data.end());
  const onnx::AttributeProto* kernel = find_attribute(node, "kernel_shape");
  const bool last = kernel != nullptr &&
                    std::ranges::equal(kernel->ints(), Sizes(weight.begin() + 1, weight.end() - 1)) &&
                    !std::ranges::equal(kernel->ints(), Sizes(weight.begin() + 2, weight.end()));
  if (last) std::rotate(weight.begin() + 1, weight.end() - 1, weight.end());
}

}  // namespace

bool has_channels_last(const onnx::NodeProto& node) {
  return node.op_type().starts_with("Nhwc") || whole_attribute(node, "channels_last", 0) != 0;
}

Result<LayerSums> convolution_sums(const onnx::GraphProto& graph, const onnx::NodeProto& node,
                                   const ModelShapes& shapes) {
  Sizes data = TRY(input_shape(graph, node, shapes, 0));
  Sizes weight = TRY(input_shape(graph, node, shapes, weight_input(node)));
  if (data.size() < 3 || data.size() > 5)
    return no_task(fmt::format("its input has {} dimensions, and 3 to 5 are supported", data.size()));
  if (weight.size() != data.size())
    return no_task(fmt::format("its input has {} dimensions and its weights {}", data.size(), weight.size()));
  TRY(check_extents(data));
  TRY(check_extents(weight));
  const bool channels_last = has_channels_last(node);
  if (channels_last) put_channels_first(node, data, weight);
  ConvolutionNode parts{node, {}, {}, {}};
  task::Convolution& c = parts.convolution;
  const std::size_t rank = data.size() - 2;
  c.transposed = node.op_type() == "ConvTranspose";
  c.batch = data[0];
  c.input_channels = data[1];
  c.groups = whole_attribute(node, "group", 1);
  if (c.groups < 1 || c.groups > task::count_limit) return no_task(fmt::format("its group is {}", c.groups));
  c.output_channels = weight[0];
  if (c.transposed && __builtin_mul_overflow(weight[1], c.groups, &c.output_channels))
    c.output_channels = task::count_limit;
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
  LayerSums sums{.second = weight_input(node), .free_axes = {{{0}, {c.transposed ? 1 : 0}}}};
  sums.reordered = channels_last;
  if (c.transposed) {
    parts.crop_result();
    sums.added = parts.added;
  } else {
    TRY(parts.crop_input());
  }
  sums.definition = std::move(parts.convolution);
  return sums;
}

}  // namespace kernelscape::onnx_reader
