#include "ui/charts/curves/failure_lanes.h"

#include <algorithm>
#include <cmath>

namespace kernelscape::charts {
namespace {

/** If more failures are visible, they are painted as one picture. */
constexpr std::ptrdiff_t max_lane_lines = 400;

}  // namespace

void FailureLanes::clear() {
  failures_ = {};
  // The lanes stay until the next take_changed() reports that they are gone.
}

FailureLanes::Failures& FailureLanes::lane_of(trial::ErrorCategory category) {
  return failures_[std::min(static_cast<std::size_t>(category), trial::error_category_count - 1)];
}

void FailureLanes::append_at(double x, trial::ErrorCategory category, std::int64_t row) {
  Failures& lane = lane_of(category);
  lane.trials.push_back(x);
  lane.seconds.push_back(x);
  lane.rows.push_back(static_cast<std::uint32_t>(row));
}

void FailureLanes::append(const trial::Row& trial, std::int64_t row) {
  Failures& lane = lane_of(trial.category);
  lane.trials.push_back(static_cast<double>(row));
  lane.seconds.push_back(trial.finished_seconds);
  lane.rows.push_back(static_cast<std::uint32_t>(row));
}

std::optional<std::vector<Lane>> FailureLanes::take_changed() {
  std::vector<trial::ErrorCategory> categories;
  for (std::size_t index = 0; index < trial::error_category_count; ++index)
    if (!failures_[index].rows.empty()) categories.push_back(static_cast<trial::ErrorCategory>(index));
  if (categories == shown_) return std::nullopt;
  shown_ = std::move(categories);
  std::vector<Lane> lanes;
  for (const trial::ErrorCategory category : shown_)
    lanes.push_back({QString(QLatin1Char(style::colours().of(category).letter)), category});
  return lanes;
}

void FailureLanes::paint(Canvas& canvas, const PlotFrame& frame, ProgressX x) const {
  for (std::size_t lane = 0; lane < frame.lanes.size() && lane < shown_.size(); ++lane)
    paint_lane(canvas, frame, frame.lanes[lane], shown_[lane],
               failures_[static_cast<std::size_t>(shown_[lane])].along(x));
}

void FailureLanes::paint_lane(Canvas& canvas, const PlotFrame& frame, const QRectF& lane,
                              trial::ErrorCategory category, const std::vector<double>& along) const {
  const ClipScope clip(canvas, lane);
  const Ink ink = category_ink(category);
  const auto in_sight = std::ranges::count_if(along, [&](double x) { return frame.x.range.contains(x); });
  if (in_sight <= max_lane_lines) {
    for (const double x : along) {
      const double pixel = frame.map_x(x);
      if (frame.x.range.contains(x))
        canvas.line({pixel, lane.top() + 2}, {pixel, lane.bottom() - 1}, {ink, 2, {}});
    }
    return;
  }
  // One column of the picture for each pixel: filled if there is a failure, stronger if there are many.
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(std::ceil(lane.width())) + 1);
  for (const double x : along)
    if (frame.x.range.contains(x)) ++counts[static_cast<std::size_t>(frame.map_x(x) - lane.left())];
  const double largest = std::log1p(static_cast<double>(*std::ranges::max_element(counts)));
  QImage picture(static_cast<int>(counts.size()), 1, QImage::Format_ARGB32_Premultiplied);
  picture.fill(Qt::transparent);
  for (int column = 0; column < picture.width(); ++column) {
    const double count = counts[static_cast<std::size_t>(column)];
    QColor colour = ink.colour;
    colour.setAlphaF(static_cast<float>(0.35 + 0.65 * std::log1p(count) / largest));
    if (count > 0) picture.setPixelColor(column, 0, colour);
  }
  canvas.image(QRectF(lane.left(), lane.top() + 2, static_cast<double>(counts.size()), lane.height() - 3),
               picture);
}

bool FailureLanes::cover(const PlotFrame& frame, QPointF position) const {
  return std::ranges::any_of(frame.lanes, [&](const QRectF& lane) { return lane.contains(position); });
}

std::optional<FailureLanes::Hit> FailureLanes::nearest(const PlotFrame& frame, QPointF position, ProgressX x,
                                                       double reach) const {
  for (std::size_t lane = 0; lane < frame.lanes.size() && lane < shown_.size(); ++lane) {
    if (!frame.lanes[lane].contains(position)) continue;
    const Failures& failures = failures_[static_cast<std::size_t>(shown_[lane])];
    const std::vector<double>& along = failures.along(x);
    const auto near = std::ranges::min_element(
        along, {}, [&](double value) { return std::abs(frame.map_x(value) - position.x()); });
    if (near == along.end() || std::abs(frame.map_x(*near) - position.x()) > reach) return std::nullopt;
    return Hit{failures.rows[static_cast<std::size_t>(near - along.begin())],
               {frame.map_x(*near), frame.lanes[lane].center().y()}};
  }
  return std::nullopt;
}

std::optional<double> FailureLanes::y_of(const PlotFrame& frame, trial::ErrorCategory category) const {
  const auto lane = static_cast<std::size_t>(std::ranges::find(shown_, category) - shown_.begin());
  if (lane >= shown_.size() || lane >= frame.lanes.size()) return std::nullopt;
  return frame.lanes[lane].center().y();
}

}  // namespace kernelscape::charts
