#include "ui/charts/curves/compare_curve_chart.h"

#include <QActionGroup>
#include <QMenu>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/curves/active_runs.h"
#include "ui/charts/direct_labels.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double head_room = 1.05;

/** Longer lists would cover the chart. */
constexpr std::size_t max_lines = 12;

}  // namespace

CompareCurveChart::CompareCurveChart(QWidget* parent) : XyChart(parent) {
  set_y_scales({AxisScale::Linear, AxisScale::Log10});
  home_changed();
  update_title();
  set_explanation(tr(
      "The best performance that each tuner had found after a time, or a number of trials, over all its "
      "runs. A run counts 0 before its first valid trial, and its last value after its end; the lane n below "
      "shows the number of runs that had not ended. With several tasks all tasks have equal weight.\n\nThe "
      "band is the 95 % interval of the mean at each point, by the bootstrap, which resamples the runs of "
      "each task for fixed tasks. It does not generalize to other tasks. If two bands overlap, refer to the "
      "test in the table. The menu changes the band to one standard error of the mean (over the repeats if "
      "there are several tasks), or to the quartiles around the median. If the whole space was measured, 100 "
      "% is its best configuration; otherwise 100 % is the best that any run found, and the title says so. "
      "The dotted line is that 100 %.\n\nBest so far against wall time as in NoSE, figure 5A; for one task "
      "figure 8."));
}

void CompareCurveChart::set_data(CompareCurveData data) {
  const bool same_kind = data.axis == data_.axis && data.y == data_.y && data.task == data_.task;
  data_ = std::move(data);
  update_title();
  update_lane();
  home_changed();
  if (!same_kind) reset_view();
  refresh_readout();
}

void CompareCurveChart::set_hidden(const std::set<std::size_t>& arms) {
  if (arms == hidden_) return;
  hidden_ = arms;
  set_readout(std::nullopt);
  update_title();
  update_lane();
  home_changed();
}

void CompareCurveChart::set_highlighted(std::optional<std::size_t> arm) {
  if (arm == highlighted_) return;
  highlighted_ = arm;
  invalidate();
}

void CompareCurveChart::set_spread(CompareSpread spread) {
  if (spread == spread_) return;
  const QString before = spread_text(data_, spread_);
  if (!before.isEmpty() && caption().startsWith(before))
    set_caption(spread_text(data_, spread) + caption().mid(before.size()));
  spread_ = spread;
  set_readout(std::nullopt);
  update_title();
  home_changed();
}

void CompareCurveChart::set_x_logarithmic(bool logarithmic) {
  if (logarithmic == x_logarithmic_) return;
  x_logarithmic_ = logarithmic;
  home_changed();
  reset_view();
}

void CompareCurveChart::set_small(bool small) {
  small_ = small;
  update_title();
}

std::vector<const CompareCurve*> CompareCurveChart::shown() const {
  std::vector<const CompareCurve*> curves;
  for (const CompareCurve& curve : data_.curves)
    if (!hidden_.contains(curve.arm) && !curve.curve.x.empty()) curves.push_back(&curve);
  return curves;
}

double CompareCurveChart::y_factor() const { return shows_share(data_) ? percent : 1; }

QString CompareCurveChart::y_text() const {
  if (data_.y == analysis::CompareY::Performance) return data_.unit;
  if (data_.y == analysis::CompareY::MemberShare) return tr("% valid offspring");
  if (data_.y == analysis::CompareY::SpeedUp) return tr("speed-up over %1").arg(data_.baseline);
  return data_.optimum_known ? tr("% of optimum") : tr("% of best found");
}

/** Returns the text behind the title: "mean and 95 % interval of 8 runs per tuner · % of optimum". */
QString CompareCurveChart::of_text() const {
  const QString of = compared_samples_text(shown(), data_);
  if (of.isEmpty()) return y_text();
  const QString what = spread_ == CompareSpread::Interval        ? tr("mean and 95 % interval")
                       : spread_ == CompareSpread::StandardError ? tr("mean and standard error")
                                                                 : tr("median and quartiles");
  const QString text = tr("%1 of %2").arg(what, of);
  return data_.y == analysis::CompareY::SpeedUp ? text : text + QStringLiteral(" · ") + y_text();
}

