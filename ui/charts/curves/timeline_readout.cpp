#include <algorithm>
#include <cmath>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/curves/timeline_chart.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** The relative error of a time that was mapped to pixels and back. */
constexpr double rounding = 1e-9;

QString seconds_text(double seconds) { return style::format_number(seconds, 7) + QStringLiteral(" s"); }

bool overlap(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }

}  // namespace

std::size_t TimelineChart::Band::nearest(double time) const {
  std::size_t low = 0;  // the first mark that ends after the time
  for (std::size_t high = marks(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (seconds(middle).high < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == marks()) return low - 1;
  if (low == 0 || seconds(low).low <= time) return low;
  return time - seconds(low - 1).high < seconds(low).low - time ? low - 1 : low;
}

std::optional<std::size_t> TimelineChart::band_at(const PlotFrame& frame, double y) const {
  const double value = frame.y_at(y);
  const auto found = std::ranges::find_if(bands_, [&](const Band& band) { return band.y.contains(value); });
  if (found == bands_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - bands_.begin());
}

Readout TimelineChart::readout_of(const PlotFrame& frame, const Band& band, std::size_t mark) const {
  const Interval seconds = band.seconds(mark);
  const Interval visible = valid_range(frame.x.range, frame.x.scale);
  const double middle = (std::max(seconds.low, visible.low) + std::min(seconds.high, visible.high)) / 2;
  Readout readout{{frame.map_x(middle), place_of(frame, band).center().y()}, {}, band.row(mark)};
  QString headline;
  if (readout.row >= 0)
    headline = tr("trial %1: ").arg(style::format_count(data_.trials.row(readout.row).number));
  if (band.lane == nullptr) {
    readout.lines = {
        headline + name_of(band) + QLatin1Char(' ') + style::format_percent(band.speeds->points[mark].speed),
        tr("of the machine's usual speed"), tr("after %1").arg(seconds_text(seconds.low))};
    return readout;
  }
  const analysis::TimelineBlock& block = band.lane->blocks[mark];
  readout.lines = {tr("%1%2, %3").arg(headline, name_of(band), seconds_text(seconds.span())),
                   tr("from %1 to %2").arg(seconds_text(seconds.low), seconds_text(seconds.high))};
  if (block.failure != trial::ErrorCategory::NoError)
    readout.lines.append(tr("failed: %1").arg(category_name(block.failure)));
  const bool build = band.lane->activity == analysis::Activity::Build;
  if (build && data_.trials.row(block.row).run_seconds > 0)
    readout.lines.append(tr("the duration is measured, the place is derived"));
  return readout;
}

std::optional<Readout> TimelineChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  const std::optional<std::size_t> index = band_at(shown, position.y());
  if (!index) return shaded_readout_at(position);
  const Band& band = bands_[*index];
  const std::size_t mark = band.nearest(shown.x_at(position.x()));
  const Interval seconds = band.seconds(mark);
  const bool hit = shown.map_x(seconds.low) <= position.x() + reach_pixels / 2 &&
                   shown.map_x(seconds.high) >= position.x() - reach_pixels / 2;
  return hit ? std::optional(readout_of(shown, band, mark)) : shaded_readout_at(position);
}

std::optional<Readout> TimelineChart::visible_readout(const PlotFrame& frame, const Band& band,
                                                      double seconds) const {
  const Interval visible = valid_range(frame.x.range, frame.x.scale);
  const std::size_t mark = band.nearest(std::clamp(seconds, visible.low, visible.high));
  if (!overlap(band.seconds(mark), visible)) return std::nullopt;
  return readout_of(frame, band, mark);
}

/** Returns the mark of a readout; marks at one time are distinguished by their trials. */
std::size_t TimelineChart::Band::mark_of(double time, std::int64_t trial_row) const {
  const double slack = rounding * std::max(1.0, std::abs(time));
  const std::size_t nearest_mark = nearest(time);
  for (std::size_t mark = nearest(time - slack); mark < marks() && seconds(mark).low <= time + slack; ++mark)
    if (row(mark) == trial_row) return mark;
  return nearest_mark;
}

/** Goes to the previous or the next block of a lane, or to the block of another lane at the same time. */
std::optional<Readout> TimelineChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  const PlotFrame shown = frame();
  const Interval visible = valid_range(shown.x.range, shown.x.scale);
  const std::optional<std::size_t> index =
      from ? band_at(shown, from->position.y()) : std::optional<std::size_t>();
  if (!index) {
    for (const Band& band : bands_)
      if (auto first = visible_readout(shown, band, visible.low)) return first;
    return std::nullopt;
  }
  const Band& band = bands_[*index];
  const double seconds = shown.x_at(from->position.x());
  if (direction == Qt::Key_Left || direction == Qt::Key_Right) {
    const std::size_t mark = band.mark_of(seconds, from->row);
    const bool left = direction == Qt::Key_Left;
    if (left ? mark == 0 : mark + 1 == band.marks()) return from;
    const std::size_t next = left ? mark - 1 : mark + 1;
    return overlap(band.seconds(next), visible) ? readout_of(shown, band, next) : from;
  }
  const auto step = direction == Qt::Key_Up ? -1 : 1;
  for (auto next = static_cast<std::ptrdiff_t>(*index) + step; next >= 0 && next < std::ssize(bands_);
       next += step)
    if (auto found = visible_readout(shown, bands_[static_cast<std::size_t>(next)], seconds)) return found;
  return from;
}

