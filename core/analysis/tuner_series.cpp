#include "core/analysis/tuner_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/analysis/comparison/rank_correlation.h"
#include "core/trial/fields.h"

namespace kernelscape::analysis {
namespace {

std::string unit_text(trial::SeriesUnit unit, double flops) {
  switch (unit) {
    case trial::SeriesUnit::Fitness:
      return flops > 0 ? "GFLOPS" : "calls/s";
    case trial::SeriesUnit::ColumnRange:
      return "ranges";
    case trial::SeriesUnit::None:
    case trial::SeriesUnit::Share:
      break;
  }
  return {};
}

/** @param member of a group; empty: the description is of one series */
SeriesFigure figure_of(const trial::SeriesDescription& described, const std::string& member,
                       const SeriesSnapshot& series, double flops) {
  SeriesFigure figure{.name = trial::name_member(described.name, member),
                      .title = trial::name_member(described.title, member),
                      .unit = unit_text(described.unit, flops)};
  if (series.find(described.deviation) != nullptr) figure.deviation = described.deviation;
  figure.relation = described.relation;
  figure.steps = described.steps;
  figure.share = described.unit == trial::SeriesUnit::Share;
  figure.meaning = trial::name_member(described.meaning, member);
  if (!described.maker.empty()) figure.meaning += ": " + described.maker + ".";
  figure.group = described.group;
  figure.member = member;
  return figure;
}

/** Converts "learning_rate" to "Learning rate". */
std::string title_of(std::string_view name) {
  std::string title(name);
  std::ranges::replace(title, '_', ' ');
  const bool lower = !title.empty() && title.front() >= 'a' && title.front() <= 'z';
  if (lower) title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

SeriesFigure saved_figure() {
  return {.name = std::string(saved_samples_figure),
          .title = "Samples that were not needed",
          .unit = "samples",
          .from_trials = true,
          .meaning =
              "The adaptive evaluator ends a trial once its performance is steady. This is the number of "
              "repeats that were not taken (AdaTune, section 4.1)."};
}

}  // namespace

std::vector<SeriesFigure> series_figures(std::span<const trial::SeriesDescription> described,
                                         const SeriesSnapshot& series, bool with_saved_samples,
                                         double flops) {
  std::vector<SeriesFigure> figures;
  std::set<std::string_view> drawn;
  for (const trial::SeriesDescription& one : described) {
    for (const SeriesColumn& column : series.columns()) {
      const std::string& name = column.name();
      const std::optional<std::string> member = trial::member_of_family(one.name, name);
      if ((!member && name != one.name) || !drawn.insert(name).second) continue;
      figures.push_back(figure_of(one, member.value_or(""), series, flops));
      if (!one.deviation.empty()) drawn.insert(one.deviation);
    }
  }
  for (const SeriesColumn& column : series.columns()) {
    if (!drawn.contains(column.name()))
      figures.push_back({.name = column.name(), .title = title_of(column.name())});
  }
  if (with_saved_samples) figures.push_back(saved_figure());
  return figures;
}

double figure_value(const SeriesFigure& figure, const SeriesColumn* column, const trial::Row& trial) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (figure.from_trials)
    return trial.sample_count > 0 ? trial::measured_in<trial::Measured::SamplesSaved>(trial) : none;
  return column != nullptr ? column->at(trial.number) : none;
}

void PredictionPairs::add(double predicted, double measured) {
  if (!std::isfinite(predicted) || !std::isfinite(measured)) return;
  // Up to twice as many pairs are kept before the older half is removed, so that adding a pair costs O(1).
  if (predicted_.size() >= 2 * max_pairs) {
    for (std::vector<double>* side : {&predicted_, &measured_})
      side->erase(side->begin(), side->begin() + static_cast<std::ptrdiff_t>(max_pairs));
  }
  predicted_.push_back(predicted);
  measured_.push_back(measured);
  ++added_;
}

std::optional<PredictionQuality> PredictionPairs::quality() const {
  const std::size_t count = std::min(predicted_.size(), max_pairs);
  if (count < fewest_pairs) return std::nullopt;
  const auto tau = kendall_tau_b(std::span(predicted_).last(count), std::span(measured_).last(count));
  if (!tau) return std::nullopt;
  const auto trials = static_cast<std::int64_t>(count);
  return PredictionQuality{*tau, trials, trials == added_};
}

}  // namespace kernelscape::analysis
