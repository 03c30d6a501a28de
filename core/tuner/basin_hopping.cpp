#include <algorithm>
#include <cmath>

#include "core/tuner/climbing_tuner.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of draws of a hop that ends at a member.
constexpr int max_hop_draws = 100;

struct HoppingSettings {
  ClimbingSettings climbing{.adjacent = true};
  double temperature = 1;
  double step = 1;
  std::int64_t step_interval = 50;
  double accepted_share = 0.5;
  double step_factor = 0.9;

  static SettingsOf<HoppingSettings> table() {
    const std::string scipy = "SciPy, basinhopping";
    const std::string ours = "ours: the descent of SciPy's L-BFGS-B, on a grid";
    return SettingsOf<HoppingSettings>()
        .group(&HoppingSettings::climbing, ClimbingSettings::table(ours, true, false))
        .add("temperature", &HoppingSettings::temperature, 0, 1e6, "of the best time",
             "increase in time at which a minimum is accepted with probability 1/e; 0: only better ones",
             "Kernel Tuner, basinhopping (T)")
        .add("step", &HoppingSettings::step, 0, 1e6, "values",
             "largest displacement of a knob by a hop, at first", "Kernel Tuner, basinhopping (eps)")
        .add("step_interval", &HoppingSettings::step_interval, 1, 1'000'000'000, "hops",
             "number of hops between two changes of the step", scipy + " (interval)")
        .add("accepted_share", &HoppingSettings::accepted_share, 0, 1, "",
             "share of accepted hops above which the step grows, and otherwise shrinks",
             scipy + " (target_accept_rate)")
        .add("step_factor", &HoppingSettings::step_factor, 0.01, 1, "",
             "factor by which the step shrinks, or the divisor by which it grows",
             scipy + " (stepwise_factor)");
  }
};

/**
 * Basin hopping (Wales and Doye 1997) with the steps of SciPy's: from the accepted minimum all knobs are
 * displaced at random, a descent over the next values finds the minimum there, and the Metropolis rule
 * accepts it or not. Times count in units of the best minimum's, so that the temperature does not depend on
 * the kernel.
 */
class HoppingTuner final : public ClimbingTuner {
 public:
  explicit HoppingTuner(const Context& context)
      : ClimbingTuner(context, read_settings<HoppingSettings>(context.settings).climbing),
        settings_(read_settings<HoppingSettings>(context.settings)),
        step_(settings_.step) {}

 protected:
  std::vector<space::Configuration> start_round() override {
    accepted_ = {};
    return ClimbingTuner::start_round();
  }

  std::optional<space::Configuration> leave(const trial::Observation& minimum) override {
    best_ = std::max(best_, minimum.fitness);
    const bool first = accepted_.configuration.indices.empty();
    const bool accepted = first || accepts(minimum.fitness);
    if (accepted) accepted_ = minimum;
    if (!first) adapt_step(accepted);
    for (int draw = 0; draw < max_hop_draws; ++draw) {
      space::Configuration start = hop_from(accepted_.configuration);
      if (space().contains(start)) return start;
    }
    return std::nullopt;
  }

 private:
  bool accepts(double fitness) {
    const double draw = random().uniform();
    if (fitness >= accepted_.fitness) return true;
    if (!(fitness > 0) || !(settings_.temperature > 0)) return false;
    const double increase = best_ / fitness - best_ / accepted_.fitness;
    return draw < std::exp(-increase / settings_.temperature);
  }

  void adapt_step(bool accepted) {
    ++hops_;
    accepted_hops_ += accepted ? 1 : 0;
    if (hops_ % settings_.step_interval != 0) return;
    const double share = static_cast<double>(accepted_hops_) / static_cast<double>(hops_);
    step_ *= share > settings_.accepted_share ? 1 / settings_.step_factor : settings_.step_factor;
  }

  space::Configuration hop_from(const space::Configuration& from) {
    space::Configuration to = from;
    for (std::size_t knob = 0; knob < to.indices.size(); ++knob) {
      const double moved = to.indices[knob] + step_ * (2 * random().uniform() - 1);
      const double last = space().knobs()[knob].count() - 1.0;
      to.indices[knob] = static_cast<std::uint32_t>(std::clamp(std::round(moved), 0.0, last));
    }
    return to;
  }

  HoppingSettings settings_;
  double step_;
  double best_ = 0;              ///< fitness of the best minimum
  trial::Observation accepted_;  ///< no configuration before the first minimum
  std::int64_t hops_ = 0;
  std::int64_t accepted_hops_ = 0;
};

}  // namespace

Declaration basin_hopping_tuner() {
  return {.name = "basin-hopping",
          .summary = "descents over next values, from random displacements of the last accepted minimum",
          .source = "Kernel Tuner's basinhopping; Wales and Doye 1997",
          .default_batch = 1,
          .hyperparameters = settings_of<HoppingSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<HoppingTuner>(context);
          },
          .series = {member_share_series("neighbours in a step of basin-hopping")},
          .starts_with_best = true,
          .random_phase = [](const SettingValues& /*settings*/,
                             std::int64_t /*trial_budget*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape::tuner
