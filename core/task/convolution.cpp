#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/int128.h"
#include "core/task/checks.h"
#include "core/task/task.h"

namespace kernelscape::task {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::array axis_names = {"z", "y", "x"};
constexpr std::array reduction_names = {"rz", "ry", "rx"};
constexpr std::array dimension_names = {"depth", "height", "width"};

/**
 * Returns the name of a dimension. Names count from the innermost dimension: x for one dimension, y and x for
 * two.
 */
const char* name_of(const std::array<const char*, 3>& names, std::size_t dimensions, std::size_t dimension) {
  return names.at(names.size() - dimensions + dimension);
}

base::int128 kernel_span(const Convolution& c, std::size_t d) {
  return static_cast<base::int128>(c.dilation[d]) * (c.kernel[d] - 1) + 1;
}

base::int128 output_extent(const Convolution& c, std::size_t d) {
  const base::int128 padding = static_cast<base::int128>(c.padding[d]) + c.end_padding()[d];
  if (c.transposed)
    return static_cast<base::int128>(c.input_size[d] - 1) * c.stride[d] - padding + kernel_span(c, d);
  return (c.input_size[d] + padding - kernel_span(c, d)) / c.stride[d] + 1;
}

/** Returns "1", or "0:1" if the ends differ. */
std::string padding_text(const Convolution& c, std::size_t d) {
  const std::int64_t end = c.end_padding()[d];
  return end == c.padding[d] ? fmt::format("{}", end) : fmt::format("{}:{}", c.padding[d], end);
}

Status check_channels(std::string_view kind, const Convolution& c) {
  for (const auto& [name, value] : {std::pair{"the batch", c.batch},
                                    {"the number of input channels", c.input_channels},
                                    {"the number of output channels", c.output_channels},
                                    {"groups", c.groups}}) {
    TRY(check_number(kind, name, value));
  }
  for (const auto& [name, value] : {std::pair{"input", c.input_channels}, {"output", c.output_channels}}) {
    if (value % c.groups == 0) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: groups={} does not divide the {} {} channels", kind, c.groups, value, name),
                "groups must divide the input and the output channels");
  }
  return {};
}

Status check_numbers(std::string_view kind, const Convolution& c) {
  const std::size_t dimensions = c.input_size.size();
  struct Numbers {
    const char* name;
    const Sizes& values;
    std::int64_t least;
  };
  for (const auto& [name, values, least] : {Numbers{"input", c.input_size, 1},
                                            {"kernel", c.kernel, 1},
                                            {"stride", c.stride, 1},
                                            {"pad", c.padding, 0},
                                            {"end pad", c.end_padding(), c.transposed ? -count_limit : 0},
                                            {"dilation", c.dilation, 1}}) {
    if (values.size() != dimensions) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} has {} numbers", kind, name, values.size()),
                  fmt::format("it must have {}, one per spatial dimension", dimensions));
    }
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::string full_name = fmt::format("{} {}", name, name_of(dimension_names, dimensions, d));
      TRY(check_number(kind, full_name, values[d], least));
    }
  }
  return {};
}

Status check_fit(std::string_view kind, const Convolution& c) {
  for (std::size_t d = 0; d < c.input_size.size(); ++d) {
    const char* dimension = name_of(dimension_names, c.input_size.size(), d);
    const base::int128 padded =
        static_cast<base::int128>(c.input_size[d]) + c.padding[d] + c.end_padding()[d];
    if (!c.transposed && kernel_span(c, d) > padded) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{}: the kernel of {} {} with dilation {} spans {}, more than the padded input {} {}",
                      kind, dimension, c.kernel[d], c.dilation[d],
                      base::to_string(static_cast<base::uint128>(kernel_span(c, d))), dimension,
                      base::to_string(static_cast<base::uint128>(padded))),
          "use a smaller kernel or dilation, more padding or a larger input");
    }
    const base::int128 output = output_extent(c, d);
    if (output < 1) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: pad={} leaves no output {}", kind, padding_text(c, d), dimension),
                  "use less padding");
    }
    // Output beyond the reach of the last element is limited to less than a stride, as in PyTorch and ONNX.
    if (const std::int64_t beyond = -std::min<std::int64_t>(0, c.end_padding()[d]);
        beyond > 0 && beyond >= std::max(c.stride[d], c.dilation[d])) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: pad={} adds {} to the output {}, which no element would reach", kind,
                              padding_text(c, d), beyond, dimension),
                  "it must be less than the stride or the dilation");
    }
    if (output >= count_limit) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: the output {} is 2^53 or more", kind, dimension), "use smaller extents");
    }
  }
  return {};
}

Status check_convolution(std::string_view kind, const Convolution& c) {
  if (c.input_size.empty() || c.input_size.size() > axis_names.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a convolution over {} dimensions", c.input_size.size()),
                "1, 2 and 3 spatial dimensions are supported");
  }
  TRY(check_channels(kind, c));
  TRY(check_numbers(kind, c));
  return check_fit(kind, c);
}

/** The axes of a convolution and the index of each; -1 if the axis is missing. */
struct ConvolutionAxes {
  std::vector<TensorAxis> axes;
  int batch = -1;
  int group = -1;
  int filter = -1;
  int channel = -1;
  std::vector<int> position;
  std::vector<int> tap;

  int add(const char* name, std::int64_t extent, bool reduction) {
    axes.push_back({name, extent, reduction});
    return static_cast<int>(axes.size()) - 1;
  }
};

