#include "core/schedule/one_shot_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/curve_numbers.h"

namespace kernelscape::schedule {
namespace {

constexpr int one_shot_samples = 30;
constexpr std::size_t one_shot_knobs = 20;
constexpr std::size_t one_shot_shapes = 8;
static_assert(one_shot_columns == curve_number_count(one_shot_samples) + one_shot_knobs + one_shot_shapes);

/** Writes the last of the numbers, right-aligned behind zeros. */
void align_right(std::span<const float> numbers, std::span<float> row) {
  const std::span<const float> kept = numbers.last(std::min(numbers.size(), row.size()));
  const std::size_t zeros = row.size() - kept.size();
  std::ranges::fill(row.first(zeros), 0.0F);
  std::ranges::copy(kept, row.begin() + static_cast<std::ptrdiff_t>(zeros));
}

class OneShotFeatures final : public space::FeatureExtractor {
 public:
  explicit OneShotFeatures(const ScheduledKernel& kernel)
      : touches_(kernel.shared_schedule()), knobs_(kernel.space()), shapes_(one_shot_shapes) {
    std::vector<float> extents;
    const task::TensorOperator& op = kernel.task().op.value();
    for (const task::TensorAccess* tensor : {&op.inputs[1], &op.output})
      for (const std::int64_t extent : tensor->shape) extents.push_back(static_cast<float>(extent));
    align_right(extents, shapes_);
    names_ = curve_number_names(touches_.tensor_names(), one_shot_samples);
    for (std::size_t i = 0; i < one_shot_knobs; ++i)
      names_.push_back(fmt::format("knobs: {} from the last", one_shot_knobs - 1 - i));
    for (std::size_t i = 0; i < one_shot_shapes; ++i)
      names_.push_back(fmt::format("extents: {} from the last", one_shot_shapes - 1 - i));
  }

  std::string name() const override { return "one-shot"; }
  int version() const override { return one_shot_features_version; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const space::Configuration& configuration, std::span<float> row) const override {
    write_curve_numbers(touches_.of(configuration), one_shot_samples, row);
    row = row.subspan(curve_number_count(one_shot_samples));
    align_right(knobs_.compute(configuration), row.first(one_shot_knobs));
    std::ranges::copy(shapes_, row.subspan(one_shot_knobs).begin());
  }

 private:
  LoopTouches touches_;
  space::KnobFeatures knobs_;
  std::vector<float> shapes_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const space::FeatureExtractor> one_shot_features(const ScheduledKernel& kernel) {
  return std::make_shared<OneShotFeatures>(kernel);
}

}  // namespace kernelscape::schedule
