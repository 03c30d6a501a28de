#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** For each axis of a result, the coordinate of the input at each place; -1 for a constant. */
using Coordinates = std::vector<Integers>;

/** Returns a tensor with the elements of the first input at given coordinates. */
Result<Tensors> read_at(const Call& call, const Coordinates& coordinates, double constant) {
  const Integers strides = strides_of(call[0].shape);
  Shape shape;
  for (const Integers& axis : coordinates) shape.push_back(static_cast<std::int64_t>(axis.size()));
  Tensor result = TRY(new_tensor(call, call[0].type, shape));
  if (result.elements.empty()) return one_result(std::move(result));
  Integers index(shape.size(), 0);
  auto element = result.elements.begin();
  do {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < shape.size() && offset >= 0; ++axis) {
      const std::int64_t coordinate = coordinates[axis][static_cast<std::size_t>(index[axis])];
      offset = coordinate < 0 ? -1 : offset + coordinate * strides[axis];
    }
    *element++ = offset < 0 ? constant : at(call[0], offset);
  } while (advance(index, shape));
  return one_result(std::move(result));
}

/** Returns the axes of an optional input; all axes if it is absent. */
Result<std::vector<std::size_t>> named_axes(const Call& call, std::size_t input, std::size_t count) {
  Integers axes(count);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  if (call.has(input)) axes = integers_of(call[input]);
  if (axes.size() != count)
    return call.refuse(fmt::format("it names {} axes and has numbers for {}", axes.size(), count));
  std::ignore = TRY(axes_of(call, axes, call[0].shape.size()));
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(TRY(axis_of(call, axis, call[0].shape.size())));
  return found;
}

enum class PaddingMode { Constant, Edge, Reflect, Wrap };

/** Returns the coordinate of an axis of `extent` elements that a place beyond its ends repeats. */
std::int64_t padded_coordinate(std::int64_t place, std::int64_t extent, PaddingMode mode) {
  if (place >= 0 && place < extent) return place;
  if (mode == PaddingMode::Constant || extent == 0) return -1;
  if (mode == PaddingMode::Edge) return place < 0 ? 0 : extent - 1;
  const std::int64_t period =
      mode == PaddingMode::Wrap ? extent : std::max<std::int64_t>(2 * (extent - 1), 1);
  const std::int64_t rest = ((place % period) + period) % period;
  return rest < extent ? rest : period - rest;
}

Result<PaddingMode> padding_mode_of(const Call& call) {
  const std::string mode = call.text("mode", "constant");
  if (mode == "constant") return PaddingMode::Constant;
  if (mode == "edge") return PaddingMode::Edge;
  if (mode == "reflect") return PaddingMode::Reflect;
  if (mode == "wrap") return PaddingMode::Wrap;
  return call.refuse("its mode is none of constant, edge, reflect and wrap");
}

Result<Tensors> pad(const Call& call) {
  const PaddingMode mode = TRY(padding_mode_of(call));
  const Integers pads = integers_of(call[1]);
  const std::size_t count = pads.size() / 2;
  if ((!call.has(3) && count != call[0].shape.size()) || pads.size() % 2 != 0) {
    return call.refuse(
        fmt::format("it has {} pads for a tensor of shape {}", pads.size(), shape_text(call[0].shape)));
  }
  const std::vector<std::size_t> axes = TRY(named_axes(call, 3, count));
  Coordinates coordinates;
  for (std::size_t axis = 0; axis < call[0].shape.size(); ++axis) {
    const std::int64_t extent = call[0].shape[axis];
    const auto named = static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
    const std::int64_t before = named < count ? pads[named] : 0;
    const std::int64_t after = named < count ? pads[count + named] : 0;
    constexpr std::int64_t limit = std::int64_t{1} << 26;
    if (before < -limit || before > limit || after < -limit || after > limit || before + extent + after < 0)
      return call.refuse(fmt::format("its pads are {} and {} for an extent of {}", before, after, extent));
    Integers& places = coordinates.emplace_back();
    for (std::int64_t place = -before; place < extent + after; ++place)
      places.push_back(padded_coordinate(place, extent, mode));
  }
  const bool has_constant = call.has(2) && !call[2].elements.empty();
  return read_at(call, coordinates, has_constant ? call[2].elements[0] : 0);
}

/** Returns the coordinates from start to end, as numpy's slices have them. */
Integers sliced_coordinates(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  const std::int64_t first = step > 0 ? 0 : -1;
  const std::int64_t last = step > 0 ? extent : extent - 1;
  start =
      std::clamp(start < 0 ? start + extent : start, step > 0 ? 0 : std::min<std::int64_t>(0, last), last);
  end = std::clamp(end < 0 ? end + extent : end, first, last);
  // A longer step reaches no second element either, and does not overflow.
  step = std::clamp(step, -extent - 1, extent + 1);
  Integers coordinates;
  for (std::int64_t place = start; step > 0 ? place < end : place > end; place += step)
    coordinates.push_back(place);
  return coordinates;
}

Result<Tensors> slice(const Call& call) {
  const Integers starts = integers_of(call[1]);
  const Integers ends = integers_of(call[2]);
  const Integers steps = call.has(4) ? integers_of(call[4]) : Integers(starts.size(), 1);
  if (ends.size() != starts.size() || steps.size() != starts.size()) {
    return call.refuse(
        fmt::format("it has {} starts, {} ends and {} steps", starts.size(), ends.size(), steps.size()));
  }
  const std::vector<std::size_t> axes = TRY(named_axes(call, 3, starts.size()));
  Coordinates coordinates;
  for (std::size_t axis = 0; axis < call[0].shape.size(); ++axis) {
    const std::int64_t extent = call[0].shape[axis];
    const auto named = static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
    if (named < axes.size() && steps[named] == 0) return call.refuse("one of its steps is 0");
    coordinates.push_back(named < axes.size()
                              ? sliced_coordinates(extent, starts[named], ends[named], steps[named])
                              : sliced_coordinates(extent, 0, extent, 1));
  }
  return read_at(call, coordinates, 0);
}

}  // namespace

std::vector<Operator> padding_operators() {
  return {
      {"Pad", 2, 4, pad},
      {"Slice", 3, 5, slice},
  };
}

}  // namespace kernelscape::graph