void TimelineChart::keyPressEvent(QKeyEvent* event) {
  const bool to_lane = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  XyChart::keyPressEvent(event);
  if (to_lane) show_lane_of_readout();
}

/** Moves zoomed lanes so that the lane of the readout is visible. */
void TimelineChart::show_lane_of_readout() {
  const std::optional<Readout> at = readout();
  const PlotFrame shown = frame();
  const std::optional<std::size_t> index =
      at ? band_at(shown, at->position.y()) : std::optional<std::size_t>();
  const Interval y = shown.y.range;
  if (!index || y.contains(shown.y_at(at->position.y()))) return;
  const Band& band = bands_[*index];
  const std::size_t mark = band.mark_of(shown.x_at(at->position.x()), at->row);
  double distance = band.y.high > y.high ? band.y.high - y.high : band.y.low - y.low;
  if (band.y.span() > y.span()) distance = (band.y.low + band.y.high - y.low - y.high) / 2;
  move_y({y.low + distance, y.high + distance});
  set_readout(readout_of(frame(), band, mark));
}

/** Returns what the band of the readout shows, before new data replace the bands. */
std::optional<TimelineChart::BandKind> TimelineChart::kind_of_readout() const {
  if (!readout()) return std::nullopt;
  const std::optional<std::size_t> index = band_at(frame(), readout()->position.y());
  return index ? std::optional(bands_[*index].kind()) : std::nullopt;
}

/** Keeps the readout of a trial's block when new data move it, else removes the readout. */
void TimelineChart::follow_readout(const std::optional<BandKind>& kind) {
  const std::optional<Readout> before = readout();
  if (!before) return;
  for (const Band& band : bands_) {
    if (before->row < 0 || band.kind() != kind) continue;
    for (std::size_t mark = 0; mark < band.marks(); ++mark)
      if (band.row(mark) == before->row) return set_readout(readout_of(frame(), band, mark));
  }
  set_readout(std::nullopt);
}

std::vector<qint64> TimelineChart::rows_in(const QRectF& rectangle) const {
  const PlotFrame shown = frame();
  const Interval seconds{shown.x_at(rectangle.left()), shown.x_at(rectangle.right())};
  const Interval y{shown.y_at(rectangle.bottom()), shown.y_at(rectangle.top())};
  std::vector<qint64> rows;
  for (const Band& band : bands_) {
    if (!overlap(band.y, y)) continue;
    for (std::size_t mark = 0; mark < band.marks(); ++mark)
      if (band.row(mark) >= 0 && overlap(band.seconds(mark), seconds)) rows.push_back(band.row(mark));
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

}  // namespace kernelscape::charts
