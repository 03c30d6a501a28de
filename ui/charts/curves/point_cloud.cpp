#include "ui/charts/curves/point_cloud.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/clipping.h"

namespace kernelscape::charts {
namespace {

constexpr double cell_pixels = 2;
constexpr double dot_radius = 2.2;
/** Dots that would cover a larger share of the plot are painted as density. */
constexpr double max_cover = 0.25;
/** Number of points in a coarse count. */
constexpr std::size_t coarse_points = 300'000;

}  // namespace

void PointCloud::clear() {
  x_.clear();
  y_.clear();
  rows_.clear();
  ascending_ = true;
  view_ = {};
}

std::int64_t PointCloud::count_below(double y) const {
  return std::ranges::count_if(y_, [y](double value) { return value < y; });
}

std::int64_t PointCloud::count_above(double y) const {
  return std::ranges::count_if(y_, [y](double value) { return value > y; });
}

void PointCloud::append(double x, double y, std::uint32_t row) {
  ascending_ = ascending_ && (x_.empty() || x >= x_.back());
  x_.push_back(x);
  y_.push_back(y);
  rows_.push_back(row);
}

PointCloud::Mapping PointCloud::mapping_of(const PlotFrame& frame) {
  const Interval x = valid_range(frame.x.range, frame.x.scale);
  const Interval y = valid_range(frame.y.range, frame.y.scale);
  const double left = scaled(x.low, frame.x.scale);
  const double right = scaled(x.high, frame.x.scale);
  const double bottom = scaled(y.low, frame.y.scale);
  const double top = scaled(y.high, frame.y.scale);
  return {left, frame.plot.width() / (right - left), top, -frame.plot.height() / (top - bottom)};
}

/** Returns the range of points that can lie between two pixel columns: all points if x is not ascending. */
std::pair<std::size_t, std::size_t> PointCloud::in_sight(const Mapping& mapping, double left,
                                                         double right) const {
  if (!ascending_) return {0, x_.size()};
  const auto first = std::ranges::lower_bound(x_, mapping.x_origin + left / mapping.x_factor);
  const auto last = std::ranges::upper_bound(first, x_.end(), mapping.x_origin + right / mapping.x_factor);
  return {static_cast<std::size_t>(first - x_.begin()), static_cast<std::size_t>(last - x_.begin())};
}

void PointCloud::count(const View& view, double width) {
  if (view != view_ || counts_.empty()) {
    view_ = view;
    counts_.assign(
        static_cast<std::size_t>(view.cells.width()) * static_cast<std::size_t>(view.cells.height()), 0);
    largest_count_ = 0;
    counted_ = 0;
    visible_ = 0;
  }
  const Mapping mapping{view.mapping.x_origin, view.mapping.x_factor / cell_pixels, view.mapping.y_origin,
                        view.mapping.y_factor / cell_pixels};
  const double columns = view.cells.width();
  const double lines = view.cells.height();
  const auto row_length = static_cast<std::uint32_t>(view.cells.width());
  auto [first, last] = in_sight(view.mapping, 0, width);
  first = std::max(first, (counted_ + view.stride - 1) / view.stride * view.stride);
  const double* xs = x_.data();
  const double* ys = y_.data();
  std::uint32_t* counts = counts_.data();
  std::uint32_t largest = largest_count_;
  std::size_t visible = 0;
  for (std::size_t index = first; index < last; index += view.stride) {
    const double column = mapping.x(xs[index]);
    const double line = mapping.y(ys[index]);
    // The condition is written so that NaN fails.
    if (!(column >= 0 && column < columns && line >= 0 && line < lines)) continue;
    const std::uint32_t cell =
        static_cast<std::uint32_t>(line) * row_length + static_cast<std::uint32_t>(column);
    largest = std::max(largest, ++counts[cell]);
    ++visible;
  }
  largest_count_ = largest;
  visible_ += visible;
  counted_ = x_.size();
}

void PointCloud::paint(Canvas& canvas, const PlotFrame& frame, const Ink& ink, bool coarse,
                       double dot_opacity) {
  if (x_.empty()) return;
  View view{mapping_of(frame),
            QSize(static_cast<int>(std::ceil(frame.plot.width() / cell_pixels)),
                  static_cast<int>(std::ceil(frame.plot.height() / cell_pixels))),
            1};
  if (coarse) view.stride = std::max<std::size_t>(1, x_.size() / coarse_points);
  count(view, frame.plot.width());
  const double area = frame.plot.width() * frame.plot.height();
  const double dot_area = 4 * dot_radius * dot_radius;
  if (static_cast<double>(visible_ * view.stride) * dot_area < max_cover * area) {
    paint_dots(canvas, frame, ink, dot_opacity);
  } else {
    canvas.image(QRectF(frame.plot.topLeft(), QSizeF(view.cells) * cell_pixels), density_image(ink.colour));
  }
}

void PointCloud::paint_dots(Canvas& canvas, const PlotFrame& frame, const Ink& ink, double opacity) const {
  const Mapping mapping = mapping_of(frame);
  const auto [first, last] = in_sight(mapping, -dot_radius, frame.plot.width() + dot_radius);
  std::vector<QPointF> centres;
  for (std::size_t index = first; index < last; ++index) {
    const QPointF centre(frame.plot.left() + mapping.x(x_[index]), frame.plot.top() + mapping.y(y_[index]));
    if (holds(frame.plot, centre)) centres.push_back(centre);
  }
  Ink faint = ink;
  faint.role += "-point";
  faint.colour.setAlphaF(static_cast<float>(faint.colour.alphaF() * opacity));
  canvas.dots(centres, dot_radius, faint);
}

QImage PointCloud::density_image(const QColor& colour) const {
  constexpr double min_opacity = 0.28;
  constexpr double max_opacity = 0.95;
  const double scale = std::log(std::max(2.0, static_cast<double>(largest_count_)));
  const auto pixel_of = [&](double count) {
    const double opacity = min_opacity + (max_opacity - min_opacity) * std::log(count) / scale;
    return qPremultiply(
        qRgba(colour.red(), colour.green(), colour.blue(), static_cast<int>(std::lround(255 * opacity))));
  };
  std::array<QRgb, 256> known{};
  for (std::size_t count = 1; count < known.size(); ++count)
    known[count] = pixel_of(static_cast<double>(count));
  QImage image(view_.cells, QImage::Format_ARGB32_Premultiplied);
  std::size_t cell = 0;
  for (int line = 0; line < image.height(); ++line) {
    auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(line));
    for (int column = 0; column < image.width(); ++column, ++cell) {
      const std::uint32_t count = counts_[cell];
      pixels[column] = count < known.size() ? known[count] : pixel_of(count);
    }
  }
  return image;
}

std::int64_t PointCloud::nearest(const PlotFrame& frame, QPointF position, double reach) const {
  const Mapping mapping = mapping_of(frame);
  const QPointF at = position - frame.plot.topLeft();
  const auto [first, last] = in_sight(mapping, at.x() - reach, at.x() + reach);
  double least = reach * reach;
  std::int64_t row = -1;
  for (std::size_t index = first; index < last; ++index) {
    const double x = mapping.x(x_[index]) - at.x();
    const double y = mapping.y(y_[index]) - at.y();
    const double distance = x * x + y * y;
    if (!(distance <= least)) continue;
    least = distance;
    row = rows_[index];
  }
  return row;
}

std::vector<qint64> PointCloud::rows_in(const PlotFrame& frame, const QRectF& rectangle) const {
  const Mapping mapping = mapping_of(frame);
  const QRectF area = rectangle.translated(-frame.plot.topLeft());
  const auto [first, last] = in_sight(mapping, area.left(), area.right());
  std::vector<qint64> rows;
  for (std::size_t index = first; index < last; ++index)
    if (holds(area, {mapping.x(x_[index]), mapping.y(y_[index])})) rows.push_back(rows_[index]);
  return rows;
}

}  // namespace kernelscape::charts
