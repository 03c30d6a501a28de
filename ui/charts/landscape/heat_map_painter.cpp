#include "ui/charts/landscape/heat_map_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/landscape/viridis_scale.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double max_label_share = 0.3;  // maximum share of the width for the labels of y

constexpr double dot_distance = 6;

void paint_unmeasured(Canvas& canvas, const QRectF& where) { canvas.outline(where, thin_stroke(grid_ink())); }

void paint_empty_key(Canvas& canvas, const QRectF& where) {
  canvas.outline(where, thin_stroke(hairline_ink()));
}

void paint_all_invalid(Canvas& canvas, const QRectF& where) {
  canvas.rect(where, grid_ink());
  canvas.line(where.topLeft(), where.bottomRight(), thin_stroke(muted_ink()));
  canvas.line(where.bottomLeft(), where.topRight(), thin_stroke(muted_ink()));
}

void paint_few(Canvas& canvas, const QRectF& where, const Ink& ink) {
  std::vector<QPointF> dots;
  for (double y = where.top() + dot_distance / 2; y < where.bottom() - 1; y += dot_distance)
    for (double x = where.left() + dot_distance / 2; x < where.right() - 1; x += dot_distance)
      dots.emplace_back(x, y);
  canvas.dots(dots, 1, ink);
}

void paint_number(Canvas& canvas, const QRectF& where, const QString& text, const Ink& ink) {
  const bool fits = text_width(text, style::TextSize::Small) + 6 < where.width() &&
                    text_height(style::TextSize::Small) < where.height();
  if (fits) canvas.text(where.center(), text, {.ink = ink, .anchor = Qt::AlignCenter});
}

/** Paints a dot in a corner, or in the middle of a cell that is too small; a ring if no trial is valid. */
void paint_measured(Canvas& canvas, const QRectF& where, bool valid, const Ink& ink) {
  const double side = std::min(where.width(), where.height());
  const double radius = std::min(2.5, side / 4);
  const bool has_corner = side >= 4 * radius + 4;
  const QPointF corner(where.right() - radius - 2, where.top() + radius + 2);
  const QPointF centre = has_corner ? corner : where.center();
  if (valid) {
    canvas.dots(std::array{centre}, radius, ink);
  } else {
    canvas.ring(centre, radius, thin_stroke(ink));
  }
}

}  // namespace

HeatMapPainter::HeatMapPainter(const HeatMapData& data, const QRectF& area)
    : data_(data), range_(range()), layout_(layout_of(area)) {}

HeatMapPainter::Range HeatMapPainter::range() const {
  Range range;
  if (data_.measure == HeatMeasure::ShareValid) return range;
  std::vector<double> values;
  for (std::size_t cell = 0; cell < data_.cells.size(); ++cell) values.push_back(value_of(cell));
  if (data_.measure == HeatMeasure::Count) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    range.high = values.empty() ? 0 : std::ranges::max(values);
  } else {
    range.performance = PerformanceScale(std::move(values), data_.higher_is_better);
  }
  return range;
}

HeatMapPainter::Layout HeatMapPainter::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(style::TextSize::Small);
  double labels = 0;
  for (const QString& label : data_.y_labels)
    labels = std::max(labels, text_width(label, style::TextSize::Small));
  labels = std::min(labels, area.width() * max_label_share);
  const double legend_labels =
      is_performance(data_.measure)
          ? performance_label_width(range_.performance, [this](double value) { return text_of(value); })
          : std::max(text_width(text_of(range_.low), style::TextSize::Small),
                     text_width(text_of(range_.high), style::TextSize::Small));
  layout.plot = QRectF(QPointF(std::round(area.left() + labels + 8), std::round(area.top() + line + 2)),
                       QPointF(std::round(area.right() - viridis_bar_width - legend_labels - 22),
                               std::round(area.bottom() - 3 * line - 10)));
  layout.legend =
      QRectF(layout.plot.right() + 12, layout.plot.top(), viridis_bar_width, layout.plot.height());
  layout.key_y = area.bottom() - line / 2;
  layout.cell_width =
      layout.plot.width() / static_cast<double>(std::max<qsizetype>(1, std::ssize(data_.x_labels)));
  layout.cell_height =
      layout.plot.height() / static_cast<double>(std::max<qsizetype>(1, std::ssize(data_.y_labels)));
  return layout;
}

