#include "ui/charts/heat_map_chart.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/axis.h"
#include "ui/charts/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double most_label_share = 0.3;  // of the width, for the labels of y
constexpr double dot_distance = 6;

Stroke thin(const Ink& ink) { return {ink, 1, {}}; }

void paint_unmeasured(Canvas& canvas, const QRectF& where) { canvas.outline(where, thin(grid_ink())); }

void paint_all_invalid(Canvas& canvas, const QRectF& where) {
  canvas.rect(where, grid_ink());
  canvas.line(where.topLeft(), where.bottomRight(), thin(muted_ink()));
  canvas.line(where.bottomLeft(), where.topRight(), thin(muted_ink()));
}

void paint_few(Canvas& canvas, const QRectF& where, const Ink& ink) {
  std::vector<QPointF> dots;
  for (double y = where.top() + dot_distance / 2; y < where.bottom() - 1; y += dot_distance)
    for (double x = where.left() + dot_distance / 2; x < where.right() - 1; x += dot_distance)
      dots.emplace_back(x, y);
  canvas.dots(dots, 1, ink);
}

}  // namespace

struct HeatMapChart::Layout {
  QRectF plot;
  QRectF legend;
  double key_y = 0;
  double cell_width = 1;
  double cell_height = 1;

  QRectF cell(std::size_t x, std::size_t y) const {
    // On whole pixels, so that neighbours leave no seam.
    const double left = std::round(plot.left() + static_cast<double>(x) * cell_width);
    const double right = std::round(plot.left() + static_cast<double>(x + 1) * cell_width);
    const double bottom = std::round(plot.bottom() - static_cast<double>(y) * cell_height);
    const double top = std::round(plot.bottom() - static_cast<double>(y + 1) * cell_height);
    const double gap = std::min(right - left, bottom - top) > 6 ? 1 : 0;
    return {QPointF(left, top), QPointF(right - gap, bottom - gap)};
  }
};

struct HeatMapChart::Range {
  double low = 0;
  double high = 1;
  double fraction(double value) const { return high > low ? (value - low) / (high - low) : 1; }
};

HeatMapChart::HeatMapChart(QWidget* parent) : Chart(parent) {}

void HeatMapChart::set_data(HeatMapData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  invalidate();
}

double HeatMapChart::value_of(const HeatCell& cell) const {
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
  }
  return std::nan("");
}

QString HeatMapChart::text_of(double value) const {
  if (data_.measure == HeatMeasure::ShareValid) return format_percent(value);
  if (data_.measure == HeatMeasure::Count) return format_count(std::llround(value));
  return format_quantity(value, data_.unit);
}

