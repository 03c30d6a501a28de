#include "ui/charts/landscape/roofline_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/clipping.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double roofline_margin = 0.06;
constexpr double trial_radius = 3;
constexpr double best_trial_radius = 4.5;
constexpr double flops_per_gigaflop = 1e9;
constexpr double layer_half_side = 4;
constexpr std::int64_t nothing_pointed_at = -1;
/** The first row of readouts of layers, which count downwards; no trial has a negative row. */
constexpr std::int64_t first_layer_row = -2;

QString level_name(base::MemoryLevel level) { return QString::fromUtf8(base::to_string(level).data()); }

/** Returns the arithmetic intensity (flop per byte) from which on a level is no longer the bound. */
double ridge_of(double peak_gflops, const trial::LevelCeiling& level) {
  return peak_gflops * flops_per_gigaflop / level.bytes_per_second;
}

QString peak_text(const trial::MachineCeilings& ceilings, trial::PeakKind kind) {
  return QStringLiteral("%1 %2").arg(QString::fromUtf8(trial::to_string(kind).data()),
                                     style::format_quantity(ceilings.peak(kind), QStringLiteral("GFLOPS")));
}

void extend(Interval& range, double value) {
  if (!(value > 0) || !std::isfinite(value)) return;
  range = {std::min(range.low, value), std::max(range.high, value)};
}

Stroke roof_stroke(bool chosen) {
  return chosen ? Stroke{text_ink(), 2, {}} : Stroke{muted_ink(), 1, {6, 4}};
}

}  // namespace

RooflineChart::RooflineChart(QWidget* parent) : TrialChart(parent) {
  set_title(tr("Roofline"));
  update_home();
  set_explanation(tr(
      "The trials under the machine's roofs. Vertical axis: speed. Horizontal axis: operations per byte "
      "transferred at the chosen level. The horizontal line is the peak of the instructions used: the FMA "
      "peak for f32, the 8-bit peak for i8, each measured without memory access; each rising line is the "
      "bandwidth of one level, measured by reading. A kernel can't exceed the lowest line above it: under a "
      "rising line that level is its bound, under the horizontal line its bound is computation.\n\nA trial's "
      "bytes are an estimate from its loop nest (fully associative caches, written lines fetched and written "
      "back) unless its readout says that the processor counted them. Data that stay in a nearer cache from "
      "call to call do not access the chosen level at all: such a trial can be above that level's line. "
      "Squares are a network's layers, each with its best kernel.\n\nWilliams, Waterman and Patterson, "
      "\"Roofline\", CACM 52 (4), 2009; with a roof for each cache as Ilic, Pratas and Sousa 2014."));
}

void RooflineChart::set_data(RooflineData data) {
  const bool same = data.level == data_.level && data.ceilings == data_.ceilings;
  const std::int64_t pointed_at = readout() ? readout()->row : nothing_pointed_at;
  data_ = std::move(data);
  update_home();
  if (!same) reset_view();
  const std::optional<std::size_t> pointed = mark_with(pointed_at);
  const std::optional<QPointF> position = pointed ? position_of(*pointed) : std::nullopt;
  set_readout(position ? std::optional(readout_of(*pointed, *position)) : std::nullopt);
  invalidate();
}

void RooflineChart::update_home() {
  Interval x{HUGE_VAL, 0};
  Interval y{HUGE_VAL, 0};
  for (const std::size_t number : drawn_marks()) {
    extend(x, *intensity_of(mark(number)));
    extend(y, mark(number).gflops);
  }
  for (const trial::PeakKind kind : peaks()) extend(y, data_.ceilings.peak(kind));
  for (const trial::LevelCeiling& level : data_.ceilings.levels)
    if (level.bytes_per_second > 0) extend(x, ridge_of(highest_peak(), level));
  const AxisScale scale = AxisScale::Log10;
  const auto padded = [](const Interval& range) {
    if (range.low > range.high) return Interval{1, 10};
    return padded_range(range.low < range.high ? range : Interval{range.low / 2, range.high * 2},
                        AxisScale::Log10, roofline_margin);
  };
  set_home({tr("arithmetic intensity, by bytes of %1").arg(level_name(data_.level)), QStringLiteral("flop/B"),
            scale, padded(x)},
           {tr("speed"), QStringLiteral("GFLOPS"), scale, padded(y)});
}

