#include "core/session/shared_features.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>

#include "core/schedule/loop_features.h"
#include "core/space/cached_features.h"
#include "core/space/csp_features.h"

namespace kernelscape::session {
namespace {

/** What is held somewhere, by what it was made of. */
class HeldFeatures {
 public:
  space::FeatureSets find_or_make(const schedule::ScheduledKernel& kernel) {
    const std::string key =
        fmt::format("{} {} {:016x}\n{}\n{}", kernel.template_name(), kernel.template_version(),
                    kernel.space().fingerprint(), task::task_to_json(kernel.task()),
                    schedule::target_to_json(kernel.target()));
    const std::scoped_lock lock(mutex_);
    std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<const space::FeatureSets> sets = held_[key].lock();
    if (!sets) held_[key] = sets = std::make_shared<const space::FeatureSets>(own_features(kernel));
    // Each set holds them all.
    return {.knob = nullptr,
            .itervar = {sets, sets->itervar.get()},
            .curve = {sets, sets->curve.get()},
            .csp = {sets, sets->csp.get()}};
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const space::FeatureSets>> held_;
};

}  // namespace

space::FeatureSets own_features(const schedule::ScheduledKernel& kernel) {
  const auto cached = [&](std::shared_ptr<const space::FeatureExtractor> features) {
    return std::make_shared<space::CachedFeatures>(std::move(features), kernel.space());
  };
  return {.knob = nullptr,
          .itervar = cached(schedule::itervar_features(kernel)),
          .curve = cached(schedule::curve_features(kernel)),
          .csp = std::make_shared<space::CspFeatures>(kernel.space(), kernel.limits())};
}

space::FeatureSets shared_features(const schedule::ScheduledKernel& kernel) {
  static HeldFeatures held;
  return held.find_or_make(kernel);
}

}  // namespace kernelscape::session
