#include "ui/charts/landscape/topology_painter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ui/charts/landscape/viridis_scale.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

/** Share of the radius that a node has if its value is not feasible. */
constexpr double no_member_share = 0.6;
constexpr double radius_share = 0.3;  // share of the minimum distance between two nodes
constexpr double min_radius = 2;
constexpr double max_radius = 18;
constexpr double max_distance = 110;  // maximum pixels between two nodes
constexpr double node_reach = 10;     // pixels around a node that count as part of it
constexpr double min_shown = 1e-4;    // share of the greatest probability at the low end of the colours

constexpr std::size_t many_edges = 400;

Ink faint(Ink ink) {
  ink.role += "-faint";
  ink.colour.setAlphaF(0.35F);
  return ink;
}

void paint_disc(Canvas& canvas, QPointF centre, double radius, const Ink& ink) {
  canvas.dots({&centre, 1}, radius, ink);
}

void paint_hollow(Canvas& canvas, QPointF centre, double radius) {
  paint_disc(canvas, centre, radius, surface_ink());
  canvas.ring(centre, radius, thin_stroke(muted_ink()));
}

/** Returns true if kernels were built but never run. */
bool not_timed(const TopologyValue& value) { return value.valid > 0 && !(value.best > 0); }

void paint_none_valid(Canvas& canvas, QPointF centre, double radius) {
  paint_disc(canvas, centre, radius, grid_ink());
  canvas.ring(centre, radius, thin_stroke(muted_ink()));
  const QPointF along(radius * 0.7, radius * 0.7);
  const QPointF across(radius * 0.7, -radius * 0.7);
  canvas.line(centre - along, centre + along, thin_stroke(muted_ink()));
  canvas.line(centre - across, centre + across, thin_stroke(muted_ink()));
}

void paint_start(Canvas& canvas, QPointF centre, double radius) {
  canvas.ring(centre, radius + 2, {surface_ink(), 2, {}});
  canvas.ring(centre, radius + 4, {accent_ink(), 3, {}});
}

void paint_current(Canvas& canvas, QPointF centre, double radius) {
  canvas.ring(centre, radius + 3, {text_ink(), 2, {}});
}

void paint_selected(Canvas& canvas, QPointF centre, double radius) {
  canvas.ring(centre, radius + 1, {marked_ink(), 2, {}});
}

}  // namespace

TopologyPainter::TopologyPainter(const TopologyData& data, const QRectF& area)
    : data_(data), scale_(scale()), layout_(layout_of(area)) {}

double TopologyPainter::Scale::fraction_of_probability(double value) const {
  return axis.range.high > axis.range.low ? std::clamp(axis.fraction(value), 0.0, 1.0) : 1;
}

TopologyPainter::Scale TopologyPainter::scale() const {
  Scale scale;
  if (data_.colour == TopologyColour::BestMeasured) {
    std::vector<double> measured;
    for (const TopologyValue& value : data_.values) measured.push_back(value.best);
    scale.performance = PerformanceScale(std::move(measured), data_.higher_is_better);
    scale.any = !scale.performance.empty();
    return scale;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const TopologyValue& value : data_.values) {
    if (!(value.probability > 0)) continue;
    low = std::min(low, value.probability);
    high = std::max(high, value.probability);
  }
  scale.any = high > 0;
  if (!scale.any) return scale;
  scale.axis.scale = AxisScale::Log10;
  scale.axis.range = {std::max(low, high * min_shown), high};
  return scale;
}

std::optional<double> TopologyPainter::colour_of(std::size_t node) const {
  const TopologyValue& value = data_.values[node];
  if (data_.colour == TopologyColour::Probability)
    return value.probability > 0 ? std::optional(scale_.fraction_of_probability(value.probability))
                                 : std::nullopt;
  return value.best > 0 ? std::optional(scale_.performance.brightness(value.best)) : std::nullopt;
}

QString TopologyPainter::scale_text(double value) const {
  return data_.colour == TopologyColour::Probability ? style::format_percent(value)
                                                     : style::format_quantity(value, data_.unit);
}

QString TopologyPainter::scale_title() const {
  return data_.colour == TopologyColour::Probability
             ? TopologyChart::tr("probability, logarithmic")
             : TopologyChart::tr("best %1 measured, by rank").arg(data_.quantity);
}