std::vector<trial::PeakKind> RooflineChart::peaks() const {
  const auto computes_with = [&](trial::PeakKind kind) {
    const auto is_kind = [&](const RooflineTrial& trial) { return trial.place.peak == kind; };
    const bool nothing_computes = data_.trials.empty() && data_.layers.empty();
    return (nothing_computes && kind == trial::PeakKind::MultiplyAdds) ||
           std::ranges::any_of(data_.trials, is_kind) || std::ranges::any_of(data_.layers, is_kind);
  };
  std::vector<trial::PeakKind> found;
  for (const trial::PeakKind kind : {trial::PeakKind::MultiplyAdds, trial::PeakKind::ByteProducts})
    if (data_.ceilings.peak(kind) > 0 && computes_with(kind)) found.push_back(kind);
  return found;
}

double RooflineChart::highest_peak() const {
  double highest = 0;
  for (const trial::PeakKind kind : peaks()) highest = std::max(highest, data_.ceilings.peak(kind));
  return highest;
}

std::optional<double> RooflineChart::intensity_of(const RooflineTrial& trial) const {
  return trial.intensities[base::place_of(data_.level)];
}

std::optional<std::size_t> RooflineChart::trial_with(std::int64_t row) const {
  const auto found = std::ranges::lower_bound(data_.trials, row, {}, &RooflineTrial::row);
  if (row < 0 || found == data_.trials.end() || found->row != row) return std::nullopt;
  return static_cast<std::size_t>(found - data_.trials.begin());
}

const RooflineTrial& RooflineChart::mark(std::size_t number) const {
  return number < data_.trials.size() ? data_.trials[number] : data_.layers[number - data_.trials.size()];
}

std::optional<std::size_t> RooflineChart::mark_with(std::int64_t readout_row) const {
  if (readout_row > first_layer_row) return trial_with(readout_row);
  const auto found = std::ranges::find(data_.layers, first_layer_row - readout_row, &RooflineTrial::row);
  if (found == data_.layers.end()) return std::nullopt;
  return data_.trials.size() + static_cast<std::size_t>(found - data_.layers.begin());
}

std::vector<std::size_t> RooflineChart::drawn_marks() const {
  std::vector<std::size_t> drawn;
  for (std::size_t number = 0; number < data_.trials.size() + data_.layers.size(); ++number)
    if (intensity_of(mark(number))) drawn.push_back(number);
  return drawn;
}

std::optional<QPointF> RooflineChart::position_of(std::size_t number) const {
  const RooflineTrial& of = mark(number);
  const std::optional<double> intensity = intensity_of(of);
  if (!intensity) return std::nullopt;
  const QPointF position = frame().map(*intensity, of.gflops);
  return std::isfinite(position.x() + position.y()) ? std::optional(position) : std::nullopt;
}

Readout RooflineChart::readout_of(std::size_t number, QPointF position) const {
  const RooflineTrial& of = mark(number);
  const bool is_layer = !of.layer.isEmpty();
  Readout readout{position, {}, is_layer ? first_layer_row - of.row : of.row};
  const QString speed = style::format_quantity(of.gflops, QStringLiteral("GFLOPS"));
  readout.lines.append(is_layer ? tr("%1: %2").arg(of.layer, speed)
                                : tr("trial %1: %2").arg(style::format_count(of.number), speed));
  readout.lines.append(QString::fromStdString(of.place.sentence));
  const auto point = std::ranges::find(of.place.points, data_.level, &analysis::RooflinePoint::level);
  if (const std::optional<double> intensity = intensity_of(of)) {
    const bool counted = point != of.place.points.end() && point->origin == analysis::TrafficOrigin::Counted;
    readout.lines.append(
        (counted ? tr("%1 flop for each byte of %2, counted") : tr("%1 flop for each byte of %2, estimated"))
            .arg(style::format_number(*intensity), level_name(data_.level)));
  }
  if (point != of.place.points.end() && point->stays_nearer)
    readout.lines.append(
        tr("its data stay in a nearer cache: only a first call accesses %1").arg(level_name(data_.level)));
  return readout;
}

