#include "ui/charts/landscape/parallel_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/parallel_bands.h"
#include "ui/charts/landscape/viridis_scale.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double thinnest = 1;
constexpr double thickest = 9;
constexpr double band_key_gap = 16;
constexpr double band_key_width = 16;

constexpr double none_valid = -1;
constexpr double line_thickness = 2;
constexpr std::size_t few_lines = 300;  ///< more lines are more transparent

Ink not_selected_ink() { return hairline_ink(); }

struct DrawnBand {
  QPointF from;
  QPointF to;
  double weight = 0;    ///< share of the maximum count, 0 to 1
  double goodness = 0;  ///< rank of the best, 0 the worst, 1 the best, or none_valid
};

bool has_selected(const analysis::ParallelBand& band) { return band.highlighted > 0; }

double width_of(double weight) { return thinnest + (thickest - thinnest) * std::sqrt(weight); }

/** Returns what decides a band's colour: among selected trials, only these. */
double best_of(const analysis::ParallelBand& band, bool selected) {
  return selected ? band.best_highlighted : band.best;
}

/**
 * Returns all bands in painting order, the worst first, so that the best ones lie on top.
 * @param selected only the selected trials of each band count
 */
std::vector<DrawnBand> drawn_bands(const ParallelData& data, const PerformanceScale& scale, bool selected,
                                   const std::function<QPointF(std::size_t, std::size_t)>& place) {
  const analysis::ParallelCoordinates& all = data.coordinates;
  const auto count = [selected](const analysis::ParallelBand& band) {
    return selected ? band.highlighted : band.count;
  };
  std::int64_t most = 1;
  for (const auto& pair : all.bands)
    for (const analysis::ParallelBand& band : pair) most = std::max(most, count(band));
  std::vector<DrawnBand> bands;
  for (std::size_t left = 0; left + 1 < all.axes.size(); ++left) {
    for (std::size_t from = 0; from < all.axes[left].places(); ++from) {
      for (std::size_t to = 0; to < all.axes[left + 1].places(); ++to) {
        const analysis::ParallelBand& band = all.at(left, from, to);
        if (count(band) == 0) continue;
        const double best = best_of(band, selected);
        bands.push_back({place(left, from), place(left + 1, to),
                         static_cast<double>(count(band)) / static_cast<double>(most),
                         best > 0 ? scale.brightness(best) : none_valid});
      }
    }
  }
  std::ranges::stable_sort(bands, {}, &DrawnBand::goodness);
  return bands;
}

/** Returns the pieces of all lines between neighbouring axes, those of the worst lines first. */
std::vector<DrawnBand> drawn_lines(const ParallelData& data, const PerformanceScale& scale,
                                   const std::function<QPointF(std::size_t, std::size_t)>& place) {
  std::vector<DrawnBand> pieces;
  for (const analysis::ParallelLine& line : data.coordinates.lines) {
    const double goodness = line.performance > 0 ? scale.brightness(line.performance) : none_valid;
    for (std::size_t axis = 1; axis < line.places.size(); ++axis)
      pieces.push_back({place(axis - 1, line.places[axis - 1]), place(axis, line.places[axis]), 0, goodness});
  }
  std::ranges::stable_sort(pieces, {}, &DrawnBand::goodness);
  return pieces;
}

QColor colour_of(const DrawnBand& band) {
  return band.goodness == none_valid ? style::colours().muted_text : viridis_ink(band.goodness).colour;
}

}  // namespace

ParallelPainter::ParallelPainter(const ParallelData& data, const QRectF& area)
    : data_(data), area_(area), layout_(data.coordinates, area) {}

/** Returns the values by which lines or bands are coloured; 0 where none is valid. */
std::vector<double> ParallelPainter::coloured_values() const {
  std::vector<double> values;
  for (const analysis::ParallelLine& line : data_.coordinates.lines) values.push_back(line.performance);
  if (!values.empty()) return values;
  const bool selected = any_selected();
  for (const auto& pair : data_.coordinates.bands)
    for (const analysis::ParallelBand& band : pair)
      if (selected ? band.highlighted > 0 : band.count > 0) values.push_back(best_of(band, selected));
  return values;
}

