#include "ui/charts/landscape/parallel_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ui/charts/axis.h"
#include "ui/charts/landscape/parallel_bands.h"
#include "ui/charts/landscape/parallel_layout.h"
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

ParallelChart::ParallelChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "Every column is an axis, every trial a line through its values, in the colour of its performance by "
      "rank, so that a single slow trial does not leave one colour for all others. More than 2,000 trials "
      "are "
      "drawn as bands of lines that run side by side between two axes: a band's width is proportional to the "
      "number of trials, its colour is that of the best of them. The legend has the values at the quarters "
      "of "
      "the ranks. Trials without a value (the speed of a failure) meet at the foot of the axis.\n\nDrag "
      "along "
      "an axis to brush it, click a value to brush it alone or to remove the brush; trials that pass all "
      "brushes are selected, here and in every other chart. Then the colours are those of the selected "
      "trials, and all others are pale. Drag a title to move its axis: only neighbouring axes can be "
      "compared. The dashed line is the "
      "current trial."));
}

void ParallelChart::set_data(ParallelData data) {
  data_ = std::move(data);
  brushes_.resize(data_.coordinates.axes.size());
  invalidate();
}

void ParallelChart::set_brushes(std::vector<std::optional<Brush>> brushes) {
  brushes.resize(data_.coordinates.axes.size());
  if (brushes == brushes_) return;
  brushes_ = std::move(brushes);
  update();
}

ParallelChart::Layout ParallelChart::layout_of(const QRectF& area) const {
  return Layout(data_.coordinates, area);
}

/** Returns the values by which lines or bands are coloured; 0 where none is valid. */
std::vector<double> ParallelChart::coloured_values() const {
  std::vector<double> values;
  for (const analysis::ParallelLine& line : data_.coordinates.lines) values.push_back(line.performance);
  if (!values.empty()) return values;
  const bool selected = any_selected();
  for (const auto& pair : data_.coordinates.bands)
    for (const analysis::ParallelBand& band : pair)
      if (selected ? band.highlighted > 0 : band.count > 0) values.push_back(best_of(band, selected));
  return values;
}

PerformanceScale ParallelChart::performance_scale() const {
  return {coloured_values(), data_.higher_is_better};
}

bool ParallelChart::any_selected() const {
  return std::ranges::any_of(data_.coordinates.bands,
                             [](const auto& pair) { return std::ranges::any_of(pair, has_selected); });
}

