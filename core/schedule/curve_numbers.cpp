#include "core/schedule/curve_numbers.h"

#include <fmt/format.h>

namespace kernelscape::schedule {
namespace {

/// A sample that misses a point only by rounding counts as having reached it.
constexpr double rounding = 1e-6;

constexpr std::array relations{"count to reuse", "reuse to count", "count to topdown", "topdown to count"};

/** Curves with one point more than the nest is deep: ascending logarithms from a leading 0. */
struct Curves {
  std::vector<double> count, reuse, topdown;
};

/**
 * Counts and reuse grow from the innermost loop outwards, topdown grows inwards: traversed in these orders
 * they are sorted.
 */
void trace(const std::vector<TouchedLoop>& loops, std::size_t tensor, Curves& curves) {
  const std::size_t depth = loops.size();
  for (std::size_t i = 0; i < depth; ++i) {
    const Touch& touch = loops[depth - 1 - i].touches[tensor];
    curves.count[i + 1] = binary_logarithm(touch.count);
    curves.reuse[i + 1] = binary_logarithm(touch.reuse);
    curves.topdown[i + 1] = binary_logarithm(loops[i].topdown);
  }
}

float* sample(const std::vector<double>& x, const std::vector<double>& y, int samples, float* out) {
  std::size_t last = 0;
  for (int s = 0; s < samples; ++s) {
    while (last + 1 < x.size() && s >= x[last + 1] - rounding) ++last;
    *out++ = static_cast<float>(y[last]);
    *out++ = static_cast<float>(s - x[last]);
  }
  return out;
}

}  // namespace

std::vector<std::string> curve_number_names(const std::array<std::string, touched_tensors>& tensors,
                                            int samples) {
  std::vector<std::string> names;
  for (const std::string& tensor : tensors)
    for (const char* relation : relations)
      for (int s = 0; s < samples; ++s)
        for (const char* number : {"log2 value", "log2 distance"})
          names.push_back(fmt::format("{}: {} at {}: {}", tensor, relation, s, number));
  return names;
}

void write_curve_numbers(const std::vector<TouchedLoop>& loops, int samples, std::span<float> numbers) {
  const std::vector<double> empty(loops.size() + 1, 0);
  Curves curves{empty, empty, empty};
  float* next = numbers.data();
  for (std::size_t tensor = 0; tensor < touched_tensors; ++tensor) {
    trace(loops, tensor, curves);
    next = sample(curves.count, curves.reuse, samples, next);
    next = sample(curves.reuse, curves.count, samples, next);
    next = sample(curves.count, curves.topdown, samples, next);
    next = sample(curves.topdown, curves.count, samples, next);
  }
}

}  // namespace kernelscape::schedule
