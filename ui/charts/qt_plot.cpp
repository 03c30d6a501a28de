#include "ui/charts/qt_plot.h"

#include <QGraphicsScene>
#include <QPainter>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ui/charts/path_device.h"

namespace kernelscape::charts {
namespace {

/**
 * Maximum distance from the plot in lengths of an axis. Beyond it Qt Charts would draw nothing, since the
 * coordinates of its paths must fit into an int.
 */
constexpr double farthest_share = 1e4;

/** A part of a series without a gap, in fractions of the axes: 0 at their low ends, 1 at their high ends. */
struct Piece {
  std::size_t series = 0;  ///< index of the series to paint
  bool area = false;
  QList<QPointF> upper;       ///< upper edge of an area, or the line
  QList<QPointF> lower = {};  ///< lower edge of an area
};

/** `Axis::fraction`, optimized for many values. */
class AxisShares {
 public:
  explicit AxisShares(const Axis& axis) : scale_(axis.scale) {
    const Interval shown = valid_range(axis.range, scale_);
    low_ = scaled(shown.low, scale_);
    span_ = scaled(shown.high, scale_) - low_;
  }

  /** Returns the fraction, or NaN for values that are not finite or not on the axis. */
  double of(double value) const {
    const double length = scale_ == AxisScale::Linear ? value : scaled(value, scale_);
    const double share = (length - low_) / span_;
    if (!std::isfinite(share)) return std::numeric_limits<double>::quiet_NaN();
    return std::clamp(share, -farthest_share, farthest_share);
  }

  /** Returns the fraction; the low end for finite numbers that are not on the axis. */
  double of_any(double value) const {
    const double share = of(value);
    return std::isnan(share) && std::isfinite(value) ? 0 : share;
  }

 private:
  AxisScale scale_;
  double low_ = 0;
  double span_ = 1;
};

/**
 * Reduces the points of a piece to two for a column of pixels, the two extremes, if the column has more. It
 * also keeps the points where the line enters and leaves a column if they are not in a neighbouring column,
 * and in stairs always.
 */
class PointColumns {
 public:
  /** @param columns of the plot @param stair the line stays level up to the next point */
  explicit PointColumns(double columns, bool stair = false) : columns_(columns), stair_(stair) {}

  void add(QPointF share) {
    if (stair_ && last_ && last_->y() != share.y()) append({share.x(), last_->y()});
    append(share);
    last_ = share;
  }

  /** Returns the points so far; the next point begins a piece. */
  QList<QPointF> take() {
    finish_column(column_);
    before_.reset();
    last_.reset();
    return std::exchange(kept_, {});
  }

 private:
  void append(QPointF share) {
    const double column = std::clamp(std::floor(share.x() * columns_), -1.0, columns_);
    if (column != column_) finish_column(column);
    column_ = column;
    waiting_.push_back(share);
  }

  /** Finishes a column. @param next the column in which the line continues */
  void finish_column(double next) {
    if (waiting_.empty()) return;
    if (waiting_.size() <= 2) {
      for (const QPointF& point : waiting_) kept_.append(point);
    } else if (column_ < 0 || column_ >= columns_) {
      kept_ << waiting_.front() << waiting_.back();
    } else {
      keep_extremes(next);
    }
    before_ = column_;
    waiting_.clear();
  }

  /** Keeps the extremes in the order in which they came, one above the other so that stairs stay stairs. */
  void keep_extremes(double next) {
    const auto [low, high] =
        std::ranges::minmax_element(waiting_, {}, [](QPointF point) { return point.y(); });
    const auto keep = [this, x = waiting_.front().x()](double y) {
      if (kept_.isEmpty() || kept_.back() != QPointF(x, y)) kept_.append({x, y});
    };
    if (stair_ || (before_ && column_ - *before_ > 1)) keep(waiting_.front().y());
    keep(std::min(low, high)->y());
    keep(std::max(low, high)->y());
    if (stair_ || next - column_ > 1) keep(waiting_.back().y());
  }