void CompareCurveChart::update_title() {
  if (small_) return set_title(data_.task, y_text());
  const QString what = data_.y == analysis::CompareY::SpeedUp ? tr("Speed-up over %1").arg(data_.baseline)
                       : data_.y == analysis::CompareY::MemberShare ? tr("Valid offspring")
                                                                    : tr("Best so far");
  const QString of = of_text();
  set_title(what, data_.task.isEmpty() ? of : data_.task + QStringLiteral(" · ") + of);
}

/** Shows the lane only if runs end before the end of x; after its end a run keeps its last value. */
void CompareCurveChart::update_lane() {
  const std::vector<double> active = active_runs(shown());
  const bool drops = active.size() > 2 && active[active.size() - 2] < active.front();
  set_lanes(drops && !small_ ? std::vector{Lane{QStringLiteral("n")}} : std::vector<Lane>{});
}

CompareCurveChart::Band CompareCurveChart::band_at(const CompareCurve& shown_curve, std::size_t index) const {
  const double factor = y_factor();
  const analysis::AggregatedCurve& curve = shown_curve.curve;
  if (spread_ == CompareSpread::Quartiles)
    return {curve.first_quartile[index] * factor, curve.median[index] * factor,
            curve.third_quartile[index] * factor};
  const double mean = curve.mean[index] * factor;
  if (spread_ == CompareSpread::StandardError) {
    const double error = curve.standard_error[index] * factor;
    return {mean - error, mean, mean + error};
  }
  const analysis::CurveBands& bands = shown_curve.bands;
  if (index >= bands.mean_low.size() || index >= bands.mean_high.size()) return {mean, mean, mean};
  return {bands.mean_low[index] * factor, mean, bands.mean_high[index] * factor};
}

Interval CompareCurveChart::y_range() const {
  double least = data_.optimum ? *data_.optimum * y_factor() : HUGE_VAL;
  double most = data_.optimum ? *data_.optimum * y_factor() : 0;
  for (const CompareCurve* curve : shown()) {
    for (std::size_t i = 0; i < curve->curve.x.size(); ++i) {
      const Band band = band_at(*curve, i);
      if (std::isfinite(band.high)) most = std::max(most, band.high);
      if (std::isfinite(band.middle) && band.middle > 0) least = std::min(least, band.middle);
    }
  }
  if (!(most > 0)) most = shows_share(data_) ? percent : 1;
  if (y_scale() == AxisScale::Linear) return {0, most * head_room};
  return {std::min(least, most / 2) / head_room, most * head_room};
}

void CompareCurveChart::home_changed() {
  Interval x{0, 1};
  for (const CompareCurve* curve : shown()) {
    const std::vector<double>& grid = curve->curve.x;
    const auto positive = std::ranges::find_if(grid, [](double value) { return value > 0; });
    if (positive == grid.end()) continue;
    x = {x_logarithmic_ ? *positive : 0, grid.back()};
    break;
  }
  const bool seconds = data_.axis == analysis::CompareAxis::Seconds;
  QString title = data_.y == analysis::CompareY::SpeedUp ? y_text() : tr("best so far");
  QString unit = data_.y == analysis::CompareY::Performance ? data_.unit : QString();
  if (data_.y == analysis::CompareY::ShareOfOptimum)
    title = data_.optimum_known ? tr("share of optimum") : tr("share of best found");
  if (data_.y == analysis::CompareY::MemberShare) title = tr("share of valid offspring");
  if (shows_share(data_)) unit = QStringLiteral("%");
  set_home({seconds ? tr("session time") : tr("trials"), seconds ? QStringLiteral("s") : QString(),
            x_logarithmic_ ? AxisScale::Log10 : AxisScale::Linear, x},
           {title, unit, y_scale(), y_range()});
}