QImage ParallelChart::bands_image(const Layout& layout, const QRectF& area, double pixel_ratio) const {
  const auto place = [&](std::size_t axis, std::size_t at) {
    return layout.place(axis, at) - area.topLeft();
  };
  const bool selected = any_selected();
  const bool as_lines = !data_.coordinates.lines.empty();
  const PerformanceScale scale = performance_scale();
  QImage image((area.size() * pixel_ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
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

void ParallelChart::paint_axis(Canvas& canvas, const Layout& layout, std::size_t axis) const {
  const double x = layout.x(axis);
  const double line = text_height(style::TextSize::Small);
  canvas.line({x, layout.top}, {x, layout.bottom}, {text_ink(), 1.5, {}});
  canvas.text({x, layout.title_y},
              elided(data_.axes[axis].title, style::TextSize::Small, layout.title_room()),
              {.ink = text_ink(), .anchor = Qt::AlignCenter, .bold = false});
  const analysis::ParallelAxis& shown = data_.coordinates.axes[axis];
  const double step = layout.place_height(axis);
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((line + 1) / std::max(step, 0.1))));
  QColor veil = style::colours().surface;
  veil.setAlphaF(0.75F);
  const auto label = [&](QPointF at, const QString& text) {
    const QString fitted = elided(text, style::TextSize::Small, layout.label_room());
    const double width = text_width(fitted, style::TextSize::Small);
    const bool last = axis + 1 == data_.coordinates.axes.size();
    const double left = last ? at.x() - 6 - width : at.x() + 6;
    canvas.rect(QRectF(left - 1, at.y() - line / 2 + 1, width + 2, line - 2), Ink{"veil", veil});
    canvas.text({left, at.y()}, fitted, {.ink = text_ink()});
    canvas.line({at.x() - 3, at.y()}, {at.x() + 3, at.y()}, {text_ink(), 1, {}});
  };
  if (shown.bins.exact()) {
    for (std::size_t bin = 0; bin < shown.bins.count(); bin += every)
      label(layout.place(axis, bin), data_.axes[axis].labels[static_cast<qsizetype>(bin)]);
  } else if (shown.bins.count() > 0) {
    // Ranges of equal width are shown as an axis with round numbers.
    const Axis scale{{},
                     {},
                     data_.axes[axis].logarithmic ? AxisScale::Log2 : AxisScale::Linear,
                     {shown.bins.low(0), shown.bins.high(shown.bins.count() - 1)}};
    const int most = static_cast<int>((layout.bottom - layout.top) / 40);
    for (const Tick& tick : scale.ticks(std::max(2, most)))
      if (tick.major)
        label({x, layout.bottom - scale.fraction(tick.value) * (layout.bottom - layout.top)}, tick.label);
  }
  if (shown.counts[shown.missing()] > 0) label(layout.place(axis, shown.missing()), tr("none"));
}

void ParallelChart::paint_legend(Canvas& canvas, const Layout&, const QRectF& area) const {
  const double y = area.bottom() - text_height(style::TextSize::Small) / 2;
  double x = area.left();
  const auto add_text = [&](const QString& text) {
    canvas.text({x, y}, text, {.ink = muted_ink()});
    x += text_width(text, style::TextSize::Small);
  };
  std::vector<std::pair<QString, Ink>> keys;
  const bool as_lines = !data_.coordinates.lines.empty();
  const std::vector<double> values = coloured_values();
  if (std::ranges::any_of(values, [](double value) { return value <= 0; }))
    keys.emplace_back(as_lines ? tr("not valid") : tr("none valid"), muted_ink());
  if (any_selected()) keys.emplace_back(tr("not selected"), not_selected_ink());
  double room = area.width();
  for (const auto& [text, ink] : keys)
    room -= band_key_gap + band_key_width + 4 + text_width(text, style::TextSize::Small);
  const PerformanceScale scale(values, data_.higher_is_better);
  if (!scale.empty()) {
    const QString meaning = as_lines         ? tr("colour: %1 of a trial, by rank")
                            : any_selected() ? tr("colour: best %1 of a band's selected trials, by rank")
                                             : tr("colour: best %1 of a band, by rank");
    add_text(meaning.arg(data_.quantity));
    x += 10;
    x += paint_level_scale(canvas, {x, y}, area.left() + room - x, scale, data_.unit) + band_key_gap;
  }
  for (const auto& [text, ink] : keys) {
    canvas.rect(QRectF(x, y - 2, band_key_width, 4), ink);
    x += band_key_width + 4;
    add_text(text);
    x += band_key_gap;
  }
}

void ParallelChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.coordinates.axes.empty()) return;
  const Layout layout = layout_of(area);
  canvas.image(area, bands_image(layout, area, canvas.pixel_ratio()));
  if (!data_.current.empty()) {
    std::vector<QPointF> line;
    for (std::size_t axis = 0; axis < data_.current.size(); ++axis)
      line.push_back(layout.place(axis, data_.current[axis]));
    canvas.polyline(line, {text_ink(), 2, {5, 3}});
  }
  for (std::size_t axis = 0; axis < data_.axes.size(); ++axis) paint_axis(canvas, layout, axis);
  paint_legend(canvas, layout, area);
}