HeatMapChart::Range HeatMapChart::range() const {
  if (data_.measure == HeatMeasure::ShareValid) return {0, 1};
  Range range{std::numeric_limits<double>::infinity(), 0};
  for (const HeatCell& cell : data_.cells) {
    const double value = value_of(cell);
    if (std::isnan(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  if (data_.measure == HeatMeasure::Count || !std::isfinite(range.low)) range.low = 0;
  return range;
}

HeatMapChart::Layout HeatMapChart::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(TextSize::Small);
  double labels = 0;
  for (const QString& label : data_.y_labels) labels = std::max(labels, text_width(label, TextSize::Small));
  labels = std::min(labels, area.width() * most_label_share);
  const Range shown = range();
  const double legend_labels = std::max(text_width(text_of(shown.low), TextSize::Small),
                                        text_width(text_of(shown.high), TextSize::Small));
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

void HeatMapChart::paint_cell(Canvas& canvas, const QRectF& where, const HeatCell& cell,
                              const Range& shown) const {
  const double value = value_of(cell);
  const bool about_speed = data_.measure == HeatMeasure::Best || data_.measure == HeatMeasure::Mean;
  if (cell.state() == HeatCellState::Unmeasured) return paint_unmeasured(canvas, where);
  if (about_speed && cell.state() == HeatCellState::AllInvalid) return paint_all_invalid(canvas, where);
  double t = shown.fraction(value);
  if (about_speed && !data_.higher_is_better) t = 1 - t;
  canvas.rect(where, viridis_ink(t));
  const QString text = about_speed ? format_number(value, 3) : text_of(value);
  const bool fits =
      text_width(text, TextSize::Small) + 6 < where.width() && text_height(TextSize::Small) < where.height();
  if (data_.measure == HeatMeasure::Mean && cell.state() == HeatCellState::Few)
    paint_few(canvas, where, on_viridis_ink(t));
  else if (fits)
    canvas.text(where.center(), text, {.ink = on_viridis_ink(t), .anchor = Qt::AlignCenter});
}

void HeatMapChart::paint_labels(Canvas& canvas, const Layout& layout) const {
  const double line = text_height(TextSize::Small);
  const auto every = [](double needed, double step) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(needed / step)));
  };
  const double label_room = layout.plot.left() - 8;
  const std::size_t every_y = every(line, layout.cell_height);
  for (std::size_t y = 0; y < data_.y_labels.size(); y += every_y)
    canvas.text({layout.plot.left() - 6, layout.cell(0, y).center().y()},
                elided(data_.y_labels[y], TextSize::Small, label_room),
                {.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  double widest = 0;
  for (const QString& label : data_.x_labels) widest = std::max(widest, text_width(label, TextSize::Small));
  const std::size_t every_x = every(std::min(widest, 80.0) + 6, layout.cell_width);
  const double room = layout.cell_width * static_cast<double>(every_x) - 2;
  for (std::size_t x = 0; x < data_.x_labels.size(); x += every_x)
    canvas.text({layout.cell(x, 0).center().x(), layout.plot.bottom() + 4 + line / 2},
                elided(data_.x_labels[x], TextSize::Small, room),
                {.ink = muted_ink(), .anchor = Qt::AlignCenter});
  canvas.text({layout.plot.left(), layout.plot.top() - line / 2 - 2},
              elided(data_.y_column, TextSize::Small, layout.plot.width() / 2), {.ink = text_ink()});
  canvas.text({layout.plot.center().x(), layout.plot.bottom() + 4 + 1.5 * line},
              elided(data_.x_column, TextSize::Small, layout.plot.width()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter});
}

void HeatMapChart::paint_legend(Canvas& canvas, const Layout& layout) const {
  const Range shown = range();
  const QRectF& bar = layout.legend;
  const bool about_speed = data_.measure == HeatMeasure::Best || data_.measure == HeatMeasure::Mean;
  const bool reversed = about_speed && !data_.higher_is_better;
  paint_viridis_bar(canvas, bar, reversed);
  const double line = text_height(TextSize::Small);
  const TextStyle style{.ink = muted_ink()};
  canvas.text({bar.right() + 4, bar.top() + line / 2}, text_of(shown.high), style);
  canvas.text({bar.right() + 4, bar.bottom() - line / 2}, text_of(shown.low), style);
}

void HeatMapChart::paint_key(Canvas& canvas, const Layout& layout) const {
  const auto has = [&](HeatCellState state) {
    return std::ranges::any_of(data_.cells, [&](const HeatCell& cell) { return cell.state() == state; });
  };
  const bool about_speed = data_.measure == HeatMeasure::Best || data_.measure == HeatMeasure::Mean;
  double x = layout.plot.left();
  const auto entry = [&](const QString& text, const auto& paint) {
    paint(QRectF(x, layout.key_y - 5, 16, 10));
    canvas.text({x + 20, layout.key_y}, text, {.ink = muted_ink()});
    x += 20 + text_width(text, TextSize::Small) + 16;
  };
  if (has(HeatCellState::Unmeasured))
    entry(tr("not measured"), [&](const QRectF& where) { canvas.outline(where, thin(hairline_ink())); });
  if (about_speed && has(HeatCellState::AllInvalid))
    entry(tr("none valid"), [&](const QRectF& where) { paint_all_invalid(canvas, where); });
  if (data_.measure == HeatMeasure::Mean && has(HeatCellState::Few))
    entry(tr("fewer than 5 valid"), [&](const QRectF& where) {
      canvas.rect(where, viridis_ink(0.5));
      paint_few(canvas, where, on_viridis_ink(0.5));
    });
}

/** The selected share of each cell as a bar at its foot, and a frame around the current trial's. */
void HeatMapChart::paint_marks(Canvas& canvas, const Layout& layout) const {
  const auto where_of = [&](std::size_t cell) {
    return layout.cell(cell % data_.x_labels.size(), cell / data_.x_labels.size());
  };
  for (std::size_t cell = 0; cell < data_.highlighted.size(); ++cell) {
    if (data_.highlighted[cell] == 0) continue;
    const QRectF where = where_of(cell);
    const double share =
        static_cast<double>(data_.highlighted[cell]) / static_cast<double>(data_.cells[cell].count);
    const double height = std::min(5.0, where.height() / 2);
    const double width = std::max(std::min(3.0, where.width()), where.width() * share);
    const QRectF bar(where.left(), where.bottom() - height, width, height);
    canvas.rect(bar, marked_ink());
    canvas.line(bar.topLeft(), bar.topRight(), thin(surface_ink()));
  }
  if (data_.current && *data_.current < data_.cells.size()) {
    const QRectF where = where_of(*data_.current);
    canvas.outline(where.adjusted(1, 1, -1, -1), {surface_ink(), 2, {}});
    canvas.outline(where, {text_ink(), 2, {}});
  }
}

void HeatMapChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.cells.empty()) return;
  const Layout layout = layout_of(area);
  const Range shown = range();
  for (std::size_t y = 0; y < data_.y_labels.size(); ++y)
    for (std::size_t x = 0; x < data_.x_labels.size(); ++x)
      paint_cell(canvas, layout.cell(x, y), data_.cells[y * data_.x_labels.size() + x], shown);
  paint_marks(canvas, layout);
  paint_labels(canvas, layout);
  paint_legend(canvas, layout);
  paint_key(canvas, layout);
}

