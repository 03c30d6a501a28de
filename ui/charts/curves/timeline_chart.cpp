#include "ui/charts/curves/timeline_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/curves/machine_strip.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/timeline_lane_painter.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double top_speed = 1.15;

double seconds_in(const analysis::TimelineLane& lane) {
  double seconds = 0;
  for (const analysis::TimelineBlock& block : lane.blocks) seconds += block.end_seconds - block.begin_seconds;
  return seconds;
}

QString seconds_text(double seconds) { return style::format_number(seconds, 7) + QStringLiteral(" s"); }

bool overlap(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }

}  // namespace

TimelineChart::TimelineChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Timeline"));
  set_y_moves(false);
  set_data({});
  set_explanation(tr(
      "What the tuner, the builders and the device of each machine did over session time. A block is the "
      "search before a batch, the build of a trial, its run with all checks, the confirmation of the best "
      "trials at the end, or a wait in which none of them was busy. A click on a block, or Enter, selects "
      "the trial. The wheel, Plus and Minus zoom the time, with Alt the lanes; arrow keys go from block to "
      "block and from lane to lane.\n\nBlocks narrower than two pixels are summed: the bar's height is the "
      "share of that "
      "time that they take. Blocks in the colour of warnings are the builds or runs in which trials "
      "failed.\n\nA session stores when each result was known, how long build and run took, and how long the "
      "tuner searched before each batch. So all durations are measured, and the ends of runs and of failed "
      "builds. The other times are derived: a device runs one kernel at a time; a kernel that was run was "
      "built in the last pause of the device that is long enough, or, if builds continue beside runs, from "
      "the beginning of its batch; the search begins when the previous batch is finished. Trials that are "
      "measured again after a slow phase have no stored time, so this time is shown as a wait. Pauses of the "
      "session, and waiting for a machine that is slower than usual, are no session time. The curve is the "
      "machine's speed while trials were measured; the dotted line is its usual speed.\n\nFollows the "
      "timeline of Tracy."));
}

void TimelineChart::set_data(const TimelineData& data) {
  const std::optional<TimelineBandKind> kind = kind_of_readout();
  data_ = data;
  update_bands();
  current_row_changed();
  set_shaded(slow_phase_label(), shaded_phases(data_.speeds.get(), ProgressX::Seconds));
  follow_readout(kind);
}

void TimelineChart::update_bands() {
  bands_ = make_bands(data_);
  const double end = std::max(data_.timeline->end_seconds, std::numeric_limits<double>::min());
  set_home({tr("session time"), QStringLiteral("s"), AxisScale::Linear, {0, end}}, band_axis(bands_, data_));
}

void TimelineChart::changeEvent(QEvent* event) {
  XyChart::changeEvent(event);
  if (event->type() == QEvent::FontChange) update_bands();
}

void TimelineChart::current_row_changed() {
  current_.clear();
  if (current_row() < 0) return;
  for (std::size_t band = 0; band < bands_.size(); ++band) {
    if (bands_[band].lane == nullptr) continue;
    const auto& blocks = bands_[band].lane->blocks;
    const auto found = std::ranges::find(blocks, current_row(), &analysis::TimelineBlock::row);
    if (found != blocks.end()) current_.emplace_back(band, static_cast<std::size_t>(found - blocks.begin()));
  }
}

void TimelineChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  const TimelineLanePainter lanes(frame, data_, selection());
  for (const TimelineBand& band : bands_) {
    if (!place_of(frame, band).intersects(frame.plot)) continue;
    if (band.lane != nullptr) {
      lanes.paint(canvas, band);
    } else {
      paint_speeds(canvas, frame, band);
    }
  }
  paint_interruptions(canvas, frame, data_.trials, data_.interruption_seconds, ProgressX::Seconds);
}

void TimelineChart::paint_speeds(Canvas& canvas, const PlotFrame& frame, const TimelineBand& band) {
  PlotFrame lane{.plot = place_of(frame, band), .x = frame.x, .y = {}, .lanes = {}};
  lane.y.range = {0, top_speed};
  PlotLine line{.points = {}, .stroke = {accent_ink(), 1.5, {}}, .stair = true};
  for (const analysis::TimelineSpeed& point : band.speeds->points)
    line.points.emplace_back(point.seconds, std::min(point.speed, top_speed));
  const double usual = lane.map_y(1);
  canvas.line({lane.plot.left(), usual}, {lane.plot.right(), usual}, {muted_ink(), 1, {2, 3}});
  const PlotSeries series = std::move(line);
  paint_series(canvas, lane, std::span(&series, 1));
}

void TimelineChart::paint_around(Canvas& canvas, const PlotFrame& frame) {
  std::vector<LegendEntry> entries;
  if (std::ranges::any_of(bands_, &TimelineBand::failures))
    entries.push_back({tr("failed"), warning_ink(), LegendMark::UprightBar});
  if (!selection().none()) entries.push_back({tr("selected"), marked_ink(), LegendMark::UprightBar});
  if (!data_.timeline->speeds.empty())
    entries.push_back({tr("machine's speed, dotted: usual"), accent_ink(), LegendMark::LevelBar});
  paint_legend(canvas, frame, std::move(entries));
}

/** Outlines the blocks of the current trial. */
void TimelineChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const TimelineLanePainter lanes(frame, data_, selection());
  for (const auto& [band, mark] : current_) lanes.outline(canvas, bands_[band], mark);
}

std::optional<std::size_t> TimelineChart::band_at(const PlotFrame& frame, double y) const {
  const double value = frame.y_at(y);
  const auto found =
      std::ranges::find_if(bands_, [&](const TimelineBand& band) { return band.y.contains(value); });
  if (found == bands_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - bands_.begin());
}

