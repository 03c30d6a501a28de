#include "core/graph/operators/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernelscape::graph {

namespace {

// Products of two such numbers fit 64 bits.
constexpr std::int64_t max_window_number = std::int64_t{1} << 30;

/** Returns an attribute with a number for each of `count` places, or `otherwise` for all of them. */
Result<Integers> window_numbers(const Call& call, std::string_view name, std::size_t count,
                                std::int64_t otherwise, std::int64_t lowest) {
  Integers numbers = call.integers(name, Integers(count, otherwise));
  if (numbers.size() != count)
    return call.refuse(fmt::format("{} has {} numbers where {} are needed", name, numbers.size(), count));
  for (const std::int64_t number : numbers)
    if (number < lowest || number > max_window_number)
      return call.refuse(fmt::format("{} has the number {}", name, number));
  return numbers;
}

/** Returns the extent of a dilated kernel. */
std::int64_t kernel_extent(const Window& window, std::size_t axis) {
  return window.dilations[axis] * (window.kernel[axis] - 1) + 1;
}

/** Returns a window with all but padding and positions. */
Result<Window> unpadded_window(const Call& call, const Shape& spatial, const Integers& kernel) {
  Window window;
  const std::size_t rank = spatial.size();
  if (kernel.size() != rank) {
    return call.refuse(
        fmt::format("a kernel of {} dimensions does not fit {} of the input", kernel.size(), rank));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (kernel[axis] < 1 || kernel[axis] > max_window_number || spatial[axis] > max_window_number) {
      return call.refuse(
          fmt::format("a kernel of {} does not fit an input of {}", shape_text(kernel), shape_text(spatial)));
    }
  }
  window.kernel = kernel;
  window.strides = TRY(window_numbers(call, "strides", rank, 1, 1));
  window.dilations = TRY(window_numbers(call, "dilations", rank, 1, 1));
  window.padding_before.assign(rank, 0);
  window.padding_after.assign(rank, 0);
  window.positions.assign(rank, 0);
  return window;
}

/** Sets the padding to what the attribute pads says. */
Status set_explicit_padding(const Call& call, Window& window) {
  const std::size_t rank = window.kernel.size();
  const Integers pads = TRY(window_numbers(call, "pads", 2 * rank, 0, -max_window_number));
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.padding_before.assign(pads.begin(), middle);
  window.padding_after.assign(middle, pads.end());
  return {};
}

/** Returns the mode of automatic padding, which is one of four. */
Result<std::string> padding_mode(const Call& call) {
  std::string mode = call.text("auto_pad", "NOTSET");
  if (mode.empty()) mode = "NOTSET";
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return call.refuse("its auto_pad is none of NOTSET, VALID, SAME_UPPER and SAME_LOWER");
  return mode;
}

}  // namespace

Result<Window> window_of(const Call& call, const Shape& spatial, const Integers& kernel) {
  Window window = TRY(unpadded_window(call, spatial, kernel));
  const std::string mode = TRY(padding_mode(call));
  if (mode == "NOTSET") TRY(set_explicit_padding(call, window));
  const bool rounds_up = call.integer("ceil_mode", 0) != 0;
  for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
    const std::int64_t stride = window.strides[axis];
    const std::int64_t extent = kernel_extent(window, axis);
    if (mode.starts_with("SAME")) {
      const std::int64_t count = (spatial[axis] + stride - 1) / stride;
      const std::int64_t total = std::max<std::int64_t>((count - 1) * stride + extent - spatial[axis], 0);
      window.padding_before[axis] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      window.padding_after[axis] = total - window.padding_before[axis];
      window.positions[axis] = count;
      continue;
    }
    const std::int64_t padded = spatial[axis] + window.padding_before[axis] + window.padding_after[axis];
    if (padded < extent) {
      return call.refuse(
          fmt::format("a kernel of extent {} does not fit the padded extent {}", extent, padded));
    }
    std::int64_t& count = window.positions[axis];
    count = (padded - extent + (rounds_up ? stride - 1 : 0)) / stride + 1;
    // A window that begins in the padding at the end has no position.
    if (rounds_up && (count - 1) * stride >= spatial[axis] + window.padding_before[axis]) --count;
  }
  return window;
}

Result<Window> transposed_window_of(const Call& call, const Shape& spatial, const Integers& kernel) {
  Window window = TRY(unpadded_window(call, spatial, kernel));
  const std::string mode = TRY(padding_mode(call));
  if (mode == "NOTSET") TRY(set_explicit_padding(call, window));
  const std::size_t rank = spatial.size();
  const Integers extra = TRY(window_numbers(call, "output_padding", rank, 0, 0));
  Integers wanted = TRY(window_numbers(call, "output_shape", rank, 0, 0));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t stride = window.strides[axis];
    const std::int64_t whole = stride * (spatial[axis] - 1) + extra[axis] + kernel_extent(window, axis);
    if (wanted[axis] == 0 && mode.starts_with("SAME")) wanted[axis] = spatial[axis] * stride;
    if (wanted[axis] > 0) {
      const std::int64_t total = std::max<std::int64_t>(whole - wanted[axis], 0);
      window.padding_before[axis] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      window.padding_after[axis] = total - window.padding_before[axis];
      window.positions[axis] = wanted[axis];
    } else {
      window.positions[axis] = whole - window.padding_before[axis] - window.padding_after[axis];
    }
    if (window.positions[axis] < 1) return call.refuse("its padding leaves no result");
  }
  return window;
}

}  // namespace kernelscape::graph
