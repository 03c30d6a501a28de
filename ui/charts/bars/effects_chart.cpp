#include "ui/charts/bars/effects_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/axis.h"
#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr std::size_t fewest_for_a_box = 5;
constexpr double widest_box = 48;
constexpr int footer_lines = 4;  ///< value, n, share valid, the column's name
constexpr int pixels_per_tick = 28;
constexpr double selection_height = 4;

Ink faint_accent() {
  QColor colour = colours().accent;
  colour.setAlphaF(0.28F);
  return {"accent-faint", colour};
}

}  // namespace

struct EffectsChart::Layout {
  QRectF plot;
  Axis y;
  double step = 1;

  double x(std::size_t index) const { return plot.left() + (static_cast<double>(index) + 0.5) * step; }
  double map(double value) const { return plot.bottom() - y.fraction(value) * plot.height(); }
};

EffectsChart::EffectsChart(QWidget* parent) : Chart(parent) {}

void EffectsChart::set_data(EffectsData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  invalidate();
}

EffectsChart::Layout EffectsChart::layout_of(const QRectF& area) const {
  Layout layout;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const EffectBox& box : data_.boxes) {
    if (box.valid == 0) continue;
    least = std::min(least, box.performance.minimum);
    most = std::max(most, box.performance.maximum);
  }
  // A box shows a range, not a length: the axis need not start at zero, but does where it is near.
  if (!(least < 0.5 * most))
    least = std::isfinite(least) ? least - 0.05 * (most - least) : 0;
  else
    least = 0;
  layout.y = {data_.quantity, data_.unit, AxisScale::Linear, {least, most + 0.05 * (most - least)}};
  const double line = text_height(TextSize::Small);
  double labels = std::max(text_width(tr("valid"), TextSize::Small), text_width(tr("n"), TextSize::Small));
  for (const Tick& tick : layout.y.ticks(std::max(2, static_cast<int>(area.height()) / pixels_per_tick)))
    labels = std::max(labels, text_width(tick.label, TextSize::Small));
  layout.plot = QRectF(QPointF(std::round(area.left() + labels + 10), std::round(area.top() + line + 2)),
                       QPointF(area.right() - 2, std::round(area.bottom() - footer_lines * line - 6)));
  layout.step = layout.plot.width() / static_cast<double>(std::max<std::size_t>(1, data_.boxes.size()));
  return layout;
}

