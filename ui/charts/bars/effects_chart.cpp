#include "ui/charts/bars/effects_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr std::int64_t fewest_for_a_box = 5;
constexpr double widest_box = 48;
constexpr int footer_lines = 4;  ///< value, n, valid share, the column's name
constexpr double selection_height = 4;

Ink faint_accent() {
  QColor colour = style::colours().accent;
  colour.setAlphaF(0.28F);
  return {"accent-faint", colour};
}

}  // namespace

EffectsChart::EffectsChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "Performance by the values of one column. The box holds the middle half of the valid trials, the thick "
      "line is the median, the whiskers end at the minimum and the maximum. Below stand the value, the "
      "number of trials and the share of them that is valid. Fewer than five valid trials are drawn as "
      "points.\n\nFor a complete space or a random sample the black dot is the mean with its 95 % confidence "
      "interval (Student). A tuner does not choose at random: a better box may only mean that the tuner "
      "combined this value with better values of other knobs, so no interval is drawn.\n\nA click selects "
      "the trials of a box; the bar at its foot is the share of them that is selected. More than 64 values "
      "are grouped into ranges of about equally many trials."));
}

void EffectsChart::set_data(EffectsData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  invalidate();
}

PlotFrame EffectsChart::frame_for(const QRectF& area) const {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const EffectBox& box : data_.boxes) {
    if (box.valid == 0) continue;
    least = std::min(least, box.performance.minimum);
    most = std::max(most, box.performance.maximum);
  }
  // A box shows a range, not a length: the axis starts at zero only if zero is near.
  const bool near_zero = least < 0.5 * most || !std::isfinite(least);
  least = near_zero ? 0 : least - 0.05 * (most - least);
  const Interval shown = valid_range({least, most + 0.05 * (most - least)}, AxisScale::Linear);
  const auto boxes = static_cast<double>(std::max<std::size_t>(1, data_.boxes.size()));
  PlotFrame frame{{},
                  {data_.column, {}, AxisScale::Linear, {0, boxes}},
                  {data_.quantity, data_.unit, AxisScale::Linear, shown},
                  {}};
  const double line = text_height(style::TextSize::Small);
  double labels =
      std::max(text_width(tr("valid"), style::TextSize::Small), text_width(tr("n"), style::TextSize::Small));
  for (const Tick& tick : y_ticks(frame.y, area.height()))
    labels = std::max(labels, text_width(tick.label, style::TextSize::Small));
  const QPointF corner(std::round(area.left() + labels + 10), std::round(area.top() + line + 2));
  const double bottom = std::round(area.bottom() - footer_lines * line - 6);
  frame.plot = QRectF(
      corner, QSizeF(std::max(1.0, area.right() - 2 - corner.x()), std::max(1.0, bottom - corner.y())));
  return frame;
}

void EffectsChart::add_series(std::vector<PlotSeries>& series, const PlotFrame& frame,
                              std::size_t index) const {
  const EffectBox& box = data_.boxes[index];
  const double pixel = frame.x.range.high / frame.plot.width();
  const double width = std::max(2 * pixel, std::min(widest_box * pixel, 0.7));
  const double x = static_cast<double>(index) + 0.5;
  if (data_.current == index) {
    QColor faint = style::colours().text;
    faint.setAlphaF(0.07F);
    series.emplace_back(PlotBar{{x - 0.5, x + 0.5}, frame.y.range, {{"current", faint}}});
  }
  if (box.highlighted > 0) {
    // The share of the trials that is selected.
    const double share = static_cast<double>(box.highlighted) / static_cast<double>(box.count);
    series.emplace_back(PlotBar{{x - width / 2, x - width / 2 + std::max(2 * pixel, width * share)},
                                {frame.y.range.low, frame.y_at(frame.plot.bottom() - selection_height)},
                                {marked_ink()}});
  }
  if (box.valid < fewest_for_a_box) return;
  const analysis::Quartiles& q = box.performance;
  add_box(series, {x,
                   width,
                   q.minimum,
                   q.first,
                   q.median,
                   q.third,
                   q.maximum,
                   {faint_accent()},
                   thin_stroke(accent_ink()),
                   {accent_ink(), 2.5, {}}});
  if (!box.mean_interval || !box.mean) return;
  series.emplace_back(
      PlotLine{{{x, box.mean_interval->first}, {x, box.mean_interval->second}}, {text_ink(), 1.5, {}}});
}

