// Operators that move elements: they change no number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/visible_text.h"
#include "core/exchange/model/operators.h"

namespace kernelscape::exchange {
namespace {

using Shape = graph::Shape;

/** Returns true if all readers of a value are transpositions, which read any layout. */
bool only_transposed(const ModelSteps& steps, std::size_t value) {
  const auto contains = [&](const std::vector<std::size_t>& values) {
    return std::ranges::find(values, value) != values.end();
  };
  return !contains(steps.graph().outputs) &&
         std::ranges::all_of(steps.graph().nodes, [&](const graph::Node& node) {
           return node.operation == "Transpose" || !contains(node.inputs);
         });
}

/** The result is the operand's memory in another shape. */
Status write_view(ModelSteps& steps, const graph::Node& node) {
  if (steps.has_form(node.outputs[0])) return {};  // the layer before wrote the result in this shape
  const Shape& shape = steps.value(node.outputs[0]).shape;
  ValueForm form = TRY(steps.first_form(node.inputs[0]));
  if (form.layout.shape == shape) {
    steps.add_form(node.outputs[0], form);
    return {};
  }
  // Blocks of channels survive if the new shape has the same channels, or if its readers take any order.
  const std::optional<loop_nest::Layout> kept = reshaped(form.layout, shape);
  const std::optional<loop_nest::Layout>& preferred = steps.preferred(node.outputs[0]);
  const bool any_order =
      (preferred && kept && same_order(*preferred, *kept)) || only_transposed(steps, node.outputs[0]);
  const bool fits = kept && ((!has_gaps(*kept) && channel_block(*kept) > 0) || any_order);
  // A reader in another layout converts a copy of this one.
  if (fits &&
      strided_nests(shape, std::vector<TensorView>{{.layout = *kept},
                                                   {.layout = loop_nest::row_major("plain", shape)}})) {
    form.layout = *kept;
  } else {
    form = TRY(steps.plain_form(node.inputs[0]));
    form.layout = loop_nest::row_major("plain", shape);
  }
  steps.add_form(node.outputs[0], form);
  return {};
}

/** Returns a form that a range of an axis can be read from: no block extends over the range's borders. */
Result<ValueForm> form_for_range(ModelSteps& steps, std::size_t value, std::size_t axis, std::int64_t start,
                                 std::int64_t step) {
  const ValueForm form = TRY(steps.first_form(value));
  const bool fits = std::ranges::all_of(form.layout.dimensions, [&](const loop_nest::LayoutDimension& part) {
    return part.source != static_cast<int>(axis) || part.extent == 1 ||
           (start % part.divisor == 0 &&
            (step == 1 || (part.divisor == 1 && part.extent == form.layout.shape[axis])));
  });
  // A part of blocks would be read with its divisors, which need all of the axis.
  if (fits && (step == 1 || is_row_major(form.layout))) return form;
  return steps.plain_form(value);
}

/** Returns the layout of a part of a tensor: blocks are kept where the channels are whole blocks. */
loop_nest::Layout layout_of_part(const loop_nest::Layout& whole, const Shape& shape) {
  const std::int64_t block = channel_block(whole);
  if (block > 1 && shape.size() >= 2 && shape[1] % block == 0) return blocked_channels(shape, block);
  return loop_nest::row_major("plain", shape);
}

/** Returns the layout of a Concat's result: what its readers prefer, or that of the operands if they agree.
 */
Result<loop_nest::Layout> layout_of_concat(ModelSteps& steps, const graph::Node& node, const Shape& shape) {
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 0), shape.size());
  if (const std::optional<loop_nest::Layout>& preferred = steps.preferred(node.outputs[0])) {
    const std::int64_t wanted = channel_block(*preferred);
    const bool divides = wanted > 0 && std::ranges::all_of(node.inputs, [&](std::size_t input) {
                           return wanted == 1 || axis != 1 || steps.value(input).shape[1] % wanted == 0;
                         });
    if (divides) return *preferred;
  }
  std::int64_t block = 0;
  for (const std::size_t input : node.inputs) {
    const ValueForm form = TRY(steps.first_form(input));
    const std::int64_t own = channel_block(form.layout);
    block = block == 0 || own == block ? own : 1;
    if (own == 0) block = 1;
  }
  return blocked_channels(shape, std::max<std::int64_t>(block, 1));
}

