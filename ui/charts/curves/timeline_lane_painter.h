#pragma once

#include <functional>

#include "ui/charts/curves/timeline_bands.h"

namespace kernelscape::charts {

/** Paints the blocks of a timeline's lanes. Blocks narrower than two pixels are summed by columns of pixels.
 */
class TimelineLanePainter {
 public:
  /** Makes a painter of a plot; all arguments outlive it. */
  TimelineLanePainter(const PlotFrame& frame, const TimelineData& data, const analysis::RowSet& selection)
      : frame_(frame), data_(data), selection_(selection) {}

  /** Paints trials that do not pass the filter faintly, and failed and selected ones over the others. */
  void paint(Canvas& canvas, const TimelineBand& band) const;
  /** Outlines a block; at least three pixels wide, so that it is found. */
  void outline(Canvas& canvas, const TimelineBand& band, std::size_t mark) const;

 private:
  using Chosen = std::function<bool(const analysis::TimelineBlock&)>;

  void paint_blocks(Canvas& canvas, const TimelineBand& band, const Ink& ink, const Chosen& chosen) const;
  void paint_number(Canvas& canvas, const QRectF& place, std::int64_t row) const;

  const PlotFrame& frame_;
  const TimelineData& data_;
  const analysis::RowSet& selection_;
};

}  // namespace kernelscape::charts