double HeatMapPainter::value_of(std::size_t index) const {
  const analysis::HeatCell& cell = data_.cells[index];
  const bool has_speed = cell.valid > 0;
  switch (data_.measure) {
    case HeatMeasure::Best:
      return has_speed ? cell.best : std::nan("");
    case HeatMeasure::Mean:
      return has_speed ? cell.mean : std::nan("");
    case HeatMeasure::ShareValid:
      return cell.count > 0 ? cell.share_valid() : std::nan("");
    case HeatMeasure::Count:
      return cell.count > 0 ? static_cast<double>(cell.count) : std::nan("");
    case HeatMeasure::Predicted:
      return data_.beliefs[index].members > 0 ? data_.beliefs[index].performance : std::nan("");
  }
  return std::nan("");
}

QString HeatMapPainter::text_of(double value) const {
  if (data_.measure == HeatMeasure::ShareValid) return style::format_percent(value);
  if (data_.measure == HeatMeasure::Count) return style::format_count(std::llround(value));
  return style::format_quantity(value, data_.unit);
}

double HeatMapPainter::brightness_of(double value) const {
  return is_performance(data_.measure) ? range_.performance.brightness(value) : range_.fraction(value);
}

void HeatMapPainter::paint_cell(Canvas& canvas, const QRectF& where, std::size_t index) const {
  if (data_.measure == HeatMeasure::Predicted) return paint_prediction(canvas, where, index);
  const analysis::HeatCell& cell = data_.cells[index];
  const double value = value_of(index);
  const bool about_speed = is_performance(data_.measure);
  if (cell.state() == analysis::HeatCellState::Unmeasured) return paint_unmeasured(canvas, where);
  if (about_speed && cell.state() == analysis::HeatCellState::AllInvalid)
    return paint_all_invalid(canvas, where);
  const double t = brightness_of(value);
  canvas.rect(where, viridis_ink(t));
  if (data_.measure == HeatMeasure::Mean && cell.state() == analysis::HeatCellState::Few)
    paint_few(canvas, where, on_viridis_ink(t));
  else
    paint_number(canvas, where, about_speed ? style::format_number(value, 3) : text_of(value),
                 on_viridis_ink(t));
}

void HeatMapPainter::paint_prediction(Canvas& canvas, const QRectF& where, std::size_t index) const {
  const double value = value_of(index);
  if (std::isnan(value)) return paint_unmeasured(canvas, where);
  const double t = brightness_of(value);
  canvas.rect(where, viridis_ink(t));
  paint_number(canvas, where, style::format_number(value, 3), on_viridis_ink(t));
  const analysis::HeatCell& cell = data_.cells[index];
  if (cell.count > 0) paint_measured(canvas, where, cell.valid > 0, on_viridis_ink(t));
}