void EffectsChart::paint_counts(Canvas& canvas, const PlotFrame& frame) const {
  const double line = text_height(style::TextSize::Small);
  const double top = frame.plot.bottom() + 4;
  const double step = frame.plot.width() / frame.x.range.high;
  const TextStyle side{.ink = muted_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter};
  canvas.text({frame.plot.left() - 6, top + 1.5 * line}, tr("n"), side);
  canvas.text({frame.plot.left() - 6, top + 2.5 * line}, tr("valid"), side);
  // Each line omits labels separately until the remaining ones do not touch.
  const auto paint_line = [&](double y, const Ink& ink, const auto& text_of) {
    double widest = 0;
    for (const EffectBox& box : data_.boxes)
      widest = std::max(widest, text_width(text_of(box), style::TextSize::Small));
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 6) / step)));
    const double room = step * static_cast<double>(every) - 2;
    for (std::size_t index = 0; index < data_.boxes.size(); index += every)
      canvas.text({frame.map_x(static_cast<double>(index) + 0.5), y},
                  elided(text_of(data_.boxes[index]), style::TextSize::Small, std::max(room, 24.0)),
                  {.ink = ink, .anchor = Qt::AlignCenter});
  };
  paint_line(top + 0.5 * line, text_ink(), [](const EffectBox& box) { return box.label; });
  paint_line(top + 1.5 * line, muted_ink(),
             [](const EffectBox& box) { return style::format_count(box.count); });
  paint_line(top + 2.5 * line, muted_ink(), [](const EffectBox& box) {
    return box.count == 0
               ? style::no_number()
               : style::format_percent(static_cast<double>(box.valid) / static_cast<double>(box.count));
  });
  canvas.text({frame.plot.center().x(), top + (footer_lines - 0.5) * line},
              elided(data_.column, style::TextSize::Small, frame.plot.width()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter});
}

void EffectsChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.boxes.empty()) return;
  const PlotFrame frame = frame_for(area);
  paint_y_grid(canvas, frame, area.height());
  std::vector<PlotSeries> series;
  for (std::size_t index = 0; index < data_.boxes.size(); ++index) add_series(series, frame, index);
  plot_.paint(canvas, frame, series);
  paint_y_axis(canvas, frame, area);
  canvas.line(frame.plot.bottomLeft(), frame.plot.bottomRight(), thin_stroke(hairline_ink()));
  paint_counts(canvas, frame);
  const ClipScope clip(canvas, frame.plot);
  for (std::size_t index = 0; index < data_.boxes.size(); ++index) {
    const EffectBox& box = data_.boxes[index];
    const double x = static_cast<double>(index) + 0.5;
    std::vector<QPointF> points;
    for (const double value : box.points) points.push_back(frame.map(x, value));
    if (box.valid < fewest_for_a_box) canvas.dots(points, 3, accent_ink());
    if (box.valid >= fewest_for_a_box && box.mean_interval && box.mean)
      canvas.dots(std::array{frame.map(x, *box.mean)}, 2.5, text_ink());
  }
}

