#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/curves/progress_axis.h"
#include "ui/charts/curves/timeline_chart.h"
#include "ui/charts/legend_line.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

/** Narrower blocks are summed by columns of pixels. */
constexpr double min_block_pixels = 2;
/** Wider blocks are separated by a pixel. */
constexpr double min_separated_pixels = 4;
constexpr double min_number_pixels = 10;
constexpr double top_speed = 1.15;

/** Shares of columns of pixels that blocks take. */
class ColumnShares {
 public:
  explicit ColumnShares(const QRectF& area)
      : left_(area.left()), shares_(static_cast<std::size_t>(std::ceil(area.width())) + 1) {}

  /** Adds a block that lies in the area. */
  void add(double left, double right) {
    const auto first = static_cast<std::size_t>(left - left_);
    const auto last = std::min(static_cast<std::size_t>(right - left_), shares_.size() - 1);
    for (std::size_t column = first; column <= last; ++column) {
      const double begin = left_ + static_cast<double>(column);
      // A block of no width is seen too.
      shares_[column] += std::max(1e-3, std::min(right, begin + 1) - std::max(left, begin));
    }
  }

  /** Paints the shares as bars from the lower end of a lane; neighbours are one polygon. */
  void paint(Canvas& canvas, const QRectF& lane, const Ink& ink) const {
    for (std::size_t column = 0; column < shares_.size();) {
      if (shares_[column] == 0) {
        ++column;
        continue;
      }
      const double begin = left_ + static_cast<double>(column);
      std::vector<QPointF> outline{{begin, lane.bottom()}};
      for (; column < shares_.size() && shares_[column] > 0; ++column) {
        const double x = left_ + static_cast<double>(column);
        const double y =
            lane.bottom() - std::max(1.0, std::round(std::min(1.0, shares_[column]) * lane.height()));
        if (outline.size() > 1 && outline.back().y() == y) {
          outline.back().setX(x + 1);
        } else {
          outline.insert(outline.end(), {{x, y}, {x + 1, y}});
        }
      }
      outline.emplace_back(outline.back().x(), lane.bottom());
      canvas.polygon(outline, ink);
    }
  }

 private:
  double left_;
  std::vector<double> shares_;
};

/** The pixels of a linear time axis, without the cost of its general form for each block. */
struct TimePixels {
  explicit TimePixels(const PlotFrame& frame)
      : seconds(valid_range(frame.x.range, frame.x.scale)),
        left(frame.plot.left()),
        per_second(frame.plot.width() / seconds.span()) {}

  double at(double time) const {
    return left + (std::clamp(time, seconds.low, seconds.high) - seconds.low) * per_second;
  }

  Interval seconds;
  double left;
  double per_second;
};

/** Returns the blocks of which a part lies in an interval of time. */
std::span<const analysis::TimelineBlock> blocks_in(const analysis::TimelineLane& lane,
                                                   const Interval& seconds) {
  const auto first =
      std::ranges::lower_bound(lane.blocks, seconds.low, {}, &analysis::TimelineBlock::end_seconds);
  const auto last = std::ranges::upper_bound(first, lane.blocks.end(), seconds.high, {},
                                             &analysis::TimelineBlock::begin_seconds);
  return {first, last};
}

/** Returns the colour of a phase of the time breakdown, in which a confirmation is a run. */
Ink activity_ink(analysis::Activity activity) {
  const bool confirms = activity == analysis::Activity::Confirm;
  return phase_fill(static_cast<std::size_t>(confirms ? analysis::Activity::Run : activity)).ink;
}

}  // namespace

/** Leaves a gap between lanes that are high enough. */
QRectF TimelineChart::place_of(const PlotFrame& frame, const Band& band) {
  const double top = frame.map_y(band.y.high);
  const double bottom = std::max(frame.map_y(band.y.low), top + 1);
  const double gap = bottom - top > 6 ? 2 : 0;
  return QRectF(QPointF(frame.plot.left(), std::round(top) + gap / 2),
                QPointF(frame.plot.right(), std::round(bottom) - gap / 2));
}

void TimelineChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  for (const Band& band : bands_) {
    if (!place_of(frame, band).intersects(frame.plot)) continue;
    if (band.lane != nullptr) {
      paint_lane(canvas, frame, band);
    } else {
      paint_speeds(canvas, frame, band);
    }
  }
  paint_interruptions(canvas, frame, data_.trials, data_.interruption_seconds, ProgressX::Seconds);
}

/** Paints trials that do not pass the filter faintly, and failed and selected ones over the others. */
void TimelineChart::paint_lane(Canvas& canvas, const PlotFrame& frame, const Band& band) const {
  using Block = analysis::TimelineBlock;
  const auto passes = [this](const Block& block) { return block.row < 0 || data_.passing.holds(block.row); };
  const auto selected = [this](const Block& block) {
    return block.row >= 0 && block.row < selection().size() && selection().test(block.row);
  };
  if (data_.passing.filters())
    paint_blocks(canvas, frame, band, hairline_ink(), [](const Block&) { return true; });
  paint_blocks(canvas, frame, band, activity_ink(band.lane->activity), passes);
  if (band.failures)
    paint_blocks(canvas, frame, band, warning_ink(), [&](const Block& block) {
      return block.failure != trial::ErrorCategory::NoError && passes(block);
    });
  if (!selection().none()) paint_blocks(canvas, frame, band, marked_ink(), selected);
}

void TimelineChart::paint_blocks(Canvas& canvas, const PlotFrame& frame, const Band& band, const Ink& ink,
                                 const Chosen& chosen) const {
  const QRectF lane = place_of(frame, band);
  const TimePixels pixels(frame);
  ColumnShares narrow(frame.plot);
  for (const analysis::TimelineBlock& block : blocks_in(*band.lane, pixels.seconds)) {
    if (!chosen(block)) continue;
    const double left = pixels.at(block.begin_seconds);
    const double right = pixels.at(block.end_seconds);
    if (right - left < min_block_pixels) {
      narrow.add(left, right);
    } else {
      const double gap = right - left >= min_separated_pixels ? 1 : 0;
      const QRectF place(left, lane.top(), right - left - gap, lane.height());
      canvas.rect(place, ink);
      paint_number(canvas, place, block.row);
    }
  }
  narrow.paint(canvas, lane, ink);
}

/** Writes the number of a trial into its block if there is room for it. */
void TimelineChart::paint_number(Canvas& canvas, const QRectF& place, std::int64_t row) const {
  if (row < 0 || place.width() < min_number_pixels ||
      place.height() < text_height(style::TextSize::Small) - 2)
    return;
  const QString number = QString::number(data_.trials.row(row).number);
  if (text_width(number, style::TextSize::Small) + min_separated_pixels <= place.width())
    canvas.text(place.center(), number, {.ink = surface_ink(), .anchor = Qt::AlignCenter});
}

void TimelineChart::paint_speeds(Canvas& canvas, const PlotFrame& frame, const Band& band) {
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
  if (std::ranges::any_of(bands_, &Band::failures))
    entries.push_back({tr("failed"), warning_ink(), LegendMark::UprightBar});
  if (!selection().none()) entries.push_back({tr("selected"), marked_ink(), LegendMark::UprightBar});
  if (!data_.timeline->speeds.empty())
    entries.push_back({tr("machine's speed, dotted: usual"), accent_ink(), LegendMark::LevelBar});
  paint_legend(canvas, frame, std::move(entries));
}

/** Outlines the blocks of the current trial; at least three pixels wide, so that they are found. */
void TimelineChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const TimePixels pixels(frame);
  for (const auto& [index, mark] : current_) {
    const Interval seconds = bands_[index].seconds(mark);
    if (seconds.high < pixels.seconds.low || seconds.low > pixels.seconds.high) continue;
    const QRectF lane = place_of(frame, bands_[index]);
    const double left = pixels.at(seconds.low);
    canvas.outline(
        QRectF(left - 1, lane.top(), std::max(3.0, pixels.at(seconds.high) - left + 1), lane.height()),
        {marked_ink(), 2, {}});
  }
}

}  // namespace kernelscape::charts
