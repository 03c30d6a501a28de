#include "core/session/run_features.h"

#include <optional>
#include <utility>

namespace kernelscape::session {

RunFeatures::RunFeatures(std::shared_ptr<const space::CachedFeatures> shared,
                         std::shared_ptr<FeatureBill> bill)
    : shared_(std::move(shared)),
      bill_(std::move(bill)),
      asked_(std::make_unique<std::atomic<bool>[]>(shared_->places())) {}

void RunFeatures::write(const space::Configuration& configuration, std::span<float> row) const {
  const std::optional<space::KeptRow> kept = shared_->write_kept(configuration, row);
  if (!kept || !bill_->is_open()) return;
  std::atomic<bool>& asked = asked_[kept->place];
  if (asked.load(std::memory_order_relaxed) || asked.exchange(true, std::memory_order_relaxed)) return;
  if (!kept->computed) bill_->add(kept->compute_seconds);
}

space::FeatureSets features_of_run(const space::FeatureSets& sets, const std::shared_ptr<FeatureBill>& bill) {
  const auto billed = [&](const std::shared_ptr<const space::FeatureExtractor>& features) {
    const auto shared = std::dynamic_pointer_cast<const space::CachedFeatures>(features);
    return shared ? std::make_shared<const RunFeatures>(shared, bill) : features;
  };
  return {.knob = billed(sets.knob),
          .itervar = billed(sets.itervar),
          .curve = billed(sets.curve),
          .csp = billed(sets.csp)};
}

}  // namespace kernelscape::session
