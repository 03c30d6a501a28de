#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/graph/operators/indexing.h"
#include "core/graph/operators/operator.h"

namespace kernelscape::graph {

namespace {

/** The attributes of Resize. */
struct ResizeOptions {
  std::string mode;
  std::string coordinates;
  std::string nearest;
  double cubic_coefficient = -0.75;
  bool excludes_outside = false;
};

/** One axis of Resize. */
struct ResizedAxis {
  std::int64_t extent;
  std::int64_t result_extent;
  double scale;
  double region_start = 0;  ///< of tf_crop_and_resize, as a fraction of the extent
  double region_end = 1;
};

/** One element of the input with its weight. */
struct Tap {
  std::int64_t coordinate;
  double weight;
};

/** Returns where a place of the result lies in the input. */
Result<double> input_position(const Call& call, const std::string& mode, const ResizedAxis& axis,
                              std::int64_t place) {
  const auto x = static_cast<double>(place);
  const auto extent = static_cast<double>(axis.extent);
  const auto result_extent = static_cast<double>(axis.result_extent);
  if (mode == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (mode == "half_pixel_symmetric") {
    const double adjustment = result_extent / (axis.scale * extent);
    return extent / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  if (mode == "pytorch_half_pixel") return axis.result_extent > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (mode == "align_corners") return axis.result_extent > 1 ? x * (extent - 1) / (result_extent - 1) : 0;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (mode == "tf_crop_and_resize") {
    if (axis.result_extent <= 1) return (axis.region_start + axis.region_end) / 2 * (extent - 1);
    return axis.region_start * (extent - 1) +
           x * (axis.region_end - axis.region_start) * (extent - 1) / (result_extent - 1);
  }
  return call.refuse("its coordinate_transformation_mode is not known");
}

/** Returns the nearest element of a position as the mode rounds. */
Result<std::int64_t> nearest_element(const Call& call, const std::string& mode, double position) {
  if (mode == "round_prefer_floor") return to_integer(std::ceil(position - 0.5));
  if (mode == "round_prefer_ceil") return to_integer(std::floor(position + 0.5));
  if (mode == "floor") return to_integer(std::floor(position));
  if (mode == "ceil") return to_integer(std::ceil(position));
  return call.refuse("its nearest_mode is none of round_prefer_floor, round_prefer_ceil, floor and ceil");
}

/** Returns the weights of the four elements around a position. @param rest of the position, from 0 to 1 */
std::array<double, 4> cubic_weights(double rest, double a) {
  const auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [a](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)};
}

/** Returns the elements that make up a position; those beyond the ends repeat the last element. */
Result<std::vector<Tap>> taps_of(const Call& call, const ResizeOptions& options, double position,
                                 std::int64_t extent) {
  std::vector<Tap> taps;
  const double floor = std::floor(position);
  const std::int64_t first = to_integer(floor);
  if (options.mode == "nearest") {
    taps.push_back({TRY(nearest_element(call, options.nearest, position)), 1});
  } else if (options.mode == "linear") {
    taps = {{first, 1 - (position - floor)}, {first + 1, position - floor}};
  } else if (options.mode == "cubic") {
    const std::array<double, 4> weights = cubic_weights(position - floor, options.cubic_coefficient);
    for (std::int64_t i = 0; i < 4; ++i)
      taps.push_back({first - 1 + i, weights[static_cast<std::size_t>(i)]});
  } else {
    return call.refuse("its mode is none of nearest, linear and cubic");
  }
  double sum = 0;
  for (Tap& tap : taps) {
    const bool outside = tap.coordinate < 0 || tap.coordinate >= extent;
    if (options.excludes_outside && options.mode == "cubic" && outside) tap.weight = 0;
    sum += tap.weight;
    tap.coordinate = std::clamp<std::int64_t>(tap.coordinate, 0, extent - 1);
  }
  if (options.excludes_outside && sum != 0)
    for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

/** Returns a tensor with one axis replaced by weighted sums along it. */
Result<Tensor> along_axis(const Call& call, const Tensor& input, std::size_t axis,
                          const std::vector<std::vector<Tap>>& taps) {
  Shape shape = input.shape;
  shape[axis] = static_cast<std::int64_t>(taps.size());
  Tensor result = TRY(new_tensor(call, input.type, shape));
  const std::int64_t inner = extent_product(shape, axis + 1, shape.size());
  double* target = result.elements.data();
  for (std::int64_t outer = 0; outer < extent_product(shape, 0, axis); ++outer) {
    for (const std::vector<Tap>& sum : taps) {
      for (const Tap& tap : sum) {
        const double* source = input.elements.data() + (outer * input.shape[axis] + tap.coordinate) * inner;
        for (std::int64_t i = 0; i < inner; ++i) target[i] += tap.weight * source[i];
      }
      target += inner;
    }
  }
  return result;
}

/** Sets what lies outside of the input along an axis to a number. */
void fill_outside(Tensor& tensor, std::size_t axis, const std::vector<bool>& outside, double value) {
  const std::int64_t inner = extent_product(tensor.shape, axis + 1, tensor.shape.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(tensor.elements.size()); ++i)
    if (outside[static_cast<std::size_t>(i / inner % tensor.shape[axis])]) at(tensor, i) = value;
}

/** Returns true if an input exists and has elements. */
bool has_numbers(const Call& call, std::size_t input) {
  return call.has(input) && !call[input].elements.empty();
}

/** Returns the extents and scales of all axes from the scales or the sizes. */
Result<std::vector<ResizedAxis>> resized_axes(const Call& call, bool crops) {
  const Shape& shape = call[0].shape;
  const bool by_sizes = has_numbers(call, 3);
  const std::size_t given = by_sizes ? 3 : 2;
  if (!has_numbers(call, given) || call[given].elements.size() != shape.size()) {
    return call.refuse(
        fmt::format("it has not one scale or size for each dimension of the shape {}", shape_text(shape)));
  }
  if (crops && (!has_numbers(call, 1) || call[1].elements.size() != 2 * shape.size()))
    return call.refuse("its region of interest is missing or has not two numbers for each dimension");
  std::vector<ResizedAxis> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const double number = call[given].elements[axis];
    const auto extent = static_cast<double>(shape[axis]);
    if (!(number > 0) || number > 1e9)
      return call.refuse(fmt::format("one of its scales or sizes is {}", number));
    // Rounded as in single precision: 10 elements scaled by 0.7f are 7, not 6.9999998.
    const auto scaled = static_cast<double>(static_cast<float>(extent) * static_cast<float>(number));
    ResizedAxis& resized =
        axes.emplace_back(ResizedAxis{.extent = shape[axis],
                                      .result_extent = to_integer(by_sizes ? number : std::floor(scaled)),
                                      .scale = by_sizes ? number / extent : number});
    if (crops) {
      resized.region_start = call[1].elements[axis];
      resized.region_end = call[1].elements[shape.size() + axis];
    }
  }
  return axes;
}

Result<Tensors> resize(const Call& call) {
  const ResizeOptions options{.mode = call.text("mode", "nearest"),
                              .coordinates = call.text("coordinate_transformation_mode", "half_pixel"),
                              .nearest = call.text("nearest_mode", "round_prefer_floor"),
                              .cubic_coefficient = call.number("cubic_coeff_a", -0.75),
                              .excludes_outside = call.integer("exclude_outside", 0) != 0};
  if (call.integer("antialias", 0) != 0 || call.has_attribute("axes") ||
      call.has_attribute("keep_aspect_ratio_policy")) {
    return call.refuse("antialias, axes and keep_aspect_ratio_policy, of operator set 18, are not supported");
  }
  const bool crops = options.coordinates == "tf_crop_and_resize";
  const std::vector<ResizedAxis> axes = TRY(resized_axes(call, crops));
  Tensor result = call[0];
  std::vector<std::vector<bool>> outside(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ResizedAxis& axis = axes[i];
    if (axis.extent < 1 || axis.result_extent < 1) return call.refuse("it has an axis without elements");
    Shape shape = result.shape;
    shape[i] = axis.result_extent;
    TRY(check_size(call, shape));
    if (axis.extent == axis.result_extent && axis.scale == 1 && !crops) continue;
    std::vector<std::vector<Tap>> taps;
    for (std::int64_t place = 0; place < axis.result_extent; ++place) {
      const double position = TRY(input_position(call, options.coordinates, axis, place));
      taps.push_back(TRY(taps_of(call, options, position, axis.extent)));
      outside[i].push_back(position < 0 || position > static_cast<double>(axis.extent - 1));
    }
    result = TRY(along_axis(call, result, i, taps));
  }
  for (std::size_t i = 0; crops && i < axes.size(); ++i)
    fill_outside(result, i, outside[i], call.number("extrapolation_value", 0));
  return one_result(std::move(result));
}

}  // namespace

std::vector<Operator> resizing_operators() { return {{"Resize", 1, 4, resize}}; }

}  // namespace kernelscape::graph