ConvolutionAxes make_axes(const Convolution& c) {
  const std::size_t dimensions = c.input_size.size();
  const Sizes output = c.output_size();
  const bool one_filter_per_channel = c.depthwise() && c.output_channels == c.groups;
  ConvolutionAxes result;
  result.batch = result.add("n", c.batch, false);
  if (c.groups > 1 && !one_filter_per_channel) result.group = result.add("g", c.groups, false);
  result.filter = result.add("f", result.group < 0 ? c.output_channels : c.output_channels / c.groups, false);
  for (std::size_t d = 0; d < dimensions; ++d)
    result.position.push_back(result.add(name_of(axis_names, dimensions, d), output[d], false));
  if (!c.depthwise()) result.channel = result.add("rc", c.input_channels / c.groups, true);
  for (std::size_t d = 0; d < dimensions; ++d)
    result.tap.push_back(result.add(name_of(reduction_names, dimensions, d), c.kernel[d], true));
  return result;
}

/** Indices into the channels of data, the two channel dimensions of weight, and the channels of output. */
struct ChannelIndices {
  AccessIndex data;
  AccessIndex weight_outer;
  AccessIndex weight_inner;
  AccessIndex output;
};

ChannelIndices make_channel_indices(const Convolution& c, const ConvolutionAxes& axes) {
  const auto index = [&](std::initializer_list<std::pair<int, std::int64_t>> terms) {
    AccessIndex result = make_index(axes.axes.size(), {});
    for (const auto& [axis, coefficient] : terms) {
      if (axis >= 0) result.coefficients[static_cast<std::size_t>(axis)] = coefficient;
    }
    return result;
  };
  // A depthwise convolution with one filter per channel has no group axis: the filter is the channel.
  const bool filter_is_channel = c.depthwise() && axes.group < 0;
  const std::int64_t channels_per_group = c.input_channels / c.groups;
  const std::int64_t filters_per_group = c.output_channels / c.groups;
  const AccessIndex data = filter_is_channel ? index({{axes.filter, 1}})
                                             : index({{axes.group, channels_per_group}, {axes.channel, 1}});
  const AccessIndex output = index({{axes.group, filters_per_group}, {axes.filter, 1}});
  if (!c.transposed) return {data, output, index({{axes.channel, 1}}), output};
  return {data, data, filter_is_channel ? index({}) : index({{axes.filter, 1}}), output};
}

TensorOperator make_operator(const Convolution& c, const OperandTypes& types) {
  const ConvolutionAxes layout = make_axes(c);
  const std::size_t count = layout.axes.size();
  const ChannelIndices channels = make_channel_indices(c, layout);
  const AccessIndex batch = make_index(count, {{static_cast<std::size_t>(layout.batch), 1}});

  TensorAccess data{"data", types.activation, {c.batch, c.input_channels}, {batch, channels.data}};
  TensorAccess weight{"weight",
                      types.weight,
                      c.transposed ? Sizes{c.input_channels, c.output_channels / c.groups}
                                   : Sizes{c.output_channels, c.input_channels / c.groups},
                      {channels.weight_outer, channels.weight_inner}};
  TensorAccess output{"output", types.output, {c.batch, c.output_channels}, {batch, channels.output}};
  const Sizes output_size = c.output_size();
  for (std::size_t d = 0; d < c.input_size.size(); ++d) {
    const auto position = static_cast<std::size_t>(layout.position[d]);
    const auto tap = static_cast<std::size_t>(layout.tap[d]);
    data.shape.push_back(c.input_size[d]);
    data.indices.push_back(
        c.transposed ? make_index(count, {{position, 1}, {tap, -c.dilation[d]}}, c.padding[d], c.stride[d])
                     : make_index(count, {{position, c.stride[d]}, {tap, c.dilation[d]}}, -c.padding[d]));
    weight.shape.push_back(c.kernel[d]);
    weight.indices.push_back(make_index(count, {{tap, 1}}));
    output.shape.push_back(output_size[d]);
    output.indices.push_back(make_index(count, {{position, 1}}));
  }
  return {layout.axes, {std::move(data), std::move(weight)}, std::move(output), types.accumulator};
}

/** Returns "1", or "1x0:1" if the dimensions differ. */
std::string paddings_text(const Convolution& c) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < c.padding.size(); ++d) parts.push_back(padding_text(c, d));
  const bool uniform =
      std::ranges::all_of(parts, [&](const std::string& part) { return part == parts.front(); });
  return uniform ? parts.front() : fmt::format("{}", fmt::join(parts, "x"));
}

/** Returns "2", or "2x1" if the dimensions differ. */
std::string attribute_text(const Sizes& values) {
  const bool uniform =
      std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); });
  return uniform ? fmt::format("{}", values.front()) : shape_text(values);
}

}  // namespace

std::vector<std::int64_t> Convolution::output_size() const {
  Sizes result;
  for (std::size_t d = 0; d < input_size.size(); ++d)
    result.push_back(static_cast<std::int64_t>(output_extent(*this, d)));
  return result;
}

Result<Task> make_convolution_task(const Convolution& asked, const OperandTypes& types, std::string name) {
  Convolution convolution = asked;
  if (convolution.padding_end == convolution.padding) convolution.padding_end.clear();
  const std::string kind = fmt::format("conv{}d", convolution.input_size.size());
  TRY(check_convolution(kind, convolution));
  TensorOperator op = make_operator(convolution, types);
  TRY(check_operator(kind, op));

  Task task;
  task.text = fmt::format("{} {} {} stride={} pad={} dilation={} groups={}{} {}", kind,
                          shape_text(op.inputs[0].shape), shape_text(op.inputs[1].shape),
                          attribute_text(convolution.stride), paddings_text(convolution),
                          attribute_text(convolution.dilation), convolution.groups,
                          convolution.transposed ? " transposed" : "", to_string(types));
  task.name = name.empty() ? task.text : std::move(name);
  task.definition = std::move(convolution);
  task.op = std::move(op);
  return task;
}

}  // namespace kernelscape::task
