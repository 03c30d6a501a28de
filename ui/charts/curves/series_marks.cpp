#include "ui/charts/curves/series_marks.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kernelscape::charts {
namespace {

constexpr double bar_width = 3;

}  // namespace

void StepLine::clear() { *this = {}; }

void StepLine::append(double x, double value) {
  if (!std::isfinite(x) || !std::isfinite(value)) return;
  ascending_ = ascending_ && (steps_.empty() || x >= end_);
  end_ = x;
  if (steps_.empty() || steps_.back().y() != value) steps_.emplace_back(x, value);
}

std::vector<QPointF> StepLine::points(const PlotFrame& frame) const {
  const auto has_place = [&](const QPointF& step) { return std::isfinite(scaled(step.y(), frame.y.scale)); };
  auto first = steps_.begin();
  auto last = steps_.end();
  if (ascending_) {
    first = std::ranges::lower_bound(steps_, frame.x.range.low, {}, &QPointF::x);
    last = std::ranges::upper_bound(steps_, frame.x.range.high, {}, &QPointF::x);
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): from left to right
    while (first != steps_.begin() && !has_place(*--first)) continue;
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): from left to right
    while (last != steps_.end() && !has_place(*last++)) continue;
  }
  std::vector<QPointF> shown;
  std::copy_if(first, last, std::back_inserter(shown), has_place);
  if (last == steps_.end() && !shown.empty() && end_ > shown.back().x())
    shown.emplace_back(end_, shown.back().y());
  return shown;
}

void UncertaintyBand::clear() { *this = {}; }

void UncertaintyBand::append(double x, double low, double high) {
  ascending_ = ascending_ && (x_.empty() || x >= x_.back());
  x_.push_back(x);
  low_.push_back(low);
  high_.push_back(high);
}

void UncertaintyBand::paint(Canvas& canvas, const PlotFrame& frame, const Ink& ink) const {
  struct Bar {
    double low = 0;
    double high = 0;
    double count = 0;
  };
  std::vector<Bar> bars(static_cast<std::size_t>(std::ceil(frame.plot.width() / bar_width)) + 1);
  const auto first = ascending_ ? std::ranges::lower_bound(x_, frame.x_at(frame.plot.left())) : x_.begin();
  for (auto at = first; at != x_.end(); ++at) {
    const double pixel = frame.map_x(*at) - frame.plot.left();
    if (ascending_ && pixel > frame.plot.width()) break;
    const auto index = static_cast<std::size_t>(at - x_.begin());
    const double high = frame.map_y(high_[index]);
    // The part that a logarithmic axis cannot show lies below the axis.
    const double low = frame.map_y(low_[index]);
    if (!(pixel >= 0 && pixel <= frame.plot.width()) || !std::isfinite(high)) continue;
    Bar& bar = bars[static_cast<std::size_t>(pixel / bar_width)];
    bar.low += std::isfinite(low) ? low : frame.plot.bottom();
    bar.high += high;
    bar.count += 1;
  }
  for (std::size_t index = 0; index < bars.size(); ++index) {
    const Bar& bar = bars[index];
    if (bar.count == 0) continue;
    const double left = frame.plot.left() + bar_width * static_cast<double>(index);
    canvas.rect(QRectF(QPointF(left, bar.high / bar.count), QPointF(left + bar_width, bar.low / bar.count)),
                ink);
  }
}

}  // namespace kernelscape::charts
