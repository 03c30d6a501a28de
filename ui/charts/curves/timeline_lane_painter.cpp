#include "ui/charts/curves/timeline_lane_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

/** Narrower blocks are summed by columns of pixels. */
constexpr double min_block_pixels = 2;
/** Wider blocks are separated by a pixel. */
constexpr double min_separated_pixels = 4;
constexpr double min_number_pixels = 10;

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

void TimelineLanePainter::paint(Canvas& canvas, const TimelineBand& band) const {
  using Block = analysis::TimelineBlock;
  const auto passes = [this](const Block& block) { return block.row < 0 || data_.passing.holds(block.row); };
  const auto selected = [this](const Block& block) {
    return block.row >= 0 && block.row < selection_.size() && selection_.test(block.row);
  };
  if (data_.passing.filters()) paint_blocks(canvas, band, hairline_ink(), [](const Block&) { return true; });
  paint_blocks(canvas, band, activity_ink(band.lane->activity), passes);
  if (band.failures)
    paint_blocks(canvas, band, warning_ink(), [&](const Block& block) {
      return block.failure != trial::ErrorCategory::NoError && passes(block);
    });
  if (!selection_.none()) paint_blocks(canvas, band, marked_ink(), selected);
}

void TimelineLanePainter::paint_blocks(Canvas& canvas, const TimelineBand& band, const Ink& ink,
                                       const Chosen& chosen) const {
  const QRectF lane = place_of(frame_, band);
  const TimePixels pixels(frame_);
  ColumnShares narrow(frame_.plot);
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
void TimelineLanePainter::paint_number(Canvas& canvas, const QRectF& place, std::int64_t row) const {
  if (row < 0 || place.width() < min_number_pixels ||
      place.height() < text_height(style::TextSize::Small) - 2)
    return;
  const QString number = QString::number(data_.trials.row(row).number);
  if (text_width(number, style::TextSize::Small) + min_separated_pixels <= place.width())
    canvas.text(place.center(), number, {.ink = surface_ink(), .anchor = Qt::AlignCenter});
}

void TimelineLanePainter::outline(Canvas& canvas, const TimelineBand& band, std::size_t mark) const {
  const TimePixels pixels(frame_);
  const Interval seconds = band.seconds(mark);
  if (seconds.high < pixels.seconds.low || seconds.low > pixels.seconds.high) return;
  const QRectF lane = place_of(frame_, band);
  const double left = pixels.at(seconds.low);
  const double width = std::max(3.0, pixels.at(seconds.high) - left + 1);
  canvas.outline(QRectF(left - 1, lane.top(), width, lane.height()), {marked_ink(), 2, {}});
}

}  // namespace kernelscape::charts