  double columns_;
  bool stair_;
  double column_ = -1;
  std::optional<double> before_;  ///< the previous column
  std::optional<QPointF> last_;   ///< the point that was added last
  std::vector<QPointF> waiting_;  ///< points of the current column
  QList<QPointF> kept_;
};

/** The mappings that all series of a plot share. */
struct PlotShares {
  AxisShares x;
  AxisShares y;
  double columns = 1;
};

void append_pieces(std::vector<Piece>& pieces, const PlotLine& line, std::size_t series,
                   const PlotShares& shares) {
  PointColumns columns(shares.columns, line.stair);
  const auto finish = [&] {
    if (QList<QPointF> points = columns.take(); points.size() > 1)
      pieces.push_back({series, false, std::move(points)});
  };
  for (const QPointF& value : line.points) {
    const QPointF share(shares.x.of(value.x()), shares.y.of(value.y()));
    if (std::isnan(share.x() + share.y())) {
      finish();
    } else {
      columns.add(share);
    }
  }
  finish();
}

void append_pieces(std::vector<Piece>& pieces, const PlotArea& area, std::size_t series,
                   const PlotShares& shares) {
  PointColumns upper(shares.columns);
  PointColumns lower(shares.columns);
  const auto finish = [&] {
    Piece piece{series, true, upper.take(), lower.take()};
    if (piece.upper.size() > 1) pieces.push_back(std::move(piece));
  };
  for (std::size_t index = 0; index < std::min(area.upper.size(), area.lower.size()); ++index) {
    const double x = shares.x.of(area.upper[index].x());
    const double high = shares.y.of_any(area.upper[index].y());
    const double low = shares.y.of_any(area.lower[index].y());
    if (std::isnan(x + high + low)) {
      finish();
    } else {
      upper.add({x, high});
      lower.add({x, low});
    }
  }
  finish();
}

void append_pieces(std::vector<Piece>& pieces, const PlotBar& bar, std::size_t series,
                   const PlotShares& shares) {
  if (!(bar.x.low < bar.x.high) || !(bar.y.low < bar.y.high)) return;
  const double left = shares.x.of_any(bar.x.low);
  const double right = shares.x.of_any(bar.x.high);
  const double bottom = shares.y.of_any(bar.y.low);
  const double top = shares.y.of_any(bar.y.high);
  if (std::isnan(left + right + bottom + top)) return;
  pieces.push_back({series, true, {{left, top}, {right, top}}, {{left, bottom}, {right, bottom}}});
}

/**
 * Returns a colour that encodes the number of a series. The scene uses these colours, so that each painted
 * path identifies its series.
 */
QColor numbered(std::size_t series) { return QColor::fromRgb(static_cast<QRgb>(series)); }

std::size_t number_of(const QColor& colour) { return colour.rgb() & RGB_MASK; }

void paint_polygon(Canvas& canvas, const QPolygonF& polygon, const PlotSeries& series) {
  const std::span points(polygon.constData(), static_cast<std::size_t>(polygon.size()));
  if (const auto* line = std::get_if<PlotLine>(&series)) {
    if (line->halo > 0) canvas.polyline(points, {surface_ink(), line->stroke.width + 2 * line->halo});
    return canvas.polyline(points, line->stroke);
  }
  if (const auto* area = std::get_if<PlotArea>(&series)) return canvas.polygon(points, area->ink);
  QRectF bar = polygon.boundingRect();
  bar.setWidth(std::max(1.0, bar.width()));
  bar.setTop(std::min(bar.top(), bar.bottom() - 1));
  canvas.rect(bar, std::get<PlotBar>(series).fill);
}

}  // namespace

/**
 * The objects of Qt Charts. There is no QChartView: that of Qt 6.4 dereferences a null pointer if a press
 * hits no item.
 */
class QtPlot::Scene {
 public:
  Scene() {
    scene_.setItemIndexMethod(QGraphicsScene::NoIndex);
    scene_.addItem(chart_);
    chart_->legend()->hide();
    chart_->setBackgroundVisible(false);
    for (QValueAxis* axis : {x_, y_}) {
      axis->setRange(0, 1);
      axis->setVisible(false);
    }
    chart_->addAxis(x_, Qt::AlignBottom);
    chart_->addAxis(y_, Qt::AlignLeft);
  }

  void set(const QRectF& plot, const std::vector<Piece>& pieces) {
    scene_.setSceneRect(plot);
    chart_->setPlotArea(plot);
    std::size_t lines = 0;
    std::size_t areas = 0;
    for (const Piece& piece : pieces)
      show(piece.area ? item(areas_, areas++, true) : item(lines_, lines++, false), piece);
    shrink(lines_, lines);
    shrink(areas_, areas);
  }

  void paint(const QRectF& plot, const PathReceiver& receiver) {
    PathDevice device(QRectF({0, 0}, plot.bottomRight()).toAlignedRect().size(), receiver);
    QPainter painter(&device);
    scene_.render(&painter, plot, plot, Qt::IgnoreAspectRatio);
  }

 private:
  struct Item {
    QLineSeries* upper = nullptr;  ///< upper edge of an area, or the line
    QLineSeries* lower = nullptr;  ///< lower edge of an area
    QAreaSeries* area = nullptr;   ///< null: the item is a line

    QAbstractSeries* series() const {
      if (area != nullptr) return area;
      return upper;
    }
  };

  /**
   * Returns an item. The stacking order does not matter here: colours identify the series of a path, and the
   * canvas has the order.
   */
  const Item& item(std::vector<Item>& items, std::size_t index, bool area) {
    if (index == items.size()) items.push_back(make_item(area));
    return items[index];
  }

