#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/schedule/loop_features.h"
#include "core/schedule/loop_touches.h"

namespace kernelscape {
namespace {

/// A sample that misses a point by rounding alone has reached it.
constexpr double rounding = 1e-6;

constexpr std::array relations{"count to reuse", "reuse to count", "count to topdown", "topdown to count"};

/** Each as long as the nest is deep and one more: ascending logarithms from a leading 0. */
struct Curves {
  std::vector<double> count, reuse, topdown;
};

/**
 * Counts and reuse grow from the innermost loop outwards and topdown inwards: taken in these orders they are
 * sorted.
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

class CurveFeatures final : public FeatureExtractor {
 public:
  CurveFeatures(const ScheduledKernel& kernel, int samples)
      : touches_(kernel.shared_schedule()),
        options_(kernel.space(), KnobSelection::Options),
        samples_(samples) {
    if (samples < 1) throw std::logic_error(fmt::format("{} samples of a curve", samples));
    for (const std::string& tensor : touches_.tensor_names())
      for (const char* relation : relations)
        for (int s = 0; s < samples; ++s)
          for (const char* number : {"log2 value", "log2 distance"})
            names_.push_back(fmt::format("{}: {} at {}: {}", tensor, relation, s, number));
    names_.insert(names_.end(), options_.names().begin(), options_.names().end());
  }

  std::string name() const override { return "curve"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const Configuration& configuration, std::span<float> row) const override {
    const std::vector<TouchedLoop> loops = touches_.of(configuration);
    const std::vector<double> empty(loops.size() + 1, 0);
    Curves curves{empty, empty, empty};
    float* next = row.data();
    for (std::size_t tensor = 0; tensor < touched_tensors; ++tensor) {
      trace(loops, tensor, curves);
      next = sample(curves.count, curves.reuse, samples_, next);
      next = sample(curves.reuse, curves.count, samples_, next);
      next = sample(curves.count, curves.topdown, samples_, next);
      next = sample(curves.topdown, curves.count, samples_, next);
    }
    options_.write(configuration, row.subspan(static_cast<std::size_t>(next - row.data())));
  }

 private:
  LoopTouches touches_;
  KnobFeatures options_;
  int samples_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const FeatureExtractor> curve_features(const ScheduledKernel& kernel, int samples) {
  return std::make_shared<CurveFeatures>(kernel, samples);
}

}  // namespace kernelscape