Readout TimelineChart::readout_of(const PlotFrame& frame, const TimelineBand& band, std::size_t mark) const {
  const Interval seconds = band.seconds(mark);
  const Interval visible = valid_range(frame.x.range, frame.x.scale);
  const double middle = (std::max(seconds.low, visible.low) + std::min(seconds.high, visible.high)) / 2;
  Readout readout{{frame.map_x(middle), place_of(frame, band).center().y()}, {}, band.row(mark)};
  QString headline;
  if (readout.row >= 0)
    headline = tr("trial %1: ").arg(style::format_count(data_.trials.row(readout.row).number));
  if (band.lane == nullptr) {
    readout.lines = {headline + name_of(band, data_) + QLatin1Char(' ') +
                         style::format_percent(band.speeds->points[mark].speed),
                     tr("of the machine's usual speed"), tr("after %1").arg(seconds_text(seconds.low))};
    return readout;
  }
  const analysis::TimelineBlock& block = band.lane->blocks[mark];
  readout.lines = {tr("%1%2, %3").arg(headline, name_of(band, data_), seconds_text(seconds.span())),
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
  const TimelineBand& band = bands_[*index];
  const std::size_t mark = band.nearest(shown.x_at(position.x()));
  const Interval seconds = band.seconds(mark);
  const bool hit = shown.map_x(seconds.low) <= position.x() + reach_pixels / 2 &&
                   shown.map_x(seconds.high) >= position.x() - reach_pixels / 2;
  return hit ? std::optional(readout_of(shown, band, mark)) : shaded_readout_at(position);
}

std::optional<Readout> TimelineChart::visible_readout(const PlotFrame& frame, const TimelineBand& band,
                                                      double seconds) const {
  const Interval visible = valid_range(frame.x.range, frame.x.scale);
  const std::size_t mark = band.nearest(std::clamp(seconds, visible.low, visible.high));
  if (!overlap(band.seconds(mark), visible)) return std::nullopt;
  return readout_of(frame, band, mark);
}

/** Goes to the previous or the next block of a lane, or to the block of another lane at the same time. */
std::optional<Readout> TimelineChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  const PlotFrame shown = frame();
  const Interval visible = valid_range(shown.x.range, shown.x.scale);
  const std::optional<std::size_t> index =
      from ? band_at(shown, from->position.y()) : std::optional<std::size_t>();
  if (!index) {
    for (const TimelineBand& band : bands_)
      if (auto first = visible_readout(shown, band, visible.low)) return first;
    return std::nullopt;
  }
  const TimelineBand& band = bands_[*index];
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
  const TimelineBand& band = bands_[*index];
  const std::size_t mark = band.mark_of(shown.x_at(at->position.x()), at->row);
  double distance = band.y.high > y.high ? band.y.high - y.high : band.y.low - y.low;
  if (band.y.span() > y.span()) distance = (band.y.low + band.y.high - y.low - y.high) / 2;
  move_y({y.low + distance, y.high + distance});
  set_readout(readout_of(frame(), band, mark));
}

/** Returns what the band of the readout shows, before new data replace the bands. */
std::optional<TimelineBandKind> TimelineChart::kind_of_readout() const {
  if (!readout()) return std::nullopt;
  const std::optional<std::size_t> index = band_at(frame(), readout()->position.y());
  return index ? std::optional(bands_[*index].kind()) : std::nullopt;
}

/** Keeps the readout of a trial's block when new data move it, else removes the readout. */
void TimelineChart::follow_readout(const std::optional<TimelineBandKind>& kind) {
  const std::optional<Readout> before = readout();
  if (!before) return;
  for (const TimelineBand& band : bands_) {
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
  for (const TimelineBand& band : bands_) {
    if (!overlap(band.y, y)) continue;
    for (std::size_t mark = 0; mark < band.marks(); ++mark)
      if (band.row(mark) >= 0 && overlap(band.seconds(mark), seconds)) rows.push_back(band.row(mark));
  }
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

Table TimelineChart::table() const {
  Table table{{"activity", "machine", "lane", "trial", "begin (s)", "end (s)", "failure"}, {}};
  const bool speeds = !data_.timeline->speeds.empty();
  if (speeds) add_machine_columns(table);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const TimelineBand& band : bands_) {
    if (band.lane == nullptr) continue;
    const auto lane = static_cast<double>(band.lane - data_.timeline->lanes.data());
    for (const analysis::TimelineBlock& block : band.lane->blocks) {
      const std::optional<trial::Row> row =
          block.row < 0 ? std::nullopt : std::optional(data_.trials.row(block.row));
      const bool failed = block.failure != trial::ErrorCategory::NoError;
      std::vector<Cell>& cells = table.rows.emplace_back(std::vector<Cell>{
          activity_name(*band.lane), machine_name(band.machine(), data_).toStdString(), lane,
          row ? static_cast<double>(row->number) : none, block.begin_seconds, block.end_seconds,
          failed ? std::string(trial::to_string(block.failure)) : std::string()});
      if (speeds) add_machine_cells(cells, row.value_or(trial::Row{}));
    }
  }
  return table;
}

QString TimelineChart::summary() const {
  if (bands_.empty()) return {};
  QStringList parts{tr("%1 trials in %2")
                        .arg(style::format_count(data_.trials.size()),
                             style::format_duration(data_.timeline->end_seconds))};
  for (const TimelineBand& band : bands_)
    if (band.lane != nullptr && band.lane->activity != analysis::Activity::Build)
      parts.append(tr("%1 %2").arg(name_of(band, data_), style::format_duration(seconds_in(*band.lane))));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