Status write_concat(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.outputs[0]).shape;
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 0), shape.size());
  const std::optional<ValueForm> joined = steps.joined_form(node.outputs[0]);
  const loop_nest::Layout layout = joined ? joined->layout : TRY(layout_of_concat(steps, node, shape));
  const ValueForm to = steps.make_form(node.outputs[0], layout);
  Shape start(shape.size(), 0);
  for (const std::size_t input : node.inputs) {
    const graph::Value& part = steps.value(input);
    if (graph::element_count(part.shape) == 0) continue;
    const std::int64_t first = to.layout.offset(start);
    start[axis] += part.shape[axis];
    ValueForm in_place = to;
    in_place.layout = blocked_channels(part.shape, std::max<std::int64_t>(channel_block(to.layout), 1));
    in_place.byte_offset += first * graph::bytes_of(part.type);
    if (joined && steps.is_at(input, in_place)) continue;
    LoopOperand place = whole_operand(to, shape.size());
    place.view.base = first;
    ValueForm from = TRY(steps.first_form(input));
    const std::vector<TensorView> views{place.view, {.layout = from.layout}};
    if (!strided_nests(part.shape, views)) from = TRY(steps.plain_form(input));
    TRY(steps.add_copy(about_node(node), part.shape, place, whole_operand(from, shape.size())));
  }
  return {};
}

/** Returns a range of an axis as a part of the operand's memory; nullopt if it is not contiguous. */
std::optional<ValueForm> contiguous_part(const ValueForm& whole, const Shape& part, std::size_t axis,
                                         const Shape& start) {
  const Shape& shape = whole.layout.shape;
  for (std::size_t d = 0; d < axis; ++d)
    if (shape[d] != 1) return std::nullopt;
  const std::int64_t block = channel_block(whole.layout);
  if (block == 0 || graph::element_count(part) == 0) return std::nullopt;
  const bool whole_blocks = axis == 1 && start[1] % block == 0 && part[1] % block == 0;
  if (block > 1 && !whole_blocks) return std::nullopt;
  ValueForm form = whole;
  form.layout = blocked_channels(part, block);
  form.byte_offset += whole.layout.offset(start) * graph::bytes_of(whole.type);
  return form;
}

Status write_split(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.inputs[0]).shape;
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 0), shape.size());
  Shape start(shape.size(), 0);
  for (const std::size_t output : node.outputs) {
    if (output == graph::absent) return unsupported(node, "one of its results is not named");
    const Shape& part = steps.value(output).shape;
    const ValueForm from = TRY(form_for_range(steps, node.inputs[0], axis, start[axis], 1));
    if (const std::optional<ValueForm> shared = contiguous_part(from, part, axis, start)) {
      steps.add_form(output, *shared);
    } else {
      const ValueForm to = steps.make_form(output, layout_of_part(from.layout, part));
      LoopOperand read = whole_operand(from, shape.size());
      read.view.base = from.layout.offset(start);
      TRY(steps.add_copy(about_node(node), part, whole_operand(to, shape.size()), read));
    }
    start[axis] += part[axis];
  }
  return {};
}

Status write_slice(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.inputs[0]).shape;
  const Shape& part = steps.value(node.outputs[0]).shape;
  const std::vector<std::int64_t> starts = TRY(constant_input(steps, node, 1));
  std::vector<std::int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (has_input(node, 3)) axes = TRY(constant_input(steps, node, 3));
  std::vector<std::int64_t> sliced_by(starts.size(), 1);
  if (has_input(node, 4)) sliced_by = TRY(constant_input(steps, node, 4));
  if (axes.size() != starts.size() || sliced_by.size() != starts.size())
    return unsupported(node, "its starts, axes and steps differ in number");
  Shape start(shape.size(), 0);
  Shape step(shape.size(), 1);
  bool blocks_fit = true;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(axes[i], shape.size());
    const std::int64_t extent = shape[axis];
    std::int64_t first = starts[i] < 0 ? starts[i] + extent : starts[i];
    step[axis] = sliced_by[i];
    first = std::clamp<std::int64_t>(first, 0, step[axis] < 0 ? extent - 1 : extent);
    start[axis] = first;
    if (extent > 0) {
      const ValueForm form = TRY(form_for_range(steps, node.inputs[0], axis, first, step[axis]));
      blocks_fit = blocks_fit && !is_row_major(form.layout);
    }
  }
  if (graph::element_count(part) == 0) {
    steps.make_form(node.outputs[0], loop_nest::row_major("plain", part));
    return {};
  }
  const ValueForm from =
      blocks_fit ? TRY(steps.first_form(node.inputs[0])) : TRY(steps.plain_form(node.inputs[0]));
  const ValueForm to = steps.make_form(
      node.outputs[0], blocks_fit ? layout_of_part(from.layout, part) : loop_nest::row_major("plain", part));
  LoopOperand read = whole_operand(from, shape.size());
  read.view.base = from.layout.offset(start);
  if (!std::ranges::all_of(step, [](std::int64_t by) { return by == 1; })) read.view.step = step;
  return steps.add_copy(about_node(node), part, whole_operand(to, part.size()), read);
}