std::optional<std::size_t> HeatMapChart::cell_at(QPointF position) const {
  if (data_.cells.empty()) return std::nullopt;
  const Layout layout = layout_of(body_rect());
  if (!layout.plot.contains(position)) return std::nullopt;
  const auto x = static_cast<std::size_t>((position.x() - layout.plot.left()) / layout.cell_width);
  const auto y = static_cast<std::size_t>((layout.plot.bottom() - position.y()) / layout.cell_height);
  if (x >= data_.x_labels.size() || y >= data_.y_labels.size()) return std::nullopt;
  return y * data_.x_labels.size() + x;
}

Readout HeatMapChart::readout_of(std::size_t index) const {
  const HeatCell& cell = data_.cells[index];
  const std::size_t x = index % data_.x_labels.size();
  const std::size_t y = index / data_.x_labels.size();
  Readout readout{layout_of(body_rect()).cell(x, y).center(), {}, -1};
  readout.lines.append(data_.x_column + QStringLiteral(" = ") + data_.x_labels[x]);
  readout.lines.append(data_.y_column + QStringLiteral(" = ") + data_.y_labels[y]);
  if (cell.count == 0) {
    readout.lines.append(tr("not measured"));
    return readout;
  }
  readout.lines.append(tr("%1 trials, %2 valid").arg(format_count(cell.count), format_count(cell.valid)));
  if (cell.valid > 0) {
    readout.lines.append(tr("best %1").arg(format_quantity(cell.best, data_.unit)));
    readout.lines.append(tr("mean %1").arg(format_quantity(cell.mean, data_.unit)));
  }
  if (index < data_.highlighted.size() && data_.highlighted[index] > 0)
    readout.lines.append(tr("%1 selected").arg(format_count(data_.highlighted[index])));
  return readout;
}

std::optional<Readout> HeatMapChart::readout_at(QPointF position) const {
  const auto cell = cell_at(position);
  return cell ? std::optional(readout_of(*cell)) : std::nullopt;
}

std::optional<Readout> HeatMapChart::step_readout(const std::optional<Readout>& from,
                                                  Qt::Key direction) const {
  if (data_.cells.empty()) return std::nullopt;
  const auto cell = from ? cell_at(from->position) : std::nullopt;
  if (!cell) return readout_of(0);
  const auto columns = std::ssize(data_.x_labels);
  std::ptrdiff_t x = static_cast<std::ptrdiff_t>(*cell) % columns;
  std::ptrdiff_t y = static_cast<std::ptrdiff_t>(*cell) / columns;
  if (direction == Qt::Key_Left) --x;
  if (direction == Qt::Key_Right) ++x;
  if (direction == Qt::Key_Up) ++y;
  if (direction == Qt::Key_Down) --y;
  if (x < 0 || y < 0 || x >= columns || y >= std::ssize(data_.y_labels)) return std::nullopt;
  return readout_of(static_cast<std::size_t>(y * columns + x));
}

void HeatMapChart::activate(const Readout& readout) {
  const auto cell = cell_at(readout.position);
  if (!cell) return;
  emit cell_activated(static_cast<int>(*cell % data_.x_labels.size()),
                      static_cast<int>(*cell / data_.x_labels.size()));
}

ChartTable HeatMapChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  ChartTable table{{data_.x_column.toStdString(), data_.y_column.toStdString(), "trials", "valid",
                    "best" + unit, "mean" + unit},
                   {}};
  for (std::size_t index = 0; index < data_.cells.size(); ++index) {
    const HeatCell& cell = data_.cells[index];
    const auto known = [&](double value) { return cell.valid > 0 ? value : std::nan(""); };
    table.rows.push_back({data_.x_labels[index % data_.x_labels.size()].toStdString(),
                          data_.y_labels[index / data_.x_labels.size()].toStdString(),
                          static_cast<double>(cell.count), static_cast<double>(cell.valid), known(cell.best),
                          known(cell.mean)});
  }
  return table;
}

QString HeatMapChart::explanation() const {
  return tr(
      "Two columns against each other, after figure 11 of Heron: each cell stands for the trials that share "
      "both values. It is coloured by their best, their mean, the share of them that is valid, or their "
      "number; brighter is more, and faster.\n\nAn outlined empty cell was not measured; a crossed one has "
      "only failures; a dotted mean is one of fewer than five valid trials. A bar at the foot of a cell is "
      "the "
      "share of it that is selected. A click selects the trials of a cell.\n\nThe best is what a tuner found "
      "there; it looked "
      "longer where it liked it.");
}

QString HeatMapChart::summary() const {
  const HeatCell* best = nullptr;
  std::size_t place = 0;
  for (std::size_t index = 0; index < data_.cells.size(); ++index) {
    const HeatCell& cell = data_.cells[index];
    const bool better =
        cell.valid > 0 &&
        (best == nullptr || (data_.higher_is_better ? cell.best > best->best : cell.best < best->best));
    if (!better) continue;
    best = &cell;
    place = index;
  }
  if (best == nullptr) return {};
  return tr("best %1 at %2 = %3, %4 = %5")
      .arg(format_quantity(best->best, data_.unit), data_.x_column,
           data_.x_labels[place % data_.x_labels.size()], data_.y_column,
           data_.y_labels[place / data_.x_labels.size()]);
}

}  // namespace kernelscape