TopologyPainter::Layout TopologyPainter::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(style::TextSize::Small);
  const double labels =
      data_.colour == TopologyColour::BestMeasured
          ? performance_label_width(scale_.performance, [this](double value) { return scale_text(value); })
          : std::max(text_width(scale_text(scale_.axis.range.low), style::TextSize::Small),
                     text_width(scale_text(scale_.axis.range.high), style::TextSize::Small));
  layout.title_y = area.top() + line / 2;
  layout.key_y = area.bottom() - line / 2;
  layout.further_y = layout.key_y - line - 2;
  const double bottom = (data_.graph.further > 0 ? layout.further_y : layout.key_y) - line / 2 - 6;
  layout.plot = QRectF(QPointF(area.left(), area.top() + line + 4),
                       QPointF(area.right() - viridis_bar_width - labels - 20, bottom));
  layout.legend = QRectF(layout.plot.right() + 12, layout.plot.top(), viridis_bar_width,
                         std::min(layout.plot.height(), 220.0));
  QRectF bounds;
  for (const analysis::KnobNode& node : data_.graph.nodes) {
    const QRectF point(node.x - 0.5, node.y - 0.5, 1, 1);
    bounds = bounds.isNull() ? point : bounds.united(point);
  }
  layout.scale = std::clamp(std::min(layout.plot.width() / std::max(1.0, bounds.width()),
                                     layout.plot.height() / std::max(1.0, bounds.height())),
                            1.0, max_distance);
  layout.radius = std::clamp(layout.scale * radius_share, min_radius, max_radius);
  layout.origin = layout.plot.center() - bounds.center() * layout.scale;
  for (const analysis::KnobNode& node : data_.graph.nodes)
    layout.nodes.push_back(layout.origin + QPointF(node.x, node.y) * layout.scale);
  return layout;
}

double TopologyPainter::radius_of(std::size_t node) const {
  return data_.values[node].member ? layout_.radius : layout_.radius * no_member_share;
}

void TopologyPainter::paint_edges(Canvas& canvas) const {
  const Stroke stroke =
      thin_stroke(data_.graph.edges.size() > many_edges ? faint(muted_ink()) : hairline_ink());
  for (const auto& [first, second] : data_.graph.edges)
    if (first != 0) canvas.line(layout_.nodes[first], layout_.nodes[second], stroke);
  // The first moves are highlighted and painted last, on top.
  for (const auto& [first, second] : data_.graph.edges)
    if (first == 0) canvas.line(layout_.nodes[first], layout_.nodes[second], thin_stroke(muted_ink()));
}

void TopologyPainter::paint_node(Canvas& canvas, std::size_t node) const {
  const TopologyValue& value = data_.values[node];
  const QPointF centre = layout_.nodes[node];
  const double radius = radius_of(node);
  const std::optional<double> t = colour_of(node);
  if (!t && data_.colour == TopologyColour::BestMeasured && value.trials > 0 && value.valid == 0) {
    paint_none_valid(canvas, centre, radius);
  } else if (!t) {
    paint_hollow(canvas, centre, radius);
  } else {
    const Ink ink = viridis_ink(*t);
    paint_disc(canvas, centre, radius, surface_ink());
    paint_disc(canvas, centre, radius, value.member ? ink : faint(ink));
    canvas.ring(centre, radius, thin_stroke(value.member ? muted_ink() : hairline_ink()));
  }
  if (value.selected > 0) paint_selected(canvas, centre, radius);
  if (data_.current == node) paint_current(canvas, centre, radius);
  if (node == 0) paint_start(canvas, centre, radius);
}

/**
 * Paints the labels inside of all nodes if each has room, otherwise beside all: the most likely first, as
 * long as they cover nothing.
 */
void TopologyPainter::paint_labels(Canvas& canvas) const {
  const double line = text_height(style::TextSize::Small);
  std::vector<std::size_t> order(data_.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
    return data_.values[a].probability > data_.values[b].probability;
  });
  std::vector<QRectF> taken;
  for (std::size_t node = 0; node < layout_.nodes.size(); ++node) {
    const double radius = layout_.radius + (node == 0 ? 5 : 1);
    taken.emplace_back(layout_.nodes[node].x() - radius, layout_.nodes[node].y() - radius, 2 * radius,
                       2 * radius);
  }
  const bool inside = std::ranges::all_of(order, [&](std::size_t node) {
    return std::hypot(text_width(data_.values[node].text, style::TextSize::Small), line) <
           2 * radius_of(node);
  });
  for (const std::size_t node : order) {
    const QString& text = data_.values[node].text;
    const double width = text_width(text, style::TextSize::Small);
    const QPointF centre = layout_.nodes[node];
    const std::optional<double> t = colour_of(node);
    if (inside) {
      const bool plain = !t || !data_.values[node].member;
      canvas.text(centre, text, {.ink = plain ? text_ink() : on_viridis_ink(*t), .anchor = Qt::AlignCenter});
      continue;
    }
    const double away = layout_.radius + (node == 0 ? 6 : 2);
    const QPointF down(0, away + line / 2);
    const QPointF right(away + width / 2 + 2, 0);
    for (const QPointF& side : {down, -down, right, -right}) {
      const QPointF at = centre + side;
      const QRectF box(at.x() - width / 2 - 2, at.y() - line / 2 + 1, width + 4, line - 2);
      const QRectF room = layout_.plot.adjusted(-4, -4, 4, 4);
      if (!room.contains(box) ||
          std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(box); }))
        continue;
      QColor behind = style::colours().surface;
      behind.setAlphaF(0.75F);
      canvas.rect(box, Ink{"behind-label", behind});
      canvas.text(at, text, {.ink = text_ink(), .anchor = Qt::AlignCenter});
      taken.push_back(box);
      break;
    }
  }
}

