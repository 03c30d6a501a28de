#include "ui/charts/bars/stacked_bar_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double most_stacked_row_height = 34;
constexpr double least_row_height = 14;

}  // namespace

void StackedBarChart::set_bars(std::vector<StackedBar> bars) {
  bars_ = std::move(bars);
  set_readout(std::nullopt);
  updateGeometry();
  invalidate();
}

void StackedBarChart::set_hidden(const std::set<std::size_t>& arms) {
  if (arms == hidden_) return;
  hidden_ = arms;
  set_readout(std::nullopt);
  updateGeometry();
  invalidate();
}

std::vector<const StackedBar*> StackedBarChart::shown() const {
  std::vector<const StackedBar*> bars;
  for (const StackedBar& bar : bars_)
    if (!hidden_.contains(bar.arm)) bars.push_back(&bar);
  return bars;
}

double StackedBarChart::value_of(const StackedBar& bar, std::size_t part) const {
  const double value = part < bar.values.size() ? bar.values[part] : 0;
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

double StackedBarChart::total_of(const StackedBar& bar) const {
  double total = 0;
  for (std::size_t part = 0; part < part_count(); ++part) total += value_of(bar, part);
  return total;
}

std::vector<std::size_t> StackedBarChart::used_parts() const {
  std::vector<std::size_t> used;
  for (std::size_t part = 0; part < part_count(); ++part)
    if (std::ranges::any_of(shown(), [&](const StackedBar* bar) { return value_of(*bar, part) > 0; }))
      used.push_back(part);
  return used;
}

double StackedBarChart::label_width(const QRectF& area) const {
  double widest = 0;
  for (const StackedBar* bar : shown()) widest = std::max(widest, text_width(bar->name, TextSize::Small));
  return std::min(std::ceil(widest), area.width() * 0.35);
}

double StackedBarChart::legend_width(std::size_t part) const {
  return swatch_pixels + 4 + text_width(part_name(part), TextSize::Small);
}

StackedBarChart::Layout StackedBarChart::layout_for(const QRectF& area) const {
  Layout layout;
  const double line = text_height(TextSize::Small) + 3;
  QPointF next(area.left(), area.top() + line / 2);
  for (const std::size_t part : used_parts()) {
    const double width = legend_width(part);
    if (next.x() > area.left() && next.x() + width > area.right()) next = {area.left(), next.y() + line};
    layout.legend.push_back(next);
    next.rx() += width + 2 * bar_gap_pixels;
  }
  double behind = 0;
  for (const StackedBar* bar : shown()) {
    const QString text = bar_text(*bar);
    if (!text.isEmpty()) behind = std::max(behind, text_width(text, TextSize::Small) + bar_gap_pixels);
  }
  const double left = area.left() + label_width(area) + bar_gap_pixels;
  const double top = next.y() + line / 2 + bar_gap_pixels;
  const double axis_height = 2 * text_height(TextSize::Small) + 6;
  const auto rows = static_cast<double>(std::max<std::size_t>(1, shown().size()));
  const double room = std::max(rows, area.bottom() - axis_height - top);
  layout.row_height = std::min(most_stacked_row_height, room / rows);
  layout.bars = QRectF(left, top, std::max(1.0, area.right() - left - std::max(behind, 10.0)),
                       layout.row_height * rows);
  layout.axis = value_axis();
  double most = 0;
  for (const StackedBar* bar : shown()) most = std::max(most, total_of(*bar));
  layout.axis.range = {0, most > 0 ? most : 1};
  return layout;
}

QRectF StackedBarChart::part_in(const Layout& layout, std::size_t bar, std::size_t part) const {
  const StackedBar& shown_bar = *shown().at(bar);
  double before = 0;
  for (std::size_t i = 0; i < part; ++i) before += value_of(shown_bar, i);
  const double inset = layout.row_height > least_row_height ? 4 : 1;
  const double left = layout.bars.left() + layout.axis.fraction(before) * layout.bars.width();
  const double right =
      layout.bars.left() + layout.axis.fraction(before + value_of(shown_bar, part)) * layout.bars.width();
  return {left, layout.bars.top() + layout.row_height * static_cast<double>(bar) + inset, right - left,
          std::max(1.0, layout.row_height - 2 * inset)};
}

QRectF StackedBarChart::part_rect(std::size_t bar, std::size_t part) const {
  return part_in(layout_for(body_rect()), bar, part);
}

void StackedBarChart::paint_legend(Canvas& canvas, const Layout& layout) const {
  const std::vector<std::size_t> used = used_parts();
  for (std::size_t i = 0; i < used.size(); ++i) {
    const QPointF at = layout.legend[i];
    canvas.rect(QRectF(at.x(), at.y() - swatch_pixels / 2, swatch_pixels, swatch_pixels), part_fill(used[i]));
    canvas.text({at.x() + swatch_pixels + 4, at.y()}, part_name(used[i]), {.ink = text_ink()});
  }
}

void StackedBarChart::paint_axis(Canvas& canvas, const Layout& layout) const {
  const QRectF& bars = layout.bars;
  const Stroke hairline{hairline_ink(), 1, {}};
  canvas.line(bars.topLeft(), bars.bottomLeft(), hairline);
  canvas.line(bars.bottomLeft(), bars.bottomRight(), hairline);
  for (const Tick& tick : layout.axis.ticks(std::clamp(static_cast<int>(bars.width() / 70), 2, 10))) {
    if (!tick.major) continue;
    const double x = bars.left() + layout.axis.fraction(tick.value) * bars.width();
    canvas.line({x, bars.top()}, {x, bars.bottom() + 3}, {grid_ink(), 1, {}});
    canvas.text({x, bars.bottom() + 3}, tick.label,
                {.ink = muted_ink(), .anchor = Qt::AlignHCenter | Qt::AlignTop});
  }
  canvas.text({bars.center().x(), bars.bottom() + 3 + text_height(TextSize::Small)},
              elided(layout.axis.full_title(), TextSize::Small, bars.width()),
              {.ink = text_ink(), .anchor = Qt::AlignHCenter | Qt::AlignTop});
}

void StackedBarChart::paint_bar(Canvas& canvas, const Layout& layout, std::size_t bar, double left) const {
  const StackedBar& shown_bar = *shown()[bar];
  double end = layout.bars.left();
  double middle = 0;
  for (std::size_t part = 0; part < part_count(); ++part) {
    const QRectF rectangle = part_in(layout, bar, part);
    middle = rectangle.center().y();
    end = rectangle.right();
    if (rectangle.width() <= 0) continue;
    canvas.rect(rectangle, part_fill(part));
    if (part > 0 && rectangle.width() > 1)
      canvas.line(rectangle.topLeft(), rectangle.bottomLeft(), {surface_ink(), 1, {}});
    const QString letter = part_letter(part);
    const double width = text_width(letter, TextSize::Small, true) + 4;
    if (letter.isEmpty() || rectangle.width() < width + 4 || rectangle.height() < least_row_height) continue;
    canvas.rect(QRectF(rectangle.center().x() - width / 2, rectangle.center().y() - 7, width, 14),
                surface_ink());
    canvas.text(rectangle.center(), letter, {.ink = text_ink(), .anchor = Qt::AlignCenter, .bold = true});
  }
  canvas.text({layout.bars.left() - bar_gap_pixels, middle},
              elided(shown_bar.name, TextSize::Small, layout.bars.left() - bar_gap_pixels - left),
              {.ink = arm_ink(shown_bar.arm), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  canvas.text({end + bar_gap_pixels, middle}, bar_text(shown_bar), {.ink = text_ink()});
}

void StackedBarChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const Layout layout = layout_for(area);
  paint_legend(canvas, layout);
  paint_axis(canvas, layout);
  for (std::size_t bar = 0; bar < shown().size(); ++bar) paint_bar(canvas, layout, bar, area.left());
}

void StackedBarChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  if (!readout()) return;
  const auto row = static_cast<std::size_t>(readout()->row);
  if (row / part_count() >= shown().size()) return;
  canvas.outline(part_in(layout_for(area), row / part_count(), row % part_count()), {text_ink(), 2, {}});
}

Readout StackedBarChart::readout_of(std::size_t bar, std::size_t part) const {
  const StackedBar& shown_bar = *shown()[bar];
  const double total = total_of(shown_bar);
  const double value = value_of(shown_bar, part);
  QStringList lines{shown_bar.name, QStringLiteral("%1: %2").arg(part_name(part), value_text(value))};
  lines += details(shown_bar, part);
  if (details(shown_bar, part).isEmpty() && total > 0)
    lines.append(tr("%1 of %2").arg(format_percent(value / total), value_text(total)));
  return {part_rect(bar, part).center(), lines, static_cast<std::int64_t>(bar * part_count() + part)};
}

std::optional<Readout> StackedBarChart::readout_at(QPointF position) const {
  const Layout layout = layout_for(body_rect());
  const double row = std::floor((position.y() - layout.bars.top()) / layout.row_height);
  if (!(row >= 0 && row < static_cast<double>(shown().size()))) return std::nullopt;
  for (std::size_t part = 0; part < part_count(); ++part) {
    const QRectF rectangle = part_in(layout, static_cast<std::size_t>(row), part);
    if (position.x() >= rectangle.left() && position.x() < rectangle.right())
      return readout_of(static_cast<std::size_t>(row), part);
  }
  return std::nullopt;
}

std::optional<Readout> StackedBarChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  const std::vector<std::size_t> used = used_parts();
  if (used.empty()) return std::nullopt;
  if (!from) return readout_of(0, used.front());
  const auto bar = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(from->row) / part_count());
  const std::size_t part = static_cast<std::size_t>(from->row) % part_count();
  const auto place = std::ranges::find(used, part) - used.begin();
  const auto to_bar = direction == Qt::Key_Up ? bar - 1 : direction == Qt::Key_Down ? bar + 1 : bar;
  const auto to_part = direction == Qt::Key_Left ? place - 1 : direction == Qt::Key_Right ? place + 1 : place;
  const auto within = [](std::ptrdiff_t index, std::ptrdiff_t size) {
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, size - 1));
  };
  return readout_of(within(to_bar, std::ssize(shown())), used[within(to_part, std::ssize(used))]);
}

void StackedBarChart::activate(const Readout& readout) {
  emit arm_activated(static_cast<qint64>(shown()[static_cast<std::size_t>(readout.row) / part_count()]->arm));
}

QString StackedBarChart::summary() const {
  QStringList parts;
  for (const StackedBar* bar : shown()) {
    QStringList values;
    for (const std::size_t part : used_parts())
      values.append(QStringLiteral("%1 %2").arg(part_name(part), value_text(value_of(*bar, part))));
    parts.append(bar->name + QStringLiteral(": ") + values.join(QStringLiteral(", ")));
  }
  return parts.join(QStringLiteral("; "));
}

QSize StackedBarChart::minimumSizeHint() const {
  const double rows = least_row_height * static_cast<double>(shown().size());
  return Chart::minimumSizeHint().expandedTo(
      {0, static_cast<int>(rows + 5 * text_height(TextSize::Small) + 2 * text_height(TextSize::Normal))});
}

}  // namespace kernelscape