void ParallelChart::paint_brush(Canvas& canvas, const Layout& layout, std::size_t axis) const {
  if (!brushes_[axis]) return;
  const analysis::ValueBins& bins = data_.coordinates.axes[axis].bins;
  std::optional<std::size_t> first;
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < bins.count(); ++bin) {
    if (bins.low(bin) < brushes_[axis]->low || bins.high(bin) > brushes_[axis]->high) continue;
    if (!first) first = bin;
    last = bin;
  }
  if (!first) return;
  const double half = layout.place_height(axis) / 2;
  const double x = layout.x(axis);
  const QRectF band(QPointF(x - 7, layout.place(axis, last).y() - half),
                    QPointF(x + 7, layout.place(axis, *first).y() + half));
  QColor faint = style::colours().marked;
  faint.setAlphaF(0.3F);
  canvas.rect(band, Ink{"brush", faint});
  canvas.outline(band, {marked_ink(), 1.5, {}});
}

void ParallelChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  if (data_.coordinates.axes.empty()) return;
  const Layout layout = layout_of(area);
  for (std::size_t axis = 0; axis < brushes_.size(); ++axis) paint_brush(canvas, layout, axis);
  if (readout()) canvas.ring(readout()->position, 5, {text_ink(), 1.5, {}});
  if (drag_ == Drag::Brush) {
    const double x = layout.x(drag_axis_);
    const double low = std::clamp(drag_start_.y(), layout.top, layout.bottom);
    const double high = std::clamp(drag_now_.y(), layout.top, layout.bottom);
    canvas.outline(QRectF(QPointF(x - 7, low), QPointF(x + 7, high)).normalized(), {marked_ink(), 1.5, {}});
  } else if (drag_ == Drag::Title) {
    canvas.line({drag_now_.x(), layout.top}, {drag_now_.x(), layout.bottom}, {accent_ink(), 2, {4, 3}});
    canvas.text({drag_now_.x(), layout.title_y}, data_.axes[drag_axis_].title,
                {.ink = accent_ink(), .anchor = Qt::AlignCenter});
  }
}

Readout ParallelChart::readout_of(const Place& place) const {
  const analysis::ParallelAxis& axis = data_.coordinates.axes[place.axis];
  Readout readout{position_of(place.axis, place.place), {}, -1};
  const bool missing = place.place == axis.missing();
  const ParallelAxisText& text = data_.axes[place.axis];
  readout.lines.append(missing ? tr("%1: no value").arg(text.title)
                               : text.title + QStringLiteral(" = ") +
                                     text.labels[static_cast<qsizetype>(place.place)]);
  const std::int64_t trials = axis.counts[place.place];
  readout.lines.append((trials == 1 ? tr("%1 trial") : tr("%1 trials")).arg(style::format_count(trials)));
  if (axis.highlighted[place.place] > 0)
    readout.lines.append(tr("%1 selected").arg(style::format_count(axis.highlighted[place.place])));
  return readout;
}

Table ParallelChart::table() const {
  Table table{{"left axis", "left value", "right axis", "right value", "trials", "selected",
               "best (" + data_.unit.toStdString() + ")"},
              {}};
  const analysis::ParallelCoordinates& all = data_.coordinates;
  const auto label = [&](std::size_t axis, std::size_t place) {
    return place == all.axes[axis].missing()
               ? std::string()
               : data_.axes[axis].labels[static_cast<qsizetype>(place)].toStdString();
  };
  for (std::size_t left = 0; left + 1 < all.axes.size(); ++left) {
    for (std::size_t from = 0; from < all.axes[left].places(); ++from) {
      for (std::size_t to = 0; to < all.axes[left + 1].places(); ++to) {
        const analysis::ParallelBand& band = all.at(left, from, to);
        if (band.count == 0) continue;
        table.rows.push_back({data_.axes[left].title.toStdString(), label(left, from),
                              data_.axes[left + 1].title.toStdString(), label(left + 1, to),
                              static_cast<double>(band.count), static_cast<double>(band.highlighted),
                              band.best > 0 ? band.best : std::nan("")});
      }
    }
  }
  return table;
}

QString ParallelChart::summary() const {
  QStringList titles;
  for (const ParallelAxisText& axis : data_.axes) titles.append(axis.title);
  return titles.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