PerformanceScale ParallelPainter::performance_scale() const {
  return {coloured_values(), data_.higher_is_better};
}

bool ParallelPainter::any_selected() const {
  return std::ranges::any_of(data_.coordinates.bands,
                             [](const auto& pair) { return std::ranges::any_of(pair, has_selected); });
}

QImage ParallelPainter::bands_image(double pixel_ratio) const {
  const auto place = [&](std::size_t axis, std::size_t at) {
    return layout_.place(axis, at) - area_.topLeft();
  };
  const bool selected = any_selected();
  const bool as_lines = !data_.coordinates.lines.empty();
  const PerformanceScale scale = performance_scale();
  QImage image((area_.size() * pixel_ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(pixel_ratio);
  image.fill(Qt::transparent);
  std::vector<PaintedBand> painted;
  const auto add = [&](const DrawnBand& band, QColor colour, double alpha, double thickness) {
    colour.setAlphaF(static_cast<float>(alpha));
    painted.push_back({band.from * pixel_ratio, band.to * pixel_ratio, thickness * pixel_ratio, colour});
  };
  const auto band_alpha = [](const DrawnBand& band) { return 0.3 + 0.5 * std::sqrt(band.weight); };
  if (selected)
    for (const DrawnBand& band : drawn_bands(data_, scale, false, place))
      add(band, not_selected_ink().colour, 0.5 * band_alpha(band), width_of(band.weight));
  if (as_lines) {
    const bool few = data_.coordinates.lines.size() <= few_lines;
    for (const DrawnBand& piece : drawn_lines(data_, scale, place))
      add(piece, colour_of(piece), few ? 0.8 : 0.5, line_thickness);
  } else {
    // Weights are relative to all painted, so that frequent bands stand out of a large selection.
    for (const DrawnBand& band : drawn_bands(data_, scale, selected, place))
      add(band, colour_of(band), band_alpha(band), width_of(band.weight));
  }
  paint_bands(image, painted);
  return image;
}

void ParallelPainter::paint_axis(Canvas& canvas, std::size_t axis) const {
  const double x = layout_.x(axis);
  const double line = text_height(style::TextSize::Small);
  canvas.line({x, layout_.top}, {x, layout_.bottom}, {text_ink(), 1.5, {}});
  canvas.text({x, layout_.title_y},
              elided(data_.axes[axis].title, style::TextSize::Small, layout_.title_room()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter, .bold = false});
  const analysis::ParallelAxis& shown = data_.coordinates.axes[axis];
  const double step = layout_.place_height(axis);
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((line + 1) / std::max(step, 0.1))));
  QColor veil = style::colours().surface;
  veil.setAlphaF(0.75F);
  const auto label = [&](QPointF at, const QString& text) {
    const QString fitted = elided(text, style::TextSize::Small, layout_.label_room());
    const double width = text_width(fitted, style::TextSize::Small);
    const bool last = axis + 1 == data_.coordinates.axes.size();
    const double left = last ? at.x() - 6 - width : at.x() + 6;
    canvas.rect(QRectF(left - 1, at.y() - line / 2 + 1, width + 2, line - 2), Ink{"veil", veil});
    canvas.text({left, at.y()}, fitted, {.ink = text_ink()});
    canvas.line({at.x() - 3, at.y()}, {at.x() + 3, at.y()}, {text_ink(), 1, {}});
  };
  if (shown.bins.exact()) {
    for (std::size_t bin = 0; bin < shown.bins.count(); bin += every)
      label(layout_.place(axis, bin), data_.axes[axis].labels[static_cast<qsizetype>(bin)]);
  } else if (shown.bins.count() > 0) {
    // Ranges of equal width are shown as an axis with round numbers.
    const Axis scale{{},
                     {},
                     data_.axes[axis].logarithmic ? AxisScale::Log2 : AxisScale::Linear,
                     {shown.bins.low(0), shown.bins.high(shown.bins.count() - 1)}};
    const int most = static_cast<int>((layout_.bottom - layout_.top) / 40);
    for (const Tick& tick : scale.ticks(std::max(2, most)))
      if (tick.major)
        label({x, layout_.bottom - scale.fraction(tick.value) * (layout_.bottom - layout_.top)}, tick.label);
  }
  if (shown.counts[shown.missing()] > 0)
    label(layout_.place(axis, shown.missing()), ParallelChart::tr("none"));
}