void EffectsChart::paint_axes(Canvas& canvas, const Layout& layout) const {
  const QRectF& plot = layout.plot;
  for (const Tick& tick : layout.y.ticks(std::max(2, static_cast<int>(plot.height()) / pixels_per_tick))) {
    if (!tick.major) continue;
    const double y = layout.map(tick.value);
    canvas.line({plot.left(), y}, {plot.right(), y}, thin_stroke(grid_ink()));
    canvas.text({plot.left() - 6, y}, tick.label,
                {.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  }
  canvas.line(plot.topLeft(), plot.bottomLeft(), thin_stroke(hairline_ink()));
  canvas.line(plot.bottomLeft(), plot.bottomRight(), thin_stroke(hairline_ink()));
  const double line = text_height(TextSize::Small);
  canvas.text({plot.left() - 6 - text_width(tr("valid"), TextSize::Small), plot.top() - line / 2 - 2},
              layout.y.full_title(), {.ink = text_ink()});
  canvas.text({plot.center().x(), plot.bottom() + 4 + (footer_lines - 0.5) * line},
              elided(data_.column, TextSize::Small, plot.width()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter});
}

void EffectsChart::paint_box(Canvas& canvas, const Layout& layout, std::size_t index) const {
  const EffectBox& box = data_.boxes[index];
  const double x = layout.x(index);
  const double half = std::max(1.0, std::min(widest_box, layout.step * 0.7) / 2);
  if (data_.current == index) {
    QColor faint = colours().text;
    faint.setAlphaF(0.07F);
    canvas.rect(QRectF(x - layout.step / 2, layout.plot.top(), layout.step, layout.plot.height()),
                Ink{"current", faint});
  }
  if (box.highlighted > 0) {
    // Which share of the trials is selected.
    const double share = static_cast<double>(box.highlighted) / static_cast<double>(box.count);
    const double width = std::max(2.0, 2 * half * share);
    canvas.rect(QRectF(x - half, layout.plot.bottom() - selection_height, width, selection_height),
                marked_ink());
  }
  if (box.valid == 0) return;
  const Ink line = accent_ink();
  if (box.valid < static_cast<std::int64_t>(fewest_for_a_box)) {
    std::vector<QPointF> centres;
    for (const double value : box.points) centres.emplace_back(x, layout.map(value));
    canvas.dots(centres, 3, line);
    return;
  }
  const Quartiles& q = box.performance;
  canvas.line({x, layout.map(q.minimum)}, {x, layout.map(q.first)}, thin_stroke(line));
  canvas.line({x, layout.map(q.third)}, {x, layout.map(q.maximum)}, thin_stroke(line));
  for (const double end : {q.minimum, q.maximum})
    canvas.line({x - half / 2, layout.map(end)}, {x + half / 2, layout.map(end)}, thin_stroke(line));
  const QRectF body(QPointF(x - half, layout.map(q.third)), QPointF(x + half, layout.map(q.first)));
  canvas.rect(body, faint_accent());
  canvas.outline(body, thin_stroke(line));
  canvas.line({x - half, layout.map(q.median)}, {x + half, layout.map(q.median)}, {line, 2.5, {}});
  if (!box.mean_interval || !box.mean) return;
  const Stroke mean{text_ink(), 1.5, {}};
  canvas.line({x, layout.map(box.mean_interval->first)}, {x, layout.map(box.mean_interval->second)}, mean);
  canvas.dots(std::array{QPointF(x, layout.map(*box.mean))}, 2.5, text_ink());
}

void EffectsChart::paint_counts(Canvas& canvas, const Layout& layout) const {
  const double line = text_height(TextSize::Small);
  const double top = layout.plot.bottom() + 4;
  const TextStyle side{.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter};
  canvas.text({layout.plot.left() - 6, top + 1.5 * line}, tr("n"), side);
  canvas.text({layout.plot.left() - 6, top + 2.5 * line}, tr("valid"), side);
  // Each line leaves out labels on its own until they do not touch.
  const auto paint_line = [&](double y, const Ink& ink, const auto& text_of) {
    double widest = 0;
    for (const EffectBox& box : data_.boxes)
      widest = std::max(widest, text_width(text_of(box), TextSize::Small));
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 6) / layout.step)));
    const double room = layout.step * static_cast<double>(every) - 2;
    for (std::size_t index = 0; index < data_.boxes.size(); index += every)
      canvas.text({layout.x(index), y},
                  elided(text_of(data_.boxes[index]), TextSize::Small, std::max(room, 24.0)),
                  {.ink = ink, .anchor = Qt::AlignCenter});
  };
  paint_line(top + 0.5 * line, text_ink(), [](const EffectBox& box) { return box.label; });
  paint_line(top + 1.5 * line, muted_ink(), [](const EffectBox& box) { return format_count(box.count); });
  paint_line(top + 2.5 * line, muted_ink(), [](const EffectBox& box) {
    return box.count == 0 ? no_number()
                          : format_percent(static_cast<double>(box.valid) / static_cast<double>(box.count));
  });
}

void EffectsChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.boxes.empty()) return;
  const Layout layout = layout_of(area);
  paint_axes(canvas, layout);
  {
    const ClipScope clip(canvas, layout.plot);
    for (std::size_t index = 0; index < data_.boxes.size(); ++index) paint_box(canvas, layout, index);
  }
  paint_counts(canvas, layout);
}

Readout EffectsChart::readout_of(std::size_t index) const {
  const Layout layout = layout_of(body_rect());
  const EffectBox& box = data_.boxes[index];
  const double at = box.valid > 0 ? layout.map(box.performance.median) : layout.plot.bottom() - 8;
  Readout readout{{layout.x(index), at}, {}, -1};
  readout.lines.append(data_.column + QStringLiteral(" = ") + box.label);
  readout.lines.append((box.count == 1 ? tr("%1 trial, %2 valid") : tr("%1 trials, %2 valid"))
                           .arg(format_count(box.count), format_count(box.valid)));
  if (box.share_interval)
    readout.lines.append(
        tr("valid in the space: %1 to %2 (95 %)")
            .arg(format_percent(box.share_interval->first), format_percent(box.share_interval->second)));
  const auto value = [&](double number) { return format_quantity(number, data_.unit); };
  if (box.valid > 0) {
    readout.lines.append(tr("median %1").arg(value(box.performance.median)));
    const double best = data_.higher_is_better ? box.performance.maximum : box.performance.minimum;
    readout.lines.append(tr("best %1").arg(value(best)));
  }
  if (box.valid >= static_cast<std::int64_t>(fewest_for_a_box))
    readout.lines.append(
        tr("middle half %1 to %2").arg(value(box.performance.first), value(box.performance.third)));
  if (box.mean_interval && box.mean)
    readout.lines.append(
        tr("mean %1 (%2 to %3, 95 %)")
            .arg(value(*box.mean), value(box.mean_interval->first), value(box.mean_interval->second)));
  if (box.highlighted > 0) readout.lines.append(tr("%1 selected").arg(format_count(box.highlighted)));
  return readout;
}

std::optional<std::size_t> EffectsChart::index_at(QPointF position) const {
  if (data_.boxes.empty()) return std::nullopt;
  const Layout layout = layout_of(body_rect());
  const double place = (position.x() - layout.plot.left()) / layout.step;
  if (place < 0 || position.y() < layout.plot.top()) return std::nullopt;
  const auto index = static_cast<std::size_t>(place);
  return index < data_.boxes.size() ? std::optional(index) : std::nullopt;
}

std::optional<Readout> EffectsChart::readout_at(QPointF position) const {
  const auto index = index_at(position);
  return index ? std::optional(readout_of(*index)) : std::nullopt;
}

std::optional<Readout> EffectsChart::step_readout(const std::optional<Readout>& from,
                                                  Qt::Key direction) const {
  if (data_.boxes.empty()) return std::nullopt;
  if (!from) return readout_of(0);
  const auto index = index_at(from->position);
  const bool back = direction == Qt::Key_Left || direction == Qt::Key_Down;
  if (!index || (back && *index == 0) || (!back && *index + 1 == data_.boxes.size())) return std::nullopt;
  return readout_of(back ? *index - 1 : *index + 1);
}

void EffectsChart::activate(const Readout& readout) {
  if (const auto index = index_at(readout.position)) emit box_activated(static_cast<int>(*index));
}

ChartTable EffectsChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  ChartTable table{{data_.column.toStdString(), "trials", "valid", "least" + unit, "first quartile" + unit,
                    "median" + unit, "third quartile" + unit, "greatest" + unit, "mean" + unit,
                    "mean low" + unit, "mean high" + unit},
                   {}};
  for (const EffectBox& box : data_.boxes) {
    const auto known = [&](double value) { return box.valid > 0 ? value : std::nan(""); };
    const auto interval = box.mean_interval.value_or(std::pair(std::nan(""), std::nan("")));
    const Quartiles& q = box.performance;
    table.rows.push_back({box.label.toStdString(), static_cast<double>(box.count),
                          static_cast<double>(box.valid), known(q.minimum), known(q.first), known(q.median),
                          known(q.third), known(q.maximum), box.mean.value_or(std::nan("")), interval.first,
                          interval.second});
  }
  return table;
}

QString EffectsChart::explanation() const {
  return tr(
      "Performance by the values of one column. The box holds the middle half of the valid trials, the thick "
      "line is the median, the whiskers end at the least and the greatest. Below stand the value, the number "
      "of trials and which share of them is valid. Fewer than five valid trials are drawn as points.\n\n"
      "For a complete space or a random sample the black dot is the mean with its 95 % confidence interval "
      "(Student). A tuner does not choose at random: there a better box may only mean that the tuner "
      "combined "
      "this value with better others, so no interval is drawn.\n\n"
      "A click selects the trials of a box; the bar at its foot is the share of them that is selected. More "
      "than 64 values are put into ranges of about equally many "
      "trials.");
}

QString EffectsChart::summary() const {
  const EffectBox* best = nullptr;
  for (const EffectBox& box : data_.boxes) {
    if (box.valid < static_cast<std::int64_t>(fewest_for_a_box)) continue;
    const bool better =
        best == nullptr || (data_.higher_is_better ? box.performance.median > best->performance.median
                                                   : box.performance.median < best->performance.median);
    if (better) best = &box;
  }
  if (best == nullptr) return {};
  return tr("best median %1 at %2").arg(format_quantity(best->performance.median, data_.unit), best->label);
}

}  // namespace kernelscape