Status write_transpose(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.outputs[0]).shape;
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> reversed(rank);
  for (std::size_t d = 0; d < rank; ++d) reversed[d] = static_cast<std::int64_t>(rank - 1 - d);
  const std::vector<std::int64_t> order = graph::integers_attribute(node, "perm", reversed);
  const ValueForm from = TRY(steps.first_form(node.inputs[0]));
  // The operand as the result's indices see it.
  loop_nest::Layout seen{"transposed", shape, from.layout.dimensions};
  for (loop_nest::LayoutDimension& part : seen.dimensions)
    part.source = static_cast<int>(std::ranges::find(order, part.source) - order.begin());
  const loop_nest::Layout plain = loop_nest::row_major("plain", shape);
  if (same_order(seen, plain)) {
    ValueForm same = from;
    same.layout = plain;
    steps.add_form(node.outputs[0], same);
    return {};
  }
  const std::optional<loop_nest::Layout>& preferred = steps.preferred(node.outputs[0]);
  const bool fits =
      preferred && strided_nests(shape, std::vector<TensorView>{{.layout = *preferred}, {.layout = seen}});
  const ValueForm to = steps.make_form(node.outputs[0], fits ? *preferred : plain);
  steps.add_gap_fill(about_node(node), to);
  return steps.add_copy(about_node(node), shape, whole_operand(to, rank), {from, {.layout = seen}});
}

Status write_expand(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.outputs[0]).shape;
  const ValueForm from = TRY(steps.first_form(node.inputs[0]));
  const ValueForm to = steps.make_form(node.outputs[0], loop_nest::row_major("plain", shape));
  return steps.add_copy(about_node(node), shape, whole_operand(to, shape.size()),
                        whole_operand(from, shape.size()));
}