std::optional<Readout> RooflineChart::readout_at(QPointF position) const {
  const PlotFrame shown = frame();
  if (!shown.plot.contains(position)) return std::nullopt;
  std::optional<std::size_t> found;
  double least = reach_pixels * reach_pixels;
  for (const std::size_t number : drawn_marks()) {
    const RooflineTrial& of = mark(number);
    const QPointF apart = shown.map(*intensity_of(of), of.gflops) - position;
    const double distance = QPointF::dotProduct(apart, apart);
    if (!(distance <= least)) continue;
    least = distance;
    found = number;
  }
  return found ? std::optional(readout_of(*found, *position_of(*found))) : std::nullopt;
}

std::optional<Readout> RooflineChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  std::vector<std::size_t> order = drawn_marks();
  if (order.empty()) return std::nullopt;
  const auto speed = [&](std::size_t number) { return mark(number).gflops; };
  std::size_t next = *std::ranges::max_element(order, {}, speed);
  if (const std::optional<std::size_t> now = from ? mark_with(from->row) : std::nullopt) {
    const bool by_speed = direction == Qt::Key_Up || direction == Qt::Key_Down;
    const bool forward = direction == Qt::Key_Up || direction == Qt::Key_Right;
    std::ranges::stable_sort(order, {}, [&](std::size_t number) {
      return by_speed ? speed(number) : *intensity_of(mark(number));
    });
    auto place = std::ranges::find(order, *now);
    if (place == order.end()) place = order.begin();
    if (forward && place + 1 != order.end()) ++place;
    if (!forward && place != order.begin()) --place;
    next = *place;
  }
  const std::optional<QPointF> position = position_of(next);
  return position ? std::optional(readout_of(next, *position)) : std::nullopt;
}

std::vector<qint64> RooflineChart::rows_in(const QRectF& rectangle) const {
  const PlotFrame shown = frame();
  std::vector<qint64> rows;
  for (const std::size_t trial : drawn_marks()) {
    const RooflineTrial& of = mark(trial);
    if (!of.layer.isEmpty()) continue;
    if (holds(rectangle, shown.map(*intensity_of(of), of.gflops))) rows.push_back(of.row);
  }
  return rows;
}

/** Returns the line of a level from the left border up to the highest peak. */
std::array<QPointF, 2> RooflineChart::roof_line(const PlotFrame& frame,
                                                const trial::LevelCeiling& level) const {
  const double slope = level.bytes_per_second / flops_per_gigaflop;
  const double from = frame.x.value_at(0);
  return {frame.map(from, from * slope), frame.map(ridge_of(highest_peak(), level), highest_peak())};
}

void RooflineChart::paint_roof(Canvas& canvas, const PlotFrame& frame,
                               const trial::LevelCeiling& level) const {
  if (level.bytes_per_second > 0)
    canvas.polyline(roof_line(frame, level), roof_stroke(level.level == data_.level));
}

void RooflineChart::paint_peak(Canvas& canvas, const PlotFrame& frame, trial::PeakKind kind) const {
  const double y = frame.map_y(data_.ceilings.peak(kind));
  canvas.line({frame.plot.left(), y}, {frame.plot.right(), y}, {text_ink(), 2, {}});
}

/**
 * Paints the names: a level's along the lower part of its slope, a peak's at its right end. A name is moved
 * above another one that is at its place, as for two levels of equal bandwidth.
 */
void RooflineChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  const double room = text_height(style::TextSize::Small);
  std::vector<double> taken;
  for (const trial::LevelCeiling& level : data_.ceilings.levels) {
    if (level.bytes_per_second <= 0) continue;
    const auto line = roof_line(frame, level);
    const auto inside = clip_line(line[0], line[1], frame.plot);
    if (!inside) continue;
    const QPointF lower = inside->first.y() > inside->second.y() ? inside->first : inside->second;
    double y = std::min(lower.y(), frame.plot.bottom() - room / 2);
    while (std::ranges::any_of(taken, [&](double other) { return std::abs(other - y) < room; }))
      y -= room / 4;
    taken.push_back(y);
    const bool chosen = level.level == data_.level;
    const QString text = QStringLiteral("%1 %2").arg(
        level_name(level.level), QString::fromStdString(trial::bandwidth_text(level.bytes_per_second)));
    canvas.text({std::max(lower.x(), frame.plot.left()) + 8, y}, text,
                {.ink = chosen ? text_ink() : muted_ink(), .bold = chosen});
  }
  for (const trial::PeakKind kind : peaks())
    canvas.text({frame.plot.right() - 4, frame.map_y(data_.ceilings.peak(kind)) - room / 2 - 2},
                peak_text(data_.ceilings, kind),
                {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
}

void RooflineChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  for (const trial::LevelCeiling& level : data_.ceilings.levels) paint_roof(canvas, frame, level);
  for (const trial::PeakKind kind : peaks()) paint_peak(canvas, frame, kind);
  std::vector<QPointF> dots;
  std::optional<std::size_t> best;
  for (const std::size_t trial : drawn_marks()) {
    const RooflineTrial& of = mark(trial);
    if (!of.layer.isEmpty()) continue;
    dots.push_back(frame.map(*intensity_of(of), of.gflops));
    if (!best || of.gflops > data_.trials[*best].gflops) best = trial;
  }
  Ink ink = accent_ink();
  ink.role += "-trials";
  ink.colour.setAlphaF(0.5F);
  canvas.dots(dots, trial_radius, ink);
  for (const std::size_t trial : drawn_marks()) {
    const RooflineTrial& of = mark(trial);
    if (of.selected)
      canvas.ring(frame.map(*intensity_of(of), of.gflops), trial_radius + 2, {marked_ink(), 2, {}});
  }
  paint_names(canvas, frame);
  paint_layers(canvas, frame);
  if (!best) return;
  const QPointF at = frame.map(*intensity_of(data_.trials[*best]), data_.trials[*best].gflops);
  canvas.dots(std::array{at}, best_trial_radius, accent_ink());
  canvas.text(at + QPointF(best_trial_radius + 4, 0), tr("best"), {.ink = accent_ink()});
}

/**
 * Paints squares, and the names of as many layers as have room, the fastest first; the other names are in the
 * readout.
 */
void RooflineChart::paint_layers(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<const RooflineTrial*> layers;
  for (const RooflineTrial& layer : data_.layers)
    if (intensity_of(layer)) layers.push_back(&layer);
  std::ranges::stable_sort(layers, std::greater(), &RooflineTrial::gflops);
  std::vector<QRectF> taken;
  const auto square_at = [](QPointF at, double half) {
    return QRectF(at - QPointF(half, half), QSizeF(2 * half, 2 * half));
  };
  for (const RooflineTrial* layer : layers) {
    const QPointF at = frame.map(*intensity_of(*layer), layer->gflops);
    taken.push_back(square_at(at, layer_half_side));
    canvas.rect(square_at(at, layer_half_side + 1), surface_ink());
    canvas.rect(square_at(at, layer_half_side), data_.trials.empty() ? accent_ink() : text_ink());
  }
  const double line = text_height(style::TextSize::Small);
  for (const RooflineTrial* layer : layers) {
    const QPointF at = frame.map(*intensity_of(*layer), layer->gflops);
    const double width = text_width(layer->layer, style::TextSize::Small);
    for (const bool right : {true, false}) {
      const double left = right ? at.x() + layer_half_side + 3 : at.x() - layer_half_side - 3 - width;
      const QRectF box(left, at.y() - line / 2, width, line);
      const bool free = frame.plot.contains(box) && std::ranges::none_of(taken, [&](const QRectF& other) {
                          return other.intersects(box);
                        });
      if (!free) continue;
      canvas.text({left, at.y()}, layer->layer, {.ink = text_ink()});
      taken.push_back(box);
      break;
    }
  }
}