  void shrink(std::vector<Item>& items, std::size_t size) {
    for (; items.size() > size; items.pop_back()) {
      chart_->removeSeries(items.back().series());
      delete items.back().series();
    }
  }

  Item make_item(bool area) {
    Item item;
    if (area) {
      item.area = new QAreaSeries;
      item.upper = new QLineSeries(item.area);
      item.lower = new QLineSeries(item.area);
      item.area->setUpperSeries(item.upper);
      item.area->setLowerSeries(item.lower);
    } else {
      item.upper = new QLineSeries;
    }
    chart_->addSeries(item.series());
    item.series()->attachAxis(x_);
    item.series()->attachAxis(y_);
    return item;
  }

  /** Replaces the points. Qt recomputes the outline of a path whenever points are set. */
  static void replace(QLineSeries& series, const QList<QPointF>& points) {
    if (series.points() != points) series.replace(points);
  }

  static void show(const Item& item, const Piece& piece) {
    replace(*item.upper, piece.upper);
    if (item.area == nullptr) {
      // Qt paints a dashed line as one path, and a solid line piece by piece.
      item.upper->setPen(QPen(numbered(piece.series), 1, Qt::DashLine));
      return;
    }
    replace(*item.lower, piece.lower);
    item.area->setPen(Qt::NoPen);
    item.area->setBrush(numbered(piece.series));
  }

  QGraphicsScene scene_;
  QChart* chart_ = new QChart;
  QValueAxis* x_ = new QValueAxis;
  QValueAxis* y_ = new QValueAxis;
  std::vector<Item> lines_;
  std::vector<Item> areas_;
};

QtPlot::QtPlot() = default;
QtPlot::~QtPlot() = default;

void QtPlot::paint(Canvas& canvas, const PlotFrame& frame, std::span<const PlotSeries> series) {
  std::vector<Piece> pieces;
  const double columns = std::max(1.0, std::floor(frame.plot.width() * canvas.pixel_ratio()));
  const PlotShares shares{AxisShares(frame.x), AxisShares(frame.y), columns};
  for (std::size_t index = 0; index < series.size(); ++index)
    std::visit([&](const auto& one) { append_pieces(pieces, one, index, shares); }, series[index]);
  if (pieces.empty()) return;
  if (scene_ == nullptr) scene_ = std::make_unique<Scene>();
  scene_->set(frame.plot, pieces);
  const ClipScope clip(canvas, frame.plot);
  std::vector<std::vector<QPolygonF>> painted(series.size());
  scene_->paint(frame.plot, [&](const QColor& colour, const QPolygonF& polygon) {
    painted[number_of(colour)].push_back(polygon);
  });
  for (std::size_t index = 0; index < series.size(); ++index)
    for (const QPolygonF& polygon : painted[index]) paint_polygon(canvas, polygon, series[index]);
}

PlotLine level_line(const PlotFrame& frame, double y, const Stroke& stroke) {
  return {{{frame.x.range.low, y}, {frame.x.range.high, y}}, stroke};
}

void add_box(std::vector<PlotSeries>& series, const PlotBox& box) {
  const double left = box.x - box.width / 2;
  const double right = box.x + box.width / 2;
  const double low = box.first_quartile;
  const double high = box.third_quartile;
  const double cap = box.width / 4;
  const auto line = [&](std::vector<QPointF> points, const Stroke& stroke) {
    series.emplace_back(PlotLine{std::move(points), stroke});
  };
  series.emplace_back(PlotBar{{left, right}, {low, high}, box.fill});
  // The whiskers' ends are separate lines: at a corner where several lines meet, a column would keep only
  // two points.
  line({{left, low}, {left, high}, {right, high}, {right, low}, {left, low}}, box.outline);
  for (const auto& [end, edge] : {std::pair(box.minimum, low), std::pair(box.maximum, high)}) {
    line({{box.x, edge}, {box.x, end}}, box.outline);
    line({{box.x - cap, end}, {box.x + cap, end}}, box.outline);
  }
  line({{left, box.median}, {right, box.median}}, box.median_stroke);
}

std::vector<QPointF> stair(std::span<const QPointF> points) {
  std::vector<QPointF> corners;
  corners.reserve(2 * points.size());
  for (const QPointF& point : points) {
    if (!corners.empty()) corners.emplace_back(point.x(), corners.back().y());
    corners.push_back(point);
  }
  return corners;
}

Axis row_axis(std::size_t rows) {
  return {.range = {-static_cast<double>(std::max<std::size_t>(1, rows)), 0}};
}

Interval row_interval(std::size_t row, double share) {
  const double middle = -static_cast<double>(row) - 0.5;
  return {middle - share / 2, middle + share / 2};
}

}  // namespace kernelscape::charts