PlotArea CompareCurveChart::area_of(const CompareCurve& shown_curve) const {
  PlotArea area{{}, {}, arm_ink(shown_curve.arm)};
  area.ink.role += "-band";
  area.ink.colour.setAlphaF(faint(shown_curve.arm) ? 0.06F : 0.18F);
  for (std::size_t i = 0; i < shown_curve.curve.x.size(); ++i) {
    const Band band = band_at(shown_curve, i);
    area.upper.emplace_back(shown_curve.curve.x[i], band.high);
    area.lower.emplace_back(shown_curve.curve.x[i], band.low);
  }
  return area;
}

PlotLine CompareCurveChart::line_of(const CompareCurve& shown_curve) const {
  PlotLine line{{}, arm_stroke(shown_curve.arm, highlighted_ == shown_curve.arm ? 3 : 2)};
  if (faint(shown_curve.arm)) {
    line.stroke.ink.role += "-faint";
    line.stroke.ink.colour.setAlphaF(0.35F);
  }
  for (std::size_t i = 0; i < shown_curve.curve.x.size(); ++i)
    line.points.emplace_back(shown_curve.curve.x[i], band_at(shown_curve, i).middle);
  return line;
}

void CompareCurveChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<const CompareCurve*> curves = shown();
  std::vector<PlotSeries> series;
  for (const CompareCurve* curve : curves) series.emplace_back(area_of(*curve));
  if (data_.optimum)
    series.emplace_back(level_line(frame, *data_.optimum * y_factor(), {text_ink(), 1, {1, 3}}));
  // Paint the highlighted curve last, on top.
  std::ranges::stable_partition(curves,
                                [&](const CompareCurve* curve) { return highlighted_ != curve->arm; });
  for (const CompareCurve* curve : curves) series.emplace_back(line_of(*curve));
  paint_series(canvas, frame, series);
  for (const CompareCurve* curve : curves)
    if (const PlotLine line = line_of(*curve); line.points.size() == 1)
      canvas.dots(std::array{frame.map(line.points[0].x(), line.points[0].y())}, 3.5, line.stroke.ink);
  if (!small_) paint_names(canvas, frame);
}

void CompareCurveChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<DirectLabel> labels;
  for (const CompareCurve* shown_curve : shown()) {
    const std::vector<double>& grid = shown_curve->curve.x;
    // The end of the visible part of the curve.
    const auto after = std::ranges::upper_bound(grid, frame.x.range.high) - grid.begin();
    if (after == 0) continue;
    const Band band = band_at(*shown_curve, static_cast<std::size_t>(after - 1));
    const double y = frame.map_y(band.middle);
    if (!(y >= frame.plot.top() - 1 && y <= frame.plot.bottom() + 1)) continue;
    labels.push_back({y + text_height(style::TextSize::Small), shown_curve->name, arm_ink(shown_curve->arm),
                      highlighted_ == shown_curve->arm});
  }
  paint_direct_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels);
}

void CompareCurveChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  if (!frame.lanes.empty()) paint_active_runs(canvas, frame, shown());
}

void CompareCurveChart::extend_spreads(QMenu& menu) {
  auto* spreads = new QActionGroup(&menu);
  for (const auto& [spread, text] : {std::pair{CompareSpread::Interval, tr("Mean and 95 % interval")},
                                     std::pair{CompareSpread::StandardError, tr("Mean and standard error")},
                                     std::pair{CompareSpread::Quartiles, tr("Median and quartiles")}}) {
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(spread == spread_);
    spreads->addAction(action);
    connect(action, &QAction::triggered, this, [this, spread] { set_spread(spread); });
  }
  menu.addSeparator();
}

void CompareCurveChart::extend_menu(QMenu& menu) {
  XyChart::extend_menu(menu);
  menu.addSeparator();
  extend_spreads(menu);
  QAction* logarithmic = menu.addAction(tr("Logarithmic time or trials"));
  logarithmic->setCheckable(true);
  logarithmic->setChecked(x_logarithmic_);
  connect(logarithmic, &QAction::toggled, this, [this](bool on) {
    set_x_logarithmic(on);
    emit x_logarithmic_changed(on);
  });
}

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

Table CompareCurveChart::table() const { return compare_curve_table(shown(), data_); }

}  // namespace kernelscape::charts
