#include "ui/charts/bars/bar_chart.h"

#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t summarised_rows = 3;

BarPlace place_of(const Readout& readout, std::size_t parts) {
  const auto number = static_cast<std::size_t>(readout.row);
  return {number / parts, number % parts};
}

}  // namespace

void BarChart::show_bars(const std::optional<BarPlace>& read) {
  updateGeometry();
  invalidate();
  set_readout(readout_of(bar_layout(), read));
}

std::optional<BarPlace> BarChart::read() const {
  return readout() ? std::optional(place_of(*readout(), bar_layout().parts())) : std::nullopt;
}

/** Returns the readout of a place; nullopt if the place is not shown. */
std::optional<Readout> BarChart::readout_of(const BarLayout& layout,
                                            const std::optional<BarPlace>& place) const {
  if (!place || place->row >= layout.shown()) return std::nullopt;
  return Readout{layout.part(*place).center(), lines_of(*place),
                 static_cast<std::int64_t>(place->row * layout.parts() + place->part)};
}

std::optional<Readout> BarChart::readout_at(QPointF position) const {
  const BarLayout layout = bar_layout();
  return readout_of(layout, layout.at(position));
}

std::optional<Readout> BarChart::step_readout(const std::optional<Readout>& from, Qt::Key direction) const {
  const BarLayout layout = bar_layout();
  const auto place = from ? std::optional(place_of(*from, layout.parts())) : std::nullopt;
  return readout_of(layout, layout.step(place, direction));
}

void BarChart::activate(const Readout& readout) { activate_bar(place_of(readout, bar_layout().parts())); }

void BarChart::paint_chart(Canvas& canvas, const QRectF& area) {
  BarLayout(bars(), bars_area(area)).paint(canvas, plot_);
}

void BarChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  const BarLayout layout(bars(), bars_area(area));
  const auto place = read();
  if (!place || place->row >= layout.shown()) return;
  if (layout.parts() > 1) return canvas.outline(layout.part(*place), {text_ink(), 2, {}});
  canvas.outline(layout.row(place->row), thin_stroke(accent_ink()));
}

QString BarChart::summary() const {
  const BarRows content = bars();
  QStringList parts;
  for (const BarRow& row : content.rows)
    if (content.all || std::size_t(parts.size()) < summarised_rows)
      parts.append(row.label + QLatin1Char(' ') + row.bars.front().text);
  return parts.join(QStringLiteral(", "));
}

QSize BarChart::minimumSizeHint() const {
  const double title = 2 * text_height(style::TextSize::Normal);
  return Chart::minimumSizeHint().expandedTo({0, static_cast<int>(BarLayout::min_height(bars()) + title)});
}

}  // namespace kernelscape::charts
