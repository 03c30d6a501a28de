#include "ui/charts/bars/importance_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
struct ImportanceChart::Layout {
  QRectF bars;  ///< from zero on
  double row_height = 1;
  double most = 1;  ///< the share at the right end
  std::size_t shown = 0;
  double heading_y = 0;

  double top(std::size_t index) const { return bars.top() + static_cast<double>(index) * row_height; }
};

ImportanceChart::ImportanceChart(QWidget* parent) : Chart(parent) {}

void ImportanceChart::set_data(ImportanceData data) {
  data_ = std::move(data);
  set_readout(std::nullopt);
  invalidate();
}

ImportanceChart::Layout ImportanceChart::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(TextSize::Small);
  double labels = 0;
  layout.most = 1e-9;
  for (const ImportanceBar& bar : data_.bars) {
    labels = std::max(labels, text_width(bar.label, TextSize::Small));
    layout.most = std::max(layout.most, bar.share);
  }
  labels = std::min(labels, area.width() * bar_label_share);
  const double value_width = text_width(QStringLiteral("00.0 %"), TextSize::Small) + 8;
  layout.heading_y = area.top() + line / 2;
  const auto basis_lines = static_cast<double>(wrapped(data_.basis, TextSize::Small, area.width()).size());
  layout.bars = QRectF(QPointF(std::round(area.left() + labels + 8), area.top() + line + 4),
                       QPointF(area.right() - value_width, area.bottom() - basis_lines * line - 6));
  layout.row_height =
      std::clamp(layout.bars.height() / static_cast<double>(std::max<std::size_t>(1, data_.bars.size())),
                 line + 1, 28.0);
  layout.shown =
      std::min(data_.bars.size(),
               static_cast<std::size_t>(std::max(0.0, layout.bars.height() / layout.row_height + 0.01)));
  return layout;
}

void ImportanceChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const Layout layout = layout_of(area);
  const double line = text_height(TextSize::Small);
  canvas.text({layout.bars.left(), layout.heading_y}, tr("share of the variance of %1").arg(data_.of_what),
              {.ink = text_ink()});
  const double bottom = layout.top(layout.shown);
  for (std::size_t index = 0; index < layout.shown; ++index) {
    const ImportanceBar& bar = data_.bars[index];
    const double middle = layout.top(index) + layout.row_height / 2;
    const double thickness = std::min(16.0, layout.row_height - 4);
    const double width = std::max(0.0, bar.share / layout.most * layout.bars.width());
    const QRectF where(layout.bars.left(), middle - thickness / 2, width, thickness);
    canvas.rect(where, {accent_ink(), bar.second >= 0 ? Hatch::Diagonal : Hatch::Solid, surface_ink()});
    canvas.text({layout.bars.left() - 6, middle},
                elided(bar.label, TextSize::Small, layout.bars.left() - area.left() - 6),
                {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
    canvas.text({where.right() + 5, middle}, format_percent(bar.share), {.ink = muted_ink()});
  }
  canvas.line({layout.bars.left(), layout.bars.top()}, {layout.bars.left(), bottom}, {hairline_ink(), 1, {}});
  const QStringList basis = wrapped(data_.basis, TextSize::Small, area.width());
  double y = area.bottom() - line * (static_cast<double>(basis.size()) - 0.5);
  for (const QString& text : basis) {
    canvas.text({area.left(), y}, text, {.ink = muted_ink()});
    y += line;
  }
}

std::optional<std::size_t> ImportanceChart::bar_at(QPointF position) const {
  const Layout layout = layout_of(body_rect());
  if (position.y() < layout.bars.top()) return std::nullopt;
  const auto index = static_cast<std::size_t>((position.y() - layout.bars.top()) / layout.row_height);
  return index < layout.shown ? std::optional(index) : std::nullopt;
}

Readout ImportanceChart::readout_of(std::size_t index) const {
  const Layout layout = layout_of(body_rect());
  const ImportanceBar& bar = data_.bars[index];
  Readout readout{{layout.bars.left() + bar.share / layout.most * layout.bars.width(),
                   layout.top(index) + layout.row_height / 2},
                  {},
                  -1};
  readout.lines.append(bar.label);
  readout.lines.append(tr("%1 of the variance of %2").arg(format_percent(bar.share), data_.of_what));
  if (bar.second >= 0) readout.lines.append(tr("together, beyond the two alone"));
  return readout;
}

std::optional<Readout> ImportanceChart::readout_at(QPointF position) const {
  const auto bar = bar_at(position);
  return bar ? std::optional(readout_of(*bar)) : std::nullopt;
}

std::optional<Readout> ImportanceChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  const std::size_t shown = layout_of(body_rect()).shown;
  if (shown == 0) return std::nullopt;
  const auto bar = from ? bar_at(from->position) : std::nullopt;
  if (!bar) return readout_of(0);
  const bool back = direction == Qt::Key_Up || direction == Qt::Key_Left;
  if ((back && *bar == 0) || (!back && *bar + 1 >= shown)) return std::nullopt;
  return readout_of(back ? *bar - 1 : *bar + 1);
}

void ImportanceChart::activate(const Readout& readout) {
  if (const auto bar = bar_at(readout.position))
    emit knobs_activated(data_.bars[*bar].first, data_.bars[*bar].second);
}

ChartTable ImportanceChart::table() const {
  ChartTable table{{"knobs", "share"}, {}};
  for (const ImportanceBar& bar : data_.bars) table.rows.push_back({bar.label.toStdString(), bar.share});
  return table;
}

QString ImportanceChart::explanation() const {
  return tr(
      "Which knobs decide performance, or whether a configuration is valid at all: the share of the variance "
      "that each knob explains alone, and each pair of knobs (hatched) beyond the two alone. Performance is "
      "taken as its logarithm over the valid trials.\n\nA random forest is grown on a seeded sample of the "
      "trials and split exactly (functional analysis of variance: Hutter, Hoos, Leyton-Brown 2014); its "
      "out-of-bag R² says how much it explains of trials that it did not see. Below 0.5 it explains too "
      "little "
      "to be shown. Where every configuration of the space was measured the shares are computed exactly.\n\n"
      "A click on a knob shows its effect, one on a pair its heat map.");
}

QString ImportanceChart::summary() const {
  QStringList parts;
  for (std::size_t index = 0; index < std::min<std::size_t>(3, data_.bars.size()); ++index)
    parts.append(data_.bars[index].label + QLatin1Char(' ') + format_percent(data_.bars[index].share));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape
