#include <fmt/format.h>

#include <stdexcept>

#include "core/schedule/curve_numbers.h"
#include "core/schedule/loop_features.h"

namespace kernelscape::schedule {
namespace {

class CurveFeatures final : public space::FeatureExtractor {
 public:
  CurveFeatures(const ScheduledKernel& kernel, int samples)
      : touches_(kernel.shared_schedule()),
        options_(kernel.space(), space::KnobSelection::Options),
        samples_(samples) {
    if (samples < 1) throw std::logic_error(fmt::format("{} samples of a curve", samples));
    names_ = curve_number_names(touches_.tensor_names(), samples);
    names_.insert(names_.end(), options_.names().begin(), options_.names().end());
  }

  std::string name() const override { return "curve"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const space::Configuration& configuration, std::span<float> row) const override {
    write_curve_numbers(touches_.of(configuration), samples_, row);
    options_.write(configuration, row.subspan(curve_number_count(samples_)));
  }

 private:
  LoopTouches touches_;
  space::KnobFeatures options_;
  int samples_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const space::FeatureExtractor> curve_features(const ScheduledKernel& kernel, int samples) {
  return std::make_shared<CurveFeatures>(kernel, samples);
}

}  // namespace kernelscape::schedule
