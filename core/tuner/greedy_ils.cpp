#include <algorithm>

#include "core/tuner/climbing_tuner.h"
#include "core/tuner/genes.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of draws of a neighbour that is a member.
constexpr int max_neighbour_draws = 100;

struct IteratedSettings {
  ClimbingSettings climbing{.first_move = true};
  std::int64_t patience = 50;
  double walk = 0.3;

  static SettingsOf<IteratedSettings> table() {
    const std::string tuner = "Kernel Tuner, greedy_ils";
    return SettingsOf<IteratedSettings>()
        .group(&IteratedSettings::climbing, ClimbingSettings::table(tuner, false, true))
        .add("patience", &IteratedSettings::patience, 1, 1'000'000'000, "climbs",
             "number of climbs without a new best after which the next one starts at a random configuration",
             tuner + " (no_improvement)")
        .add(
            "walk", &IteratedSettings::walk, 0, 1, "of the knobs",
            "number of random steps from an optimum to the next start, as a share of the number of knobs; at "
            "least one step",
            tuner + " (random_walk)");
  }
};

/** Iterated local search: the next climb starts a few random steps from the optimum of the last one. */
class IteratedTuner final : public ClimbingTuner {
 public:
  explicit IteratedTuner(const Context& context)
      : ClimbingTuner(context, read_settings<IteratedSettings>(context.settings).climbing),
        settings_(read_settings<IteratedSettings>(context.settings)) {}

 protected:
  std::optional<space::Configuration> leave(const trial::Observation& optimum) override {
    const bool better = optimum.fitness > best_;
    best_ = std::max(best_, optimum.fitness);
    climbs_without_best_ = better ? 0 : climbs_without_best_ + 1;
    if (climbs_without_best_ >= settings_.patience) return std::nullopt;
    space::Configuration start = optimum.configuration;
    const auto steps = static_cast<std::size_t>(settings_.walk * static_cast<double>(space().knobs().size()));
    for (std::size_t step = 0; step < std::max<std::size_t>(1, steps); ++step) take_step(start);
    return start;
  }

 private:
  /** Moves to a random neighbour that is a member; stays if none is found. */
  void take_step(space::Configuration& member) {
    for (int draw = 0; draw < max_neighbour_draws; ++draw) {
      space::Configuration neighbour = random_walk(member, space().knobs(), random());
      if (!space().contains(neighbour)) continue;
      member = std::move(neighbour);
      return;
    }
  }

  IteratedSettings settings_;
  double best_ = 0;  ///< fitness of the best optimum
  std::int64_t climbs_without_best_ = 0;
};

}  // namespace

Declaration greedy_ils_tuner() {
  return {
      .name = "greedy-ils",
      .summary = "hill climbing to the first better neighbour, again and again from near the last optimum",
      .source = "Kernel Tuner's greedy_ils",
      .default_batch = 1,
      .hyperparameters = settings_of<IteratedSettings>().declarations(),
      .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
        return std::make_unique<IteratedTuner>(context);
      },
      .series = {member_share_series("neighbours in a step of greedy-ils")},
      .starts_with_best = true,
      .random_phase = [](const SettingValues& /*settings*/,
                         std::int64_t /*trial_budget*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape::tuner
