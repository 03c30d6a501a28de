#include "ui/charts/curves/walk_distance_chart.h"

#include <cmath>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t max_bars = 16;

QString distance_text(const analysis::DistanceMass& mass, bool and_more) {
  if (mass.distance == analysis::no_distance) return WalkDistanceChart::tr("unreachable");
  if (mass.distance == 0) return WalkDistanceChart::tr("0: stays");
  const QString number = style::format_count(mass.distance);
  if (and_more) return WalkDistanceChart::tr("%1 and more").arg(number);
  return mass.distance == 1 ? WalkDistanceChart::tr("1 move") : WalkDistanceChart::tr("%1 moves").arg(number);
}

void add(analysis::DistanceMass& sum, const analysis::DistanceMass& mass) {
  sum.values += mass.values;
  sum.probability += mass.probability;
  sum.members += mass.members;
  sum.members_probability += mass.members_probability;
}

}  // namespace

WalkDistanceChart::WalkDistanceChart(QWidget* parent)
    : StackedBarChart(
          {tr("probability"), QStringLiteral("%")},
          [](double value) { return style::format_percent(value / percent); }, parent) {
  set_explanation(tr(
      "The distance that a q-random walk over the values of one knob reaches (OpEvo, section 4.3): the "
      "probability that it ends this number of moves from its start, and the number of values at this "
      "distance. OpEvo's figure 2 shows the probabilities for a small knob; here they are summed by "
      "distance. A larger q spreads the walk wider. A near value remains more likely than a distant one, "
      "although there are fewer near values.\n\nHatched is the probability of values that are infeasible "
      "with the other knobs of the current trial; a tuner draws again in that case. Unreachable values are "
      "cut off by a restriction."));
}

void WalkDistanceChart::set_data(const std::vector<analysis::DistanceMass>& masses) {
  masses_ = masses;
  bars_.clear();
  bool and_more = false;
  for (const analysis::DistanceMass& mass : masses) {
    const bool full = bars_.size() == max_bars && mass.distance != analysis::no_distance;
    if (full) {
      add(bars_.back(), mass);
      and_more = true;
    } else {
      bars_.push_back(mass);
    }
  }
  std::vector<StackedBar> bars;
  for (std::size_t index = 0; index < bars_.size(); ++index) {
    const analysis::DistanceMass& mass = bars_[index];
    // Indices after the colours of arms, since the names of distances are not coloured.
    bars.push_back({style::arm_style_count + index,
                    distance_text(mass, and_more && index + 1 == max_bars),
                    {percent * mass.members_probability,
                     percent * std::max(0.0, mass.probability - mass.members_probability)}});
  }
  set_bars(std::move(bars));
}

const analysis::DistanceMass& WalkDistanceChart::mass_of(const StackedBar& bar) const {
  return bars_.at(bar.arm - style::arm_style_count);
}

std::vector<StackedPart> WalkDistanceChart::parts() const {
  return {{tr("feasible"), {accent_ink()}},
          {tr("infeasible: drawn again"), {muted_ink(), style::Hatch::Diagonal, surface_ink()}}};
}

QStringList WalkDistanceChart::details(const StackedBar& bar, std::size_t part) const {
  const analysis::DistanceMass& mass = mass_of(bar);
  const std::size_t values = part == 0 ? mass.members : mass.values - mass.members;
  const double probability =
      part == 0 ? mass.members_probability : mass.probability - mass.members_probability;
  QStringList lines{tr("%1 values").arg(style::format_count(static_cast<qint64>(values)))};
  if (values > 1)
    lines.append(
        tr("%1 each, on average").arg(style::format_percent(probability / static_cast<double>(values))));
  return lines;
}

QString WalkDistanceChart::bar_text(const StackedBar& bar) const {
  const analysis::DistanceMass& mass = mass_of(bar);
  const QString probability = style::format_percent(mass.probability);
  return mass.values == 1
             ? tr("%1  1 value").arg(probability)
             : tr("%1  %2 values").arg(probability, style::format_count(static_cast<qint64>(mass.values)));
}

Table WalkDistanceChart::table() const {
  Table table{
      {"moves from the start", "values", "probability", "feasible values", "probability of feasible values"},
      {}};
  for (const analysis::DistanceMass& mass : masses_)
    table.rows.push_back(
        {mass.distance == analysis::no_distance ? std::nan("") : static_cast<double>(mass.distance),
         static_cast<double>(mass.values), mass.probability, static_cast<double>(mass.members),
         mass.members_probability});
  return table;
}

}  // namespace kernelscape::charts
