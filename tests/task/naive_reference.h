#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "core/task/reference.h"
#include "core/task/task.h"

namespace kernelscape {

/** Brings 1 to 3 dimensions to three: missing outer ones have `filler`. */
inline std::array<std::int64_t, 3> padded(const std::vector<std::int64_t>& sizes, std::int64_t filler) {
  std::array<std::int64_t, 3> result = {filler, filler, filler};
  std::ranges::copy(sizes, result.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  return result;
}

/**
 * Loops over images, groups, channels, filters, positions and taps, written against the definition of
 * convolution alone. A transposed one scatters each input element, as a gradient does, and so shares nothing
 * with the gathering of the code under test.
 */
struct NaiveConvolution {
  explicit NaiveConvolution(const task::Convolution& c)
      : convolution(c),
        input(padded(c.input_size, 1)),
        output(padded(c.output_size(), 1)),
        kernel(padded(c.kernel, 1)),
        stride(padded(c.stride, 1)),
        padding(padded(c.padding, 0)),
        dilation(padded(c.dilation, 1)) {}

  const task::Convolution& convolution;
  std::array<std::int64_t, 3> input, output, kernel, stride, padding, dilation;

  static std::int64_t flat(std::initializer_list<std::pair<std::int64_t, std::int64_t>> index_and_extent) {
    std::int64_t position = 0;
    for (const auto& [index, extent] : index_and_extent) position = position * extent + index;
    return position;
  }

  /** Calls visit(data position, weight position, output position) for every product. */
  template <typename Visit>
  void for_each_product(Visit visit) const {
    const std::int64_t channels = convolution.input_channels / convolution.groups;
    const std::int64_t filters = convolution.output_channels / convolution.groups;
    for (std::int64_t n = 0; n < convolution.batch; ++n)
      for (std::int64_t g = 0; g < convolution.groups; ++g)
        for (std::int64_t f = 0; f < filters; ++f)
          for (std::int64_t c = 0; c < channels; ++c) for_each_position(n, g, f, c, visit);
  }

  template <typename Visit>
  void for_each_position(std::int64_t n, std::int64_t g, std::int64_t f, std::int64_t c, Visit visit) const {
    const std::int64_t channels = convolution.input_channels / convolution.groups;
    const std::int64_t filters = convolution.output_channels / convolution.groups;
    // Positions of the side that is walked; the other side follows from the tap.
    const auto& walked = convolution.transposed ? input : output;
    const auto& other = convolution.transposed ? output : input;
    for (std::int64_t z = 0; z < walked[0]; ++z)
      for (std::int64_t y = 0; y < walked[1]; ++y)
        for (std::int64_t x = 0; x < walked[2]; ++x)
          for (std::int64_t tap = 0; tap < kernel[0] * kernel[1] * kernel[2]; ++tap) {
            const std::array taps = {tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1],
                                     tap % kernel[2]};
            const std::array here = {z, y, x};
            std::array<std::int64_t, 3> there = {};
            bool inside = true;
            for (std::size_t d = 0; d < 3; ++d) {
              there[d] = here[d] * stride[d] - padding[d] + taps[d] * dilation[d];
              inside = inside && there[d] >= 0 && there[d] < other[d];
            }
            if (!inside) continue;
            const auto& at_input = convolution.transposed ? here : there;
            const auto& at_output = convolution.transposed ? there : here;
            const std::int64_t first = convolution.transposed ? g * channels + c : g * filters + f;
            const std::int64_t second = convolution.transposed ? f : c;
            visit(flat({{n, 1},
                        {g * channels + c, convolution.input_channels},
                        {at_input[0], input[0]},
                        {at_input[1], input[1]},
                        {at_input[2], input[2]}}),
                  flat({{first, 1},
                        {second, convolution.transposed ? filters : channels},
                        {taps[0], kernel[0]},
                        {taps[1], kernel[1]},
                        {taps[2], kernel[2]}}),
                  flat({{n, 1},
                        {g * filters + f, convolution.output_channels},
                        {at_output[0], output[0]},
                        {at_output[1], output[1]},
                        {at_output[2], output[2]}}));
          }
  }
};

/** Sums and magnitudes, laid out as compute_reference does. */
inline task::Reference naive_reference(const task::Task& task, const task::ReferenceInputs& inputs) {
  const auto count = static_cast<std::size_t>(task.op->output.element_count());
  task::Reference result{std::vector<double>(count), {}, std::vector<double>(count)};
  const auto add = [&](std::int64_t a, std::int64_t b, std::int64_t out) {
    const double product =
        inputs.tensors[0].at(static_cast<std::size_t>(a)) * inputs.tensors[1].at(static_cast<std::size_t>(b));
    result.values.at(static_cast<std::size_t>(out)) += product;
    result.magnitudes.at(static_cast<std::size_t>(out)) += std::abs(product);
  };
  if (const auto* convolution = std::get_if<task::Convolution>(&task.definition)) {
    NaiveConvolution(*convolution).for_each_product(add);
    return result;
  }
  const auto& m = std::get<task::MatrixMultiplication>(task.definition);
  for (std::int64_t b = 0; b < m.batch; ++b)
    for (std::int64_t i = 0; i < m.m; ++i)
      for (std::int64_t j = 0; j < m.n; ++j)
        for (std::int64_t k = 0; k < m.k; ++k)
          add(b * m.m * m.k + (m.transpose_a ? k * m.m + i : i * m.k + k),
              b * m.k * m.n + (m.transpose_b ? j * m.k + k : k * m.n + j), (b * m.m + i) * m.n + j);
  return result;
}

}  // namespace kernelscape
