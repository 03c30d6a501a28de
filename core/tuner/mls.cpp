#include "core/tuner/climbing_tuner.h"

namespace kernelscape::tuner {
namespace {

struct MultiStartSettings {
  ClimbingSettings climbing = {};

  static SettingsOf<MultiStartSettings> table() {
    return SettingsOf<MultiStartSettings>().group(&MultiStartSettings::climbing,
                                                  ClimbingSettings::table("Kernel Tuner, mls", false, false));
  }
};

/** Multi-start local search: each climb starts from an unvisited random member. */
class MultiStartTuner final : public ClimbingTuner {
 public:
  explicit MultiStartTuner(const Context& context)
      : ClimbingTuner(context, read_settings<MultiStartSettings>(context.settings).climbing) {}

 protected:
  std::optional<space::Configuration> leave(const trial::Observation& /*optimum*/) override {
    return std::nullopt;
  }
};

}  // namespace

Declaration mls_tuner() {
  return {.name = "mls",
          .summary = "hill climbing to the best neighbour, from random starts",
          .source = "Kernel Tuner's mls; with move=first its greedy_mls",
          .default_batch = 1,
          .hyperparameters = settings_of<MultiStartSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<MultiStartTuner>(context);
          },
          .series = {member_share_series("neighbours in a step of mls")},
          .starts_with_best = true,
          .random_phase = [](const SettingValues& /*settings*/,
                             std::int64_t /*trial_budget*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape::tuner