void ParallelPainter::paint_legend(Canvas& canvas) const {
  const double y = area_.bottom() - text_height(style::TextSize::Small) / 2;
  double x = area_.left();
  const auto add_text = [&](const QString& text) {
    canvas.text({x, y}, text, {.ink = muted_ink()});
    x += text_width(text, style::TextSize::Small);
  };
  std::vector<std::pair<QString, Ink>> keys;
  const bool as_lines = !data_.coordinates.lines.empty();
  const std::vector<double> values = coloured_values();
  if (std::ranges::any_of(values, [](double value) { return value <= 0; }))
    keys.emplace_back(as_lines ? ParallelChart::tr("not valid") : ParallelChart::tr("none valid"),
                      muted_ink());
  if (any_selected()) keys.emplace_back(ParallelChart::tr("not selected"), not_selected_ink());
  double room = area_.width();
  for (const auto& [text, ink] : keys)
    room -= band_key_gap + band_key_width + 4 + text_width(text, style::TextSize::Small);
  const PerformanceScale scale(values, data_.higher_is_better);
  if (!scale.empty()) {
    const QString meaning = as_lines ? ParallelChart::tr("colour: %1 of a trial, by rank")
                            : any_selected()
                                ? ParallelChart::tr("colour: best %1 of a band's selected trials, by rank")
                                : ParallelChart::tr("colour: best %1 of a band, by rank");
    add_text(meaning.arg(data_.quantity));
    x += 10;
    x += paint_level_scale(canvas, {x, y}, area_.left() + room - x, scale, data_.unit) + band_key_gap;
  }
  for (const auto& [text, ink] : keys) {
    canvas.rect(QRectF(x, y - 2, band_key_width, 4), ink);
    x += band_key_width + 4;
    add_text(text);
    x += band_key_gap;
  }
}

void ParallelPainter::paint_brush(Canvas& canvas, std::size_t axis, const Brush& brush) const {
  const analysis::ValueBins& bins = data_.coordinates.axes[axis].bins;
  std::optional<std::size_t> first;
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    if (bins.low(bin) < brush.low || bins.high(bin) > brush.high) continue;
    if (!first) first = bin;
    last = bin;
  }
  if (!first) return;
  const double half = layout_.place_height(axis) / 2;
  const double x = layout_.x(axis);
  const QRectF band(QPointF(x - 7, layout_.place(axis, last).y() - half),
                    QPointF(x + 7, layout_.place(axis, *first).y() + half));
  QColor faint = style::colours().marked;
  faint.setAlphaF(0.3F);
  canvas.rect(band, Ink{"brush", faint});
  canvas.outline(band, {marked_ink(), 1.5, {}});
}

void ParallelPainter::paint(Canvas& canvas) const {
  canvas.image(area_, bands_image(canvas.pixel_ratio()));
  if (!data_.current.empty()) {
    std::vector<QPointF> line;
    for (std::size_t axis = 0; axis < data_.current.size(); ++axis)
      line.push_back(layout_.place(axis, data_.current[axis]));
    canvas.polyline(line, {text_ink(), 2, {5, 3}});
  }
  for (std::size_t axis = 0; axis < data_.axes.size(); ++axis) paint_axis(canvas, axis);
  paint_legend(canvas);
}

}  // namespace kernelscape::charts