void TopologyPainter::paint_legend(Canvas& canvas) const {
  const TextStyle style{.ink = muted_ink()};
  const double line = text_height(style::TextSize::Small);
  if (!scale_.any) return;
  const QRectF& bar = layout_.legend;
  canvas.text({layout_.plot.right() + 12 + viridis_bar_width, layout_.title_y}, scale_title(),
              {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  if (data_.colour == TopologyColour::BestMeasured)
    return paint_upright_scale(canvas, bar, scale_.performance,
                               [this](double value) { return scale_text(value); });
  paint_viridis_bar(canvas, bar);
  canvas.text({bar.right() + 4, bar.top() + line / 2}, scale_text(scale_.axis.range.high), style);
  canvas.text({bar.right() + 4, bar.bottom() - line / 2}, scale_text(scale_.axis.range.low), style);
  for (const Tick& tick : scale_.axis.ticks(std::max(2, static_cast<int>(bar.height() / 40)))) {
    const double y = bar.bottom() - scale_.axis.fraction(tick.value) * bar.height();
    if (!tick.major || y < bar.top() + 1.6 * line || y > bar.bottom() - 1.6 * line) continue;
    canvas.text({bar.right() + 4, y}, scale_text(tick.value), style);
  }
}

void TopologyPainter::paint_key(Canvas& canvas) const {
  const bool probability = data_.colour == TopologyColour::Probability;
  const auto any = [&](const auto& predicate) { return std::ranges::any_of(data_.values, predicate); };
  double x = layout_.plot.left() + 8;
  const auto entry = [&](const QString& text, const auto& paint) {
    paint(QPointF(x, layout_.key_y));
    canvas.text({x + 13, layout_.key_y}, text, {.ink = muted_ink()});
    x += 13 + text_width(text, style::TextSize::Small) + 22;
  };
  constexpr double radius = 5;
  entry(TopologyChart::tr("start"), [&](QPointF at) { paint_start(canvas, at, 2); });
  if (data_.current && data_.current != std::size_t{0})
    entry(TopologyChart::tr("current trial"), [&](QPointF at) { paint_current(canvas, at, 3); });
  if (any([](const TopologyValue& value) { return value.selected > 0; }))
    entry(TopologyChart::tr("selected"), [&](QPointF at) { paint_selected(canvas, at, radius - 1); });
  if (any([](const TopologyValue& value) { return !value.member; }))
    entry(TopologyChart::tr("infeasible"),
          [&](QPointF at) { paint_disc(canvas, at, radius * no_member_share, faint(muted_ink())); });
  if (probability && any([](const TopologyValue& value) { return !(value.probability > 0); }))
    entry(TopologyChart::tr("never"), [&](QPointF at) { paint_hollow(canvas, at, radius); });
  if (!probability && any([](const TopologyValue& value) { return value.trials == 0 || not_timed(value); }))
    entry(TopologyChart::tr("not measured"), [&](QPointF at) { paint_hollow(canvas, at, radius); });
  if (!probability && any([](const TopologyValue& value) { return value.trials > 0 && value.valid == 0; }))
    entry(TopologyChart::tr("none valid"), [&](QPointF at) { paint_none_valid(canvas, at, radius); });
  if (data_.graph.further == 0) return;
  canvas.text({layout_.plot.left(), layout_.further_y},
              TopologyChart::tr("further: %1 values, %2")
                  .arg(style::format_count(static_cast<qint64>(data_.graph.further)),
                       style::format_percent(data_.further_probability)),
              {.ink = text_ink()});
}

void TopologyPainter::paint(Canvas& canvas) const {
  paint_edges(canvas);
  // Paint from the outside in, so that the start lies on top.
  for (std::size_t node = data_.graph.nodes.size(); node-- > 0;) paint_node(canvas, node);
  paint_labels(canvas);
  paint_legend(canvas);
  paint_key(canvas);
}

void TopologyPainter::paint_read(Canvas& canvas, std::size_t node) const {
  const std::vector<std::size_t> near = data_.graph.neighbours(node);
  for (const std::size_t other : near)
    canvas.line(layout_.nodes[node], layout_.nodes[other], {accent_ink(), 2, {}});
  for (const std::size_t other : near) paint_node(canvas, other);
  paint_node(canvas, node);
  canvas.ring(layout_.nodes[node], radius_of(node) + 1, {text_ink(), 2, {}});
  // Lines and discs are painted over the labels of the cached picture: paint the labels again.
  paint_labels(canvas);
}

std::optional<std::size_t> TopologyPainter::node_at(QPointF position) const {
  const auto distance = [&](std::size_t node) {
    const QPointF away = layout_.nodes[node] - position;
    return std::hypot(away.x(), away.y());
  };
  std::size_t nearest = 0;
  for (std::size_t node = 1; node < layout_.nodes.size(); ++node)
    if (distance(node) < distance(nearest)) nearest = node;
  const double reach = std::max(layout_.radius + 4, std::min(node_reach, layout_.scale / 2));
  return distance(nearest) > reach ? std::nullopt : std::optional(nearest);
}

}  // namespace kernelscape::charts