void RooflineChart::activate(const Readout& readout) {
  if (readout.row <= first_layer_row) {
    emit layer_activated(first_layer_row - readout.row);
  } else {
    XyChart::activate(readout);
  }
}

void RooflineChart::paint_plot_overlay(Canvas& canvas, const PlotFrame& frame) {
  const std::optional<std::size_t> current = trial_with(current_row());
  if (!current || !intensity_of(data_.trials[*current])) return;
  const RooflineTrial& of = data_.trials[*current];
  paint_current(canvas, frame.map(*intensity_of(of), of.gflops), best_trial_radius + 3.5);
}

QString RooflineChart::summary() const {
  const std::vector<std::size_t> drawn = drawn_marks();
  if (drawn.empty()) return {};
  const std::size_t best =
      *std::ranges::max_element(drawn, {}, [&](std::size_t number) { return mark(number).gflops; });
  const RooflineTrial& of = mark(best);
  const auto layers =
      std::ranges::count_if(drawn, [&](std::size_t number) { return !mark(number).layer.isEmpty(); });
  QStringList parts;
  if (std::ssize(drawn) > layers)
    parts.append(tr("trials at %1 places").arg(style::format_count(std::ssize(drawn) - layers)));
  if (layers > 0) parts.append(tr("layers at %1 places").arg(style::format_count(layers)));
  parts.append(tr("best %1, %2")
                   .arg(style::format_quantity(of.gflops, QStringLiteral("GFLOPS")),
                        QString::fromStdString(of.place.sentence)));
  for (const trial::PeakKind kind : peaks()) parts.append(peak_text(data_.ceilings, kind));
  return parts.join(QStringLiteral(", "));
}

Table RooflineChart::table() const {
  const double none = std::nan("");
  Table table{{"what", "trial", "row", "speed (GFLOPS)", "L1 (flop/B)", "L2 (flop/B)", "L3 (flop/B)",
               "memory (flop/B)", "bound", "ceiling (B/s or GFLOPS)"},
              {}};
  for (std::size_t number = 0; number < data_.trials.size() + data_.layers.size(); ++number) {
    const RooflineTrial& trial = mark(number);
    std::vector<Cell> cells{trial.layer.isEmpty() ? "trial" : trial.layer.toStdString(),
                            static_cast<double>(trial.number), static_cast<double>(trial.row), trial.gflops};
    for (const std::optional<double>& intensity : trial.intensities)
      cells.emplace_back(intensity.value_or(none));
    cells.emplace_back(trial.place.sentence);
    cells.emplace_back(none);
    table.rows.push_back(std::move(cells));
  }
  const auto add_ceiling = [&](const std::string& name, double value) {
    table.rows.push_back({name, none, none, none, none, none, none, none, std::string(), value});
  };
  for (const trial::PeakKind kind : peaks())
    add_ceiling(std::string(trial::to_string(kind)), data_.ceilings.peak(kind));
  for (const trial::LevelCeiling& level : data_.ceilings.levels)
    add_ceiling(std::string(base::to_string(level.level)), level.bytes_per_second);
  return table;
}

}  // namespace kernelscape::charts
