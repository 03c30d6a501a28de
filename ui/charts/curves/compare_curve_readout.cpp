#include <algorithm>
#include <cmath>

#include "ui/charts/curves/compare_curve_chart.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Longer lists would cover the chart. */
constexpr std::size_t max_lines = 12;

}  // namespace

std::size_t CompareCurveChart::grid_index(double x) const {
  const std::vector<double>& grid = shown().front()->curve.x;
  const auto after = static_cast<std::size_t>(std::ranges::lower_bound(grid, x) - grid.begin());
  if (after == 0) return 0;
  if (after == grid.size()) return after - 1;
  return x - grid[after - 1] < grid[after] - x ? after - 1 : after;
}

/** Sorts the curves at a point of the grid, highest first; curves without a value come last. */
std::vector<const CompareCurve*> CompareCurveChart::sorted_at(std::size_t index) const {
  std::vector<const CompareCurve*> curves = shown();
  std::ranges::stable_sort(curves, std::greater(), [&](const CompareCurve* curve) {
    const double value = band_at(*curve, index).middle;
    return std::isnan(value) ? -HUGE_VAL : value;
  });
  return curves;
}

QString CompareCurveChart::value_text(const CompareCurve& shown_curve, std::size_t index) const {
  const Band band = band_at(shown_curve, index);
  const Axis axis = y_axis();
  const auto number = [&](double value) {
    return data_.y == analysis::CompareY::SpeedUp ? style::format_number(value, 3) + QStringLiteral(" x")
                                                  : axis.text(value);
  };
  if (std::isnan(band.middle))
    return (data_.y == analysis::CompareY::MemberShare ? tr("%1  not reported by every run yet")
                                                       : tr("%1  no valid trial yet"))
        .arg(shown_curve.name);
  const QString spread =
      spread_ == CompareSpread::StandardError
          ? tr("± %1").arg(style::format_number(band.high - band.middle, 2))
          : tr("[%1, %2]").arg(style::format_number(band.low, 3), style::format_number(band.high, 3));
  QString text = tr("%1  %2 %3 (n = %4)")
                     .arg(shown_curve.name, number(band.middle), spread)
                     .arg(shown_curve.curve.samples);
  const double active = shown_curve.curve.active[index];
  if (active < static_cast<double>(shown_curve.curve.n))
    text += tr(", %1 of %2 runs active").arg(active).arg(shown_curve.curve.n);
  return text;
}

Readout CompareCurveChart::readout_of(std::size_t index, std::size_t arm, const PlotFrame& frame) const {
  const std::vector<const CompareCurve*> curves = sorted_at(index);
  Readout readout;
  readout.row = static_cast<std::int64_t>(arm);
  for (const CompareCurve* curve : curves) {
    const double x = curve->curve.x[index];
    if (curve->arm == arm) {
      const double y = frame.map_y(band_at(*curve, index).middle);
      readout.position = {frame.map_x(x), std::isfinite(y)
                                              ? std::clamp(y, frame.plot.top(), frame.plot.bottom())
                                              : frame.plot.bottom()};
    }
    if (readout.lines.isEmpty())
      readout.lines.append(data_.axis == analysis::CompareAxis::Seconds
                               ? tr("after %1").arg(style::format_duration(x))
                               : tr("after %1 trials").arg(style::format_count(std::llround(x))));
    if (static_cast<std::size_t>(readout.lines.size()) <= max_lines)
      readout.lines.append(value_text(*curve, index));
  }
  if (curves.size() > max_lines) readout.lines.append(tr("and %1 more").arg(curves.size() - max_lines));
  return readout;
}

std::optional<Readout> CompareCurveChart::readout_at(QPointF position) const {
  const PlotFrame here = frame();
  if (!here.plot.contains(position) || shown().empty()) return std::nullopt;
  const std::size_t index = grid_index(here.x_at(position.x()));
  const std::vector<const CompareCurve*> curves = shown();
  const CompareCurve* nearest = *std::ranges::min_element(curves, {}, [&](const CompareCurve* curve) {
    const double y = here.map_y(band_at(*curve, index).middle);
    return std::isfinite(y) ? std::abs(y - position.y()) : HUGE_VAL;
  });
  return readout_of(index, nearest->arm, here);
}

/** Moves left and right along the grid, up and down from curve to curve. */
std::optional<Readout> CompareCurveChart::step_readout(const std::optional<Readout>& from,
                                                       Qt::Key direction) const {
  if (shown().empty()) return std::nullopt;
  const PlotFrame here = frame();
  const std::size_t size = shown().front()->curve.x.size();
  if (!from) {
    const std::size_t last = grid_index(here.x.range.high);
    return readout_of(last, sorted_at(last).front()->arm, here);
  }
  const std::size_t index = grid_index(here.x_at(from->position.x()));
  const auto arm = static_cast<std::size_t>(from->row);
  if (direction == Qt::Key_Left) return readout_of(index == 0 ? 0 : index - 1, arm, here);
  if (direction == Qt::Key_Right) return readout_of(std::min(index + 1, size - 1), arm, here);
  const std::vector<const CompareCurve*> curves = sorted_at(index);
  const auto found = std::ranges::find(curves, arm, &CompareCurve::arm) - curves.begin();
  const auto wanted =
      std::clamp<std::ptrdiff_t>(found + (direction == Qt::Key_Up ? -1 : 1), 0, std::ssize(curves) - 1);
  return readout_of(index, curves[static_cast<std::size_t>(wanted)]->arm, here);
}

void CompareCurveChart::activate(const Readout& readout) { emit arm_activated(readout.row); }

QString CompareCurveChart::summary() const {
  QStringList parts;
  if (shown().empty()) return {};
  const std::size_t last = shown().front()->curve.x.size() - 1;
  for (const CompareCurve* curve : sorted_at(last)) parts.append(value_text(*curve, last));
  return parts.join(QStringLiteral(", "));
}

Table CompareCurveChart::table() const {
  const std::string unit = shows_share() ? " (%)"
                           : data_.y == analysis::CompareY::Performance
                               ? " (" + data_.unit.toStdString() + ")"
                               : " (x)";
  const char* x = data_.axis == analysis::CompareAxis::Seconds ? "session time (s)" : "trials";
  Table table{{"tuner", x, "mean" + unit, "standard error" + unit, "median" + unit, "first quartile" + unit,
               "third quartile" + unit, "runs active", "runs", "samples", "mean, 95 % from" + unit,
               "mean, 95 % to" + unit},
              {}};
  const double factor = y_factor();
  const auto bound = [&](const std::vector<double>& bounds, std::size_t i) {
    return i < bounds.size() ? bounds[i] * factor : std::nan("");
  };
  for (const CompareCurve* shown_curve : shown()) {
    const analysis::AggregatedCurve& curve = shown_curve->curve;
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      table.rows.push_back({shown_curve->name.toStdString(), curve.x[i], curve.mean[i] * factor,
                            curve.standard_error[i] * factor, curve.median[i] * factor,
                            curve.first_quartile[i] * factor, curve.third_quartile[i] * factor,
                            curve.active[i], static_cast<double>(curve.n), static_cast<double>(curve.samples),
                            bound(shown_curve->bands.mean_low, i), bound(shown_curve->bands.mean_high, i)});
  }
  return table;
}

}  // namespace kernelscape::charts
