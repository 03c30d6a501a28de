#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/tuner/covariance_adaptation.h"
#include "core/tuner/knob_cube.h"
#include "core/tuner/measured_rounds.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of draws of a sample that is a member.
constexpr int max_sample_draws = 10;

/// Generations without a new configuration after which a search begins again: each takes long.
constexpr int max_idle_rounds = 5;

/// The number of samples grows up to this many times the first number.
constexpr double max_growth = 16;

/// Range of the step at which a search begins again: nothing is to be found with such a distribution.
constexpr double min_step = 1e-6;
constexpr double max_step = 10;

/// Least number of samples of a generation: two of them have weights.
constexpr std::size_t min_samples = 4;

struct CovarianceSettings {
  double step = 0.3;
  std::size_t samples = 0;
  double growth = 2;
  double minimum_deviation = 0.2;

  static SettingsOf<CovarianceSettings> table() {
    const std::string tutorial = "Hansen 2016, The CMA Evolution Strategy: A Tutorial";
    return SettingsOf<CovarianceSettings>()
        .add("step", &CovarianceSettings::step, 0.001, 10, "of a knob's range",
             "standard deviation of the first samples", tutorial)
        .add("samples", &CovarianceSettings::samples, 0, 100'000, "configurations",
             "lambda: samples per generation, at least 4; 0: 4 + floor(3 ln(knobs))", tutorial)
        .add("growth", &CovarianceSettings::growth, 1, 10, "",
             "factor of the number of samples each time the search begins again, up to 16 times the first "
             "number",
             "Auger and Hansen 2005")
        .add("minimum_deviation", &CovarianceSettings::minimum_deviation, 0, 10, "values",
             "least standard deviation of a knob, so that its values do not freeze",
             "ours; Hansen 2011, A CMA-ES for Mixed-Integer Nonlinear Optimization");
  }
};

/**
 * CMA-ES (Hansen) over the unit cube of the knobs with more than one value. A sample stands for the
 * configuration in whose part of the cube it lies, also beyond the faces; one that is no member is drawn
 * again, and counts as failed after ten draws. Generations are ranked by fitness, failed trials last,
 * equal ones as drawn. A search begins again, with more samples, from an unvisited random member.
 */
class CovarianceTuner final : public MeasuredRounds {
 public:
  explicit CovarianceTuner(const Context& context)
      : MeasuredRounds(context, max_idle_rounds),
        settings_(read_settings<CovarianceSettings>(context.settings)) {
    for (std::size_t knob = 0; knob < space().knobs().size(); ++knob)
      if (space().knobs()[knob].count() > 1) movable_.push_back(knob);
    const std::size_t dimensions = std::max<std::size_t>(1, movable_.size());
    const std::size_t samples = settings_.samples > 0 ? settings_.samples : default_samples(dimensions);
    first_samples_ = static_cast<double>(samples);
    samples_ = first_samples_;
  }

 protected:
  std::vector<space::Configuration> start_round() override {
    if (distribution_) samples_ = std::min(max_growth * first_samples_, samples_ * settings_.growth);
    distribution_.reset();
    lost_ = false;
    return take_fresh(1);
  }

  std::vector<space::Configuration> next_round() override {
    if (!distribution_ || lost_ || distribution_->step() < min_step || distribution_->step() > max_step)
      return {};
    std::vector<space::Configuration> round;
    points_.clear();
    while (round.size() < distribution_->samples()) {
      points_.push_back(distribution_->sample(random()));
      round.push_back(rounded(points_.back()));
      for (int draw = 1; draw < max_sample_draws && !space().contains(round.back()); ++draw) {
        points_.back() = distribution_->sample(random());
        round.back() = rounded(points_.back());
      }
    }
    return round;
  }

  void finish_round(std::span<const trial::Observation> round) override {
    if (movable_.empty()) return;
    if (!distribution_) {
      start_at(round.front().configuration);
      return;
    }
    lost_ = std::ranges::none_of(
        round, [&](const trial::Observation& one) { return space().contains(one.configuration); });
    std::vector<std::size_t> order(round.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return round[i].fitness; });
    std::vector<Eigen::VectorXd> ranked;
    for (const std::size_t i : order) ranked.push_back(points_[i]);
    distribution_->update(ranked);
    distribution_->raise_deviations(floors());
  }

 private:
  void start_at(const space::Configuration& member) {
    origin_ = cube_point(space(), member);
    Eigen::VectorXd mean(static_cast<Eigen::Index>(movable_.size()));
    for (std::size_t i = 0; i < movable_.size(); ++i)
      mean[static_cast<Eigen::Index>(i)] = origin_[movable_[i]];
    distribution_.emplace(std::move(mean), settings_.step, static_cast<std::size_t>(samples_));
  }

  space::Configuration rounded(const Eigen::VectorXd& sample) const {
    CubePoint point = origin_;
    for (std::size_t i = 0; i < movable_.size(); ++i)
      point[movable_[i]] = sample[static_cast<Eigen::Index>(i)];
    return configuration_at(space(), point);
  }

  Eigen::VectorXd floors() const {
    Eigen::VectorXd floors(static_cast<Eigen::Index>(movable_.size()));
    for (std::size_t i = 0; i < movable_.size(); ++i)
      floors[static_cast<Eigen::Index>(i)] =
          settings_.minimum_deviation / space().knobs()[movable_[i]].count();
    return floors;
  }

  CovarianceSettings settings_;
  std::vector<std::size_t> movable_;                  ///< knobs with more than one value
  double first_samples_ = 0;                          ///< per generation of the first search
  double samples_ = 0;                                ///< per generation of this search
  CubePoint origin_;                                  ///< of the start, for knobs with one value
  std::optional<CovarianceAdaptation> distribution_;  ///< nullopt until the start was measured
  bool lost_ = false;                                 ///< no sample of the round was a member
  std::vector<Eigen::VectorXd> points_;               ///< samples of the round
};

Status check_samples(const Context& context) {
  const std::size_t samples = read_settings<CovarianceSettings>(context.settings).samples;
  if (samples == 0 || samples >= min_samples) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("tuner cma-es: a generation of {} samples is too small (setting samples)", samples),
              fmt::format("set samples to at least {}, or to 0", min_samples));
}

}  // namespace

Declaration cma_es_tuner() {
  return {.name = "cma-es",
          .summary = "covariance matrix adaptation over the knobs' values, with restarts",
          .source = "Hansen 2016; restarts as in Auger and Hansen 2005",
          .default_batch = 8,
          .hyperparameters = settings_of<CovarianceSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            TRY(check_samples(context));
            return std::make_unique<CovarianceTuner>(context);
          },
          .fits = check_samples,
          .series = {member_share_series("samples of a generation of cma-es, each after its last draw")},
          .starts_with_best = true,
          .random_phase = [](const SettingValues& /*settings*/,
                             std::int64_t /*trial_budget*/) { return std::int64_t{1}; }};
}

}  // namespace kernelscape::tuner