void HeatMapPainter::paint_labels(Canvas& canvas) const {
  const double line = text_height(style::TextSize::Small);
  const auto every = [](double needed, double step) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / step)));
  };
  const double label_room = layout_.plot.left() - 8;
  const std::size_t every_y = every(line, layout_.cell_height);
  for (std::size_t y = 0; y < data_.y_labels.size(); y += every_y)
    canvas.text({layout_.plot.left() - 6, place_of(y * data_.x_labels.size()).center().y()},
                elided(data_.y_labels[y], style::TextSize::Small, label_room),
                {.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  double widest = 0;
  for (const QString& label : data_.x_labels)
    widest = std::max(widest, text_width(label, style::TextSize::Small));
  const std::size_t every_x = every(std::min(widest, 80.0) + 6, layout_.cell_width);
  const double room = layout_.cell_width * static_cast<double>(every_x) - 2;
  for (std::size_t x = 0; x < data_.x_labels.size(); x += every_x)
    canvas.text({place_of(x).center().x(), layout_.plot.bottom() + 4 + line / 2},
                elided(data_.x_labels[x], style::TextSize::Small, room),
                {.ink = muted_ink(), .anchor = Qt::AlignCenter});
  canvas.text({layout_.plot.left(), layout_.plot.top() - line / 2 - 2},
              elided(data_.y_column, style::TextSize::Small, layout_.plot.width() / 2), {.ink = text_ink()});
  canvas.text({layout_.plot.center().x(), layout_.plot.bottom() + 4 + 1.5 * line},
              elided(data_.x_column, style::TextSize::Small, layout_.plot.width()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter});
}

void HeatMapPainter::paint_legend(Canvas& canvas) const {
  const QRectF& bar = layout_.legend;
  if (is_performance(data_.measure))
    return paint_upright_scale(canvas, bar, range_.performance,
                               [this](double value) { return text_of(value); });
  paint_viridis_bar(canvas, bar);
  const double line = text_height(style::TextSize::Small);
  const TextStyle style{.ink = muted_ink()};
  canvas.text({bar.right() + 4, bar.top() + line / 2}, text_of(range_.high), style);
  canvas.text({bar.right() + 4, bar.bottom() - line / 2}, text_of(range_.low), style);
}

std::vector<HeatMapPainter::KeyEntry> HeatMapPainter::key() const {
  const auto has = [&](analysis::HeatCellState state) {
    return std::ranges::any_of(data_.cells,
                               [&](const analysis::HeatCell& cell) { return cell.state() == state; });
  };
  std::vector<KeyEntry> entries;
  if (has(analysis::HeatCellState::Unmeasured))
    entries.push_back({HeatMapChart::tr("not measured"), paint_empty_key});
  if (is_performance(data_.measure) && has(analysis::HeatCellState::AllInvalid))
    entries.push_back({HeatMapChart::tr("none valid"), paint_all_invalid});
  if (data_.measure == HeatMeasure::Mean && has(analysis::HeatCellState::Few))
    entries.push_back({HeatMapChart::tr("fewer than 5 valid"), [](Canvas& canvas, const QRectF& where) {
                         canvas.rect(where, viridis_ink(0.5));
                         paint_few(canvas, where, on_viridis_ink(0.5));
                       }});
  return entries;
}

std::vector<HeatMapPainter::KeyEntry> HeatMapPainter::key_of_predictions() const {
  bool only_predicted = false;
  bool unreachable = false;
  bool valid = false;
  bool invalid = false;
  for (std::size_t cell = 0; cell < data_.cells.size(); ++cell) {
    const bool measured = data_.cells[cell].count > 0;
    const bool known = data_.beliefs[cell].members > 0;
    unreachable |= !known;
    only_predicted |= known && !measured;
    valid |= known && data_.cells[cell].valid > 0;
    invalid |= known && measured && data_.cells[cell].valid == 0;
  }
  std::vector<KeyEntry> entries;
  const auto add_mark = [&](const QString& text, const auto& paint) {
    entries.push_back({text, [paint](Canvas& canvas, const QRectF& where) {
                         canvas.rect(where, viridis_ink(0.5));
                         paint(canvas, QRectF(where.center() - QPointF(5, 5), QSizeF(10, 10)));
                       }});
  };
  const auto mark = [](bool is_valid) {
    return [is_valid](Canvas& canvas, const QRectF& where) {
      paint_measured(canvas, where, is_valid, on_viridis_ink(0.5));
    };
  };
  if (valid) add_mark(HeatMapChart::tr("measured"), mark(true));
  if (invalid) add_mark(HeatMapChart::tr("measured, none valid"), mark(false));
  if (only_predicted) add_mark(HeatMapChart::tr("prediction only"), [](Canvas&, const QRectF&) {});
  if (unreachable) entries.push_back({HeatMapChart::tr("none feasible"), paint_empty_key});
  return entries;
}

void HeatMapPainter::paint_key(Canvas& canvas) const {
  double x = layout_.plot.left();
  if (const PerformanceScale scale = range_.performance; !scale.empty()) {
    const QString text =
        scale.nearly_equal()
            ? HeatMapChart::tr("all within %1").arg(style::format_percent(scale.relative_range()))
            : HeatMapChart::tr("colours by rank");
    canvas.text({x, layout_.key_y}, text, {.ink = text_ink()});
    x += text_width(text, style::TextSize::Small) + 16;
  }
  for (const KeyEntry& entry : data_.measure == HeatMeasure::Predicted ? key_of_predictions() : key()) {
    entry.paint(canvas, QRectF(x, layout_.key_y - 5, 16, 10));
    canvas.text({x + 20, layout_.key_y}, entry.text, {.ink = muted_ink()});
    x += 20 + text_width(entry.text, style::TextSize::Small) + 16;
  }
}

/**
 * Paints the selected share of each cell as a bar at its foot, and a frame around the current trial's cell.
 */
void HeatMapPainter::paint_marks(Canvas& canvas) const {
  for (std::size_t cell = 0; cell < data_.highlighted.size(); ++cell) {
    if (data_.highlighted[cell] == 0) continue;
    const QRectF where = place_of(cell);
    const double share =
        static_cast<double>(data_.highlighted[cell]) / static_cast<double>(data_.cells[cell].count);
    const double height = std::min(5.0, where.height() / 2);
    const double width = std::max(std::min(3.0, where.width()), where.width() * share);
    const QRectF bar(where.left(), where.bottom() - height, width, height);
    canvas.rect(bar, marked_ink());
    canvas.line(bar.topLeft(), bar.topRight(), thin_stroke(surface_ink()));
  }
  if (data_.current && *data_.current < data_.cells.size()) {
    const QRectF where = place_of(*data_.current);
    canvas.outline(where.adjusted(1, 1, -1, -1), {surface_ink(), 2, {}});
    canvas.outline(where, {text_ink(), 2, {}});
  }
}

/** Rounds to whole pixels, so that neighbours leave no seam. */
QRectF HeatMapPainter::place_of(std::size_t index) const {
  const std::size_t x = index % data_.x_labels.size();
  const std::size_t y = index / data_.x_labels.size();
  const QRectF& plot = layout_.plot;
  const double left = std::round(plot.left() + static_cast<double>(x) * layout_.cell_width);
  const double right = std::round(plot.left() + static_cast<double>(x + 1) * layout_.cell_width);
  const double bottom = std::round(plot.bottom() - static_cast<double>(y) * layout_.cell_height);
  const double top = std::round(plot.bottom() - static_cast<double>(y + 1) * layout_.cell_height);
  const double gap = std::min(right - left, bottom - top) > 6 ? 1 : 0;
  return {QPointF(left, top), QPointF(right - gap, bottom - gap)};
}

std::optional<std::size_t> HeatMapPainter::cell_at(QPointF position) const {
  if (!layout_.plot.contains(position)) return std::nullopt;
  const auto x = static_cast<std::size_t>((position.x() - layout_.plot.left()) / layout_.cell_width);
  const auto y = static_cast<std::size_t>((layout_.plot.bottom() - position.y()) / layout_.cell_height);
  if (x >= data_.x_labels.size() || y >= data_.y_labels.size()) return std::nullopt;
  return y * data_.x_labels.size() + x;
}

void HeatMapPainter::paint(Canvas& canvas) const {
  for (std::size_t index = 0; index < data_.cells.size(); ++index) paint_cell(canvas, place_of(index), index);
  paint_marks(canvas);
  paint_labels(canvas);
  paint_legend(canvas);
  paint_key(canvas);
}

}  // namespace kernelscape::charts