Status write_pad(ModelSteps& steps, const graph::Node& node) {
  if (const std::string mode = graph::text_attribute(node, "mode", "constant"); mode != "constant")
    return unsupported(node, fmt::format("mode {} is not supported", mode));
  const Shape& shape = steps.value(node.inputs[0]).shape;
  const Shape& padded = steps.value(node.outputs[0]).shape;
  if (has_input(node, 3)) return unsupported(node, "padding of listed axes is not supported");
  const std::vector<std::int64_t> pads = TRY(constant_input(steps, node, 1));
  const std::size_t rank = shape.size();
  if (pads.size() != 2 * rank || std::ranges::any_of(pads, [](std::int64_t pad) { return pad < 0; }))
    return unsupported(node, "its padding is negative, or not one pair for each dimension");
  double fill = 0;
  if (has_input(node, 2)) {
    const graph::Value& constant = steps.value(node.inputs[2]);
    if (!constant.constant) return unsupported(node, "its fill is computed");
    const std::vector<double> number = TRY(graph::constant_doubles(constant));
    if (!number.empty()) fill = number[0];
  }
  const ValueForm from = TRY(steps.first_form(node.inputs[0]));
  const Shape begin(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  loop_nest::Layout layout = layout_of_part(from.layout, padded);
  // Channels that begin within a block are no range of whole blocks.
  if (const std::int64_t block = channel_block(layout); block > 1 && begin[1] % block != 0)
    layout = loop_nest::row_major("plain", padded);
  const ValueForm to = steps.make_form(node.outputs[0], layout);
  TRY(steps.add_loop(about_node(node) + ", fill", padded, {whole_operand(to, rank)},
                     [&](const std::vector<base::CSourceText>& v) {
                       return base::write<base::CSource>("{} = {};", v[0], float_text(fill));
                     }));
  LoopOperand place = whole_operand(to, rank);
  place.view.base = to.layout.offset(begin);
  return steps.add_copy(about_node(node), shape, place, whole_operand(from, rank));
}

Status write_gather(ModelSteps& steps, const graph::Node& node) {
  const graph::Value& data = steps.value(node.inputs[0]);
  const graph::Value& indices = steps.value(node.inputs[1]);
  const std::size_t axis = axis_of(graph::integer_attribute(node, "axis", 0), data.shape.size());
  const Shape before(data.shape.begin(), data.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const Shape behind(data.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.shape.end());
  const ValueForm from = TRY(steps.plain_form(node.inputs[0]));
  const ValueForm at = TRY(steps.plain_form(node.inputs[1]));
  const ValueForm to =
      steps.make_form(node.outputs[0], loop_nest::row_major("plain", steps.value(node.outputs[0]).shape));
  steps.add_step(about_node(node),
                 base::write<base::CSource>(
                     "  op_gather(part, parts, {}, {}, {}, {}, {}, {}, {}, {});\n",
                     graph::element_count(before), data.shape[axis], graph::element_count(indices.shape),
                     graph::element_count(behind) * graph::bytes_of(data.type), steps.address(from),
                     steps.address(at), graph::bytes_of(indices.type), steps.address(to, true)));
  return {};
}

/** The elements of a resized axis: two of the operand's, and the share of the second. */
struct ResizedAxis {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;
  std::vector<float> share;
};

/** Returns where an element of the result lies in the operand; nullopt for an unknown transformation. */
std::optional<double> source_coordinate(const std::string& transformation, double index, double scale,
                                        double from, double to) {
  const double half_pixel = (index + 0.5) / scale - 0.5;
  if (transformation == "half_pixel") return half_pixel;
  // Summed in the interpreter's order, so that ties are the same.
  if (transformation == "half_pixel_symmetric")
    return from / 2 * (1 - to / (scale * from)) + (index + 0.5) / scale - 0.5;
  if (transformation == "pytorch_half_pixel") return to <= 1 ? 0 : half_pixel;
  if (transformation == "align_corners") return to <= 1 ? 0 : index * (from - 1) / (to - 1);
  if (transformation == "asymmetric") return index / scale;
  if (transformation == "tf_half_pixel_for_nn") return (index + 0.5) / scale;
  return std::nullopt;
}

/** Returns the nearest element of a coordinate; nullopt for an unknown mode. */
std::optional<double> nearest_element(const std::string& mode, double coordinate) {
  if (mode == "round_prefer_floor") return std::ceil(coordinate - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(coordinate + 0.5);
  if (mode == "floor") return std::floor(coordinate);
  if (mode == "ceil") return std::ceil(coordinate);
  return std::nullopt;
}

/** @param node of modes that check_resize_modes() accepts */
ResizedAxis resized_axis(const graph::Node& node, std::int64_t from, std::int64_t to, double scale) {
  const bool linear = graph::text_attribute(node, "mode", "nearest") == "linear";
  const std::string transformation =
      graph::text_attribute(node, "coordinate_transformation_mode", "half_pixel");
  const std::string nearest = graph::text_attribute(node, "nearest_mode", "round_prefer_floor");
  const auto last = static_cast<double>(from - 1);
  ResizedAxis axis;
  for (std::int64_t i = 0; i < to; ++i) {
    const double coordinate = source_coordinate(transformation, static_cast<double>(i), scale,
                                                static_cast<double>(from), static_cast<double>(to))
                                  .value_or(0);
    const double below = std::floor(coordinate);
    const double index = linear ? below : nearest_element(nearest, coordinate).value_or(0);
    axis.first.push_back(static_cast<std::int32_t>(std::clamp(index, 0.0, last)));
    axis.second.push_back(static_cast<std::int32_t>(std::clamp(linear ? index + 1 : index, 0.0, last)));
    axis.share.push_back(linear ? static_cast<float>(coordinate - below) : 0.0F);
  }
  return axis;
}

Status check_resize_modes(const graph::Node& node) {
  const std::string mode = graph::text_attribute(node, "mode", "nearest");
  const std::string transformation =
      graph::text_attribute(node, "coordinate_transformation_mode", "half_pixel");
  const std::string nearest = graph::text_attribute(node, "nearest_mode", "round_prefer_floor");
  if (mode != "nearest" && mode != "linear")
    return unsupported(node, fmt::format("mode {} is not supported", base::quoted_line(mode)));
  if (!source_coordinate(transformation, 0, 1, 1, 1))
    return unsupported(node, fmt::format("coordinate_transformation_mode {} is not supported",
                                         base::quoted_line(transformation)));
  if (mode == "nearest" && !nearest_element(nearest, 0))
    return unsupported(node, fmt::format("nearest_mode {} is not supported", base::quoted_line(nearest)));
  if (graph::integer_attribute(node, "antialias", 0) != 0) return unsupported(node, "it removes aliases");
  return {};
}

template <typename T>
ValueForm table_of(ModelSteps& steps, graph::ElementType type, const std::vector<T>& numbers) {
  return steps.add_weights(type, loop_nest::row_major("table", {static_cast<std::int64_t>(numbers.size())}),
                           std::as_bytes(std::span(numbers)));
}

Status write_resize(ModelSteps& steps, const graph::Node& node) {
  const Shape& shape = steps.value(node.inputs[0]).shape;
  const Shape& wanted = steps.value(node.outputs[0]).shape;
  TRY(check_floats(steps, node, 1));
  TRY(check_resize_modes(node));
  std::vector<double> scales;
  const bool by_sizes = has_input(node, 3) && graph::element_count(steps.value(node.inputs[3]).shape) > 0;
  if (!by_sizes && has_input(node, 2)) {
    if (!steps.value(node.inputs[2]).constant) return unsupported(node, "its scales are computed");
    scales = TRY(graph::constant_doubles(steps.value(node.inputs[2])));
  }
  ValueForm form = TRY(steps.plain_form(node.inputs[0]));
  Shape now = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const double scale = scales.size() == shape.size()
                             ? scales[d]
                             : static_cast<double>(wanted[d]) / static_cast<double>(shape[d]);
    // A scale above 1 moves the elements of an axis even where its extent stays.
    if (shape[d] == wanted[d] && scale == 1) continue;
    if (!(scale > 0) || shape[d] < 1) return unsupported(node, "an axis has no elements, or no scale");
    const ResizedAxis axis = resized_axis(node, shape[d], wanted[d], scale);
    const ValueForm first = table_of(steps, graph::ElementType::I32, axis.first);
    const ValueForm second = table_of(steps, graph::ElementType::I32, axis.second);
    const ValueForm share = table_of(steps, graph::ElementType::F32, axis.share);
    Shape next = now;
    next[d] = wanted[d];
    const ValueForm to = steps.scratch(graph::ElementType::F32, loop_nest::row_major("plain", next));
    const Shape before(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(d));
    const Shape behind(now.begin() + static_cast<std::ptrdiff_t>(d) + 1, now.end());
    steps.add_step(
        about_node(node),
        base::write<base::CSource>("  op_resize_axis(part, parts, {}, {}, {}, {}, {}, {}, {}, {}, {});\n",
                                   graph::element_count(before), shape[d], wanted[d],
                                   graph::element_count(behind), steps.address(first), steps.address(second),
                                   steps.address(share), steps.address(form), steps.address(to, true)));
    form = to;
    now = next;
  }
  steps.add_form(node.outputs[0], form);
  return {};
}

}  // namespace

WriteOperator shape_operator(std::string_view operation) {
  static const std::map<std::string, WriteOperator, std::less<>> table{
      {"Identity", write_view},       {"Dropout", write_view},  {"Reshape", write_view},
      {"Flatten", write_view},        {"Squeeze", write_view},  {"Unsqueeze", write_view},
      {"Concat", write_concat},       {"Split", write_split},   {"Slice", write_slice},
      {"Transpose", write_transpose}, {"Expand", write_expand}, {"Pad", write_pad},
      {"Gather", write_gather},       {"Resize", write_resize}};
  const auto found = table.find(operation);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace kernelscape::exchange