Readout EffectsChart::readout_of(std::size_t index) const {
  const PlotFrame frame = frame_for(body_rect());
  const EffectBox& box = data_.boxes[index];
  const double y = box.valid > 0 ? frame.map_y(box.performance.median) : frame.plot.bottom() - 8;
  Readout readout{{frame.map_x(static_cast<double>(index) + 0.5), y}, {}, static_cast<std::int64_t>(index)};
  readout.lines.append(data_.column + QStringLiteral(" = ") + box.label);
  readout.lines.append((box.count == 1 ? tr("%1 trial, %2 valid") : tr("%1 trials, %2 valid"))
                           .arg(style::format_count(box.count), style::format_count(box.valid)));
  if (box.share_interval)
    readout.lines.append(tr("valid share of the space: %1 to %2 (95 %)")
                             .arg(style::format_percent(box.share_interval->first),
                                  style::format_percent(box.share_interval->second)));
  const auto value = [&](double number) { return style::format_quantity(number, data_.unit); };
  if (box.valid > 0) {
    readout.lines.append(tr("median %1").arg(value(box.performance.median)));
    const double best = data_.higher_is_better ? box.performance.maximum : box.performance.minimum;
    readout.lines.append(tr("best %1").arg(value(best)));
  }
  if (box.valid >= fewest_for_a_box)
    readout.lines.append(
        tr("middle half %1 to %2").arg(value(box.performance.first), value(box.performance.third)));
  if (box.mean_interval && box.mean)
    readout.lines.append(
        tr("mean %1 (%2 to %3, 95 %)")
            .arg(value(*box.mean), value(box.mean_interval->first), value(box.mean_interval->second)));
  if (box.highlighted > 0) readout.lines.append(tr("%1 selected").arg(style::format_count(box.highlighted)));
  return readout;
}

std::optional<Readout> EffectsChart::readout_at(QPointF position) const {
  const PlotFrame frame = frame_for(body_rect());
  const double place = std::floor(frame.x_at(position.x()));
  if (!(place >= 0) || place >= static_cast<double>(data_.boxes.size()) || position.y() < frame.plot.top())
    return std::nullopt;
  return readout_of(static_cast<std::size_t>(place));
}

std::optional<Readout> EffectsChart::step_readout(const std::optional<Readout>& from,
                                                  Qt::Key direction) const {
  const bool back = direction == Qt::Key_Left || direction == Qt::Key_Down;
  const std::int64_t next = from ? from->row + (back ? -1 : 1) : 0;
  if (next < 0 || next >= std::ssize(data_.boxes)) return std::nullopt;
  return readout_of(static_cast<std::size_t>(next));
}

void EffectsChart::activate(const Readout& readout) { emit box_activated(static_cast<int>(readout.row)); }

Table EffectsChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  Table table{{data_.column.toStdString(), "trials", "valid", "least" + unit, "first quartile" + unit,
               "median" + unit, "third quartile" + unit, "greatest" + unit, "mean" + unit, "mean low" + unit,
               "mean high" + unit},
              {}};
  for (const EffectBox& box : data_.boxes) {
    const auto known = [&](double value) { return box.valid > 0 ? value : std::nan(""); };
    const auto interval = box.mean_interval.value_or(std::pair(std::nan(""), std::nan("")));
    const analysis::Quartiles& q = box.performance;
    table.rows.push_back({box.label.toStdString(), static_cast<double>(box.count),
                          static_cast<double>(box.valid), known(q.minimum), known(q.first), known(q.median),
                          known(q.third), known(q.maximum), box.mean.value_or(std::nan("")), interval.first,
                          interval.second});
  }
  return table;
}

QString EffectsChart::summary() const {
  const EffectBox* best = nullptr;
  for (const EffectBox& box : data_.boxes) {
    if (box.valid < fewest_for_a_box) continue;
    const bool better =
        best == nullptr || (data_.higher_is_better ? box.performance.median > best->performance.median
                                                   : box.performance.median < best->performance.median);
    if (better) best = &box;
  }
  if (best == nullptr) return {};
  return tr("best median %1 at %2")
      .arg(style::format_quantity(best->performance.median, data_.unit), best->label);
}

}  // namespace kernelscape::charts
