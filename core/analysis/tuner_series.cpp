#include "core/analysis/tuner_series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/analysis/comparison/rank_correlation.h"
#include "core/analysis/landscape/column_relevance.h"

namespace kernelscape {
namespace {

enum class Unit { None, Fitness, Share };

/** What is known of a series by its name. */
struct Known {
  std::string_view name = {};
  std::string_view title = {};
  Unit unit = Unit::None;
  SeriesRelation relation = SeriesRelation::None;
  bool steps = false;
  std::string_view deviation = {};
  std::string_view meaning = {};
};

constexpr std::array known_series = {
    Known{.name = "predicted_mean",
          .title = "Predicted performance",
          .unit = Unit::Fitness,
          .relation = SeriesRelation::Estimate,
          .deviation = "predicted_deviation",
          .meaning = "What the tuner's model expected when the trial was proposed, with one standard "
                     "deviation: adatune's random forest by its trees (AdaTune, section 4.2.1), gp's "
                     "Gaussian process by its posterior on the logarithm of the time."},
    Known{.name = "estimated_fitness",
          .title = "Estimated performance",
          .unit = Unit::Fitness,
          .relation = SeriesRelation::Estimate,
          .meaning = "The weighted mean of the nearest measured neighbours when the trial was proposed "
                     "(NoSE, equations 1 to 3)."},
    Known{.name = "predicted_value",
          .title = "Predicted reward",
          .relation = SeriesRelation::Ranking,
          .meaning = "What the critic expected of a move from the configuration before the trial. The reward "
                     "is the performance or, as a setting, its share of the best so far, so only the order "
                     "can be compared (N-A2C, one of OpEvo's baselines)."},
    Known{.name = "predicted_score",
          .title = "Predicted score",
          .relation = SeriesRelation::Ranking,
          .meaning = "The score that the boosted trees gave the trial when its batch was planned. By default "
                     "they learn the order of trials and not their speed, so only the order can be compared "
                     "(AutoTVM)."},
    Known{.name = "predicted_deviation",
          .title = "Predicted standard deviation",
          .unit = Unit::Fitness,
          .meaning =
              "The standard deviation of what the tuner's model expected: over the trees of adatune's "
              "random forest (AdaTune, section 4.2.1), of the posterior of gp's Gaussian process with the "
              "noise of a measurement."},
    Known{.name = "expected_improvement",
          .title = "Expected improvement",
          .unit = Unit::Fitness,
          .meaning = "By how much the model expected the trial to beat the best so far, counting a loss as "
                     "nothing (AdaTune, equations 1 and 2)."},
    Known{.name = "feasibility",
          .title = "Predicted probability that the trial is valid",
          .unit = Unit::Share,
          .meaning = "What a second model, of whether trials are valid, gave the trial when it was proposed; "
                     "reported once a trial has failed. A configuration that is probably invalid is tried "
                     "only where much is expected of it."},
    Known{.name = "epsilon",
          .title = "Exploration: share of random candidates",
          .unit = Unit::Share,
          .steps = true,
          .meaning = "Epsilon of AdaTune, equation 3: the mean predicted standard deviation of "
                     "configurations that were not tried, over the best performance so far. That share of a "
                     "plan is drawn at random. A fixed epsilon is one more hyperparameter to choose, as "
                     "AdaTune's figure 4 shows."},
    Known{.name = "temperature",
          .title = "Temperature",
          .steps = true,
          .meaning = "Of the annealing when the trial was proposed: the higher, the more often a worse trial "
                     "is accepted."},
    Known{.name = "action_probability",
          .title = "Probability of the chosen move",
          .unit = Unit::Share,
          .meaning = "Which probability the policy gave the move that led to the trial (N-A2C, one of "
                     "OpEvo's baselines)."},
    Known{.name = "expanded_fitness",
          .title = "Performance of the expanded neighbour",
          .unit = Unit::Fitness,
          .meaning = "Of the configuration whose neighbour the trial is (G-BFS, one of OpEvo's baselines)."},
    Known{.name = "walk_steps",
          .title = "Steps of the random walk",
          .meaning = "How far the q-random walk went from the parent to the trial (OpEvo)."},
};

const Known* find_known(std::string_view name) {
  const auto* const found = std::ranges::find(known_series, name, &Known::name);
  return found != known_series.end() ? found : nullptr;
}

std::string unit_text(Unit unit, double flops) {
  if (unit != Unit::Fitness) return {};
  return flops > 0 ? "GFLOPS" : "calls/s";
}

SeriesFigure figure_of(const Known& known, const SeriesSnapshot& series, double flops) {
  SeriesFigure figure{.name = std::string(known.name), .title = std::string(known.title)};
  figure.unit = unit_text(known.unit, flops);
  if (!known.deviation.empty() && series.find(known.deviation) != nullptr) figure.deviation = known.deviation;
  figure.relation = known.relation;
  figure.steps = known.steps;
  figure.share = known.unit == Unit::Share;
  figure.meaning = known.meaning;
  return figure;
}

SeriesFigure lengthscale_figure(const std::string& name, const std::string& column) {
  return {.name = name,
          .title = "Lengthscale of " + column,
          .unit = "ranges",
          .steps = true,
          .meaning = "How far the Gaussian process sees along " + column +
                     ", in units of the column's whole range. Short: a small move changes the performance, "
                     "so the column matters; long: configurations that differ in it alone perform alike. "
                     "Fitted again as trials come; until enough of them are valid all columns have 1.",
          .group = "Lengthscales",
          .member = column};
}

/** "learning_rate" becomes "Learning rate". */
std::string title_of(std::string_view name) {
  std::string title(name);
  std::ranges::replace(title, '_', ' ');
  const bool lower = !title.empty() && title.front() >= 'a' && title.front() <= 'z';
  if (lower) title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

SeriesFigure saved_figure() {
  return {.name = std::string(samples_saved_figure),
          .title = "Samples that were not needed",
          .unit = "samples",
          .from_trials = true,
          .meaning =
              "The adaptive evaluator ends a trial once its performance is steady: so many of its repeats "
              "were not taken (AdaTune, section 4.1)."};
}

}  // namespace

std::vector<SeriesFigure> series_figures(const SeriesSnapshot& series, bool samples_saved, double flops) {
  std::vector<SeriesFigure> figures;
  std::vector<std::string_view> drawn;
  for (const Known& known : known_series) {
    const bool with_mean = std::ranges::find(drawn, known.name) != drawn.end();
    if (with_mean || series.find(known.name) == nullptr) continue;
    figures.push_back(figure_of(known, series, flops));
    drawn.push_back(known.name);
    if (!known.deviation.empty()) drawn.push_back(known.deviation);
  }
  for (const SeriesColumn& column : series.columns()) {
    if (const auto of = lengthscale_column(column.name()))
      figures.push_back(lengthscale_figure(column.name(), *of));
  }
  for (const SeriesColumn& column : series.columns()) {
    if (find_known(column.name()) == nullptr && !lengthscale_column(column.name()))
      figures.push_back({.name = column.name(), .title = title_of(column.name())});
  }
  if (samples_saved) figures.push_back(saved_figure());
  return figures;
}

double figure_value(const SeriesFigure& figure, const SeriesColumn* column, const TrialRow& trial) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (figure.from_trials) return trial.sample_count > 0 ? trial.samples_saved : none;
  return column != nullptr ? column->at(trial.number) : none;
}

void PredictionPairs::add(double predicted, double measured) {
  if (!std::isfinite(predicted) || !std::isfinite(measured)) return;
  // Twice as many are kept before the older half goes, so that one costs O(1).
  if (predicted_.size() >= 2 * most_pairs) {
    for (std::vector<double>* side : {&predicted_, &measured_})
      side->erase(side->begin(), side->begin() + static_cast<std::ptrdiff_t>(most_pairs));
  }
  predicted_.push_back(predicted);
  measured_.push_back(measured);
  ++added_;
}

std::optional<PredictionQuality> PredictionPairs::quality() const {
  const std::size_t count = std::min(predicted_.size(), most_pairs);
  if (count < fewest_pairs) return std::nullopt;
  const auto tau = kendall_tau_b(std::span(predicted_).last(count), std::span(measured_).last(count));
  if (!tau) return std::nullopt;
  const auto trials = static_cast<std::int64_t>(count);
  return PredictionQuality{*tau, trials, trials == added_};
}

}  // namespace kernelscape
