#include "ui/charts/courses/series_marks.h"

#include <algorithm>
#include <cmath>

namespace kernelscape {
namespace {

constexpr double bar_width = 3;

/** Points of a step line, few enough for the pixels. */
class StepPath {
 public:
  explicit StepPath(double width) : same_(width) {}

  void add(QPointF at) {
    if (!points_.empty() && at.x() - column_ < same_) {
      low_ = std::max(low_, at.y());
      high_ = std::min(high_, at.y());
      last_ = at.y();
      return;
    }
    finish_column();
    if (!points_.empty()) points_.emplace_back(at.x(), points_.back().y());
    points_.push_back(at);
    column_ = at.x();
    low_ = high_ = last_ = at.y();
  }

  std::vector<QPointF> take(double end) {
    finish_column();
    if (!points_.empty() && end > points_.back().x()) points_.emplace_back(end, points_.back().y());
    return std::move(points_);
  }

 private:
  void finish_column() {
    if (points_.empty() || (low_ == last_ && high_ == last_)) return;
    for (const double y : {low_, high_, last_}) points_.emplace_back(column_, y);
  }

  double same_;
  std::vector<QPointF> points_;
  double column_ = 0;
  double low_ = 0;  ///< on the screen: the greatest y
  double high_ = 0;
  double last_ = 0;
};

}  // namespace

void StepLine::clear() { *this = {}; }

void StepLine::append(double x, double value) {
  if (!std::isfinite(x) || !std::isfinite(value)) return;
  end_ = x;
  if (steps_.empty() || steps_.back().value != value) steps_.push_back({x, value});
}

void StepLine::paint(Canvas& canvas, const PlotFrame& frame, const Stroke& stroke) const {
  StepPath path(0.5);
  for (const Step& step : steps_) {
    // A logarithmic axis cannot show all values: there the line stays where it was.
    if (const QPointF at = frame.map(step.x, step.value); std::isfinite(at.y())) path.add(at);
  }
  canvas.polyline(path.take(frame.map_x(end_)), stroke);
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
    // What a logarithmic axis cannot show lies below it.
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

}  // namespace kernelscape
