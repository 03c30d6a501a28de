#include <fmt/format.h>

#include "core/schedule/loop_features.h"
#include "core/schedule/loop_numbers.h"

namespace kernelscape::schedule {
namespace {

class ItervarFeatures final : public space::FeatureExtractor {
 public:
  explicit ItervarFeatures(const ScheduledKernel& kernel)
      : touches_(kernel.shared_schedule()), options_(kernel.space(), space::KnobSelection::Options) {
    const std::vector<std::string> numbers = loop_number_names(touches_.tensor_names());
    for (const std::string& loop : touches_.loop_names())
      for (const std::string& number : numbers) names_.push_back(fmt::format("{}: {}", loop, number));
    names_.insert(names_.end(), options_.names().begin(), options_.names().end());
  }

  std::string name() const override { return "itervar"; }
  int version() const override { return 1; }
  const std::vector<std::string>& names() const override { return names_; }

  void write(const space::Configuration& configuration, std::span<float> row) const override {
    const std::vector<TouchedLoop> loops = touches_.of(configuration);
    for (std::size_t i = 0; i < loops.size(); ++i)
      write_loop_numbers(loops[i], i + 1, i + 1 == loops.size(),
                         row.subspan(i * numbers_per_loop).first<numbers_per_loop>());
    options_.write(configuration, row.subspan(loops.size() * numbers_per_loop));
  }

 private:
  LoopTouches touches_;
  space::KnobFeatures options_;
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const space::FeatureExtractor> itervar_features(const ScheduledKernel& kernel) {
  return std::make_shared<ItervarFeatures>(kernel);
}

}  // namespace kernelscape::schedule
