#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/charts/landscape/topology_layout.h"
#include "ui/charts/landscape/viridis_scale.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

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

void TopologyChart::paint_edges(Canvas& canvas, const Layout& layout) const {
  const Stroke stroke =
      thin_stroke(data_.graph.edges.size() > many_edges ? faint(muted_ink()) : hairline_ink());
  for (const auto& [first, second] : data_.graph.edges)
    if (first != 0) canvas.line(layout.nodes[first], layout.nodes[second], stroke);
  // The first moves are highlighted and painted last, on top.
  for (const auto& [first, second] : data_.graph.edges)
    if (first == 0) canvas.line(layout.nodes[first], layout.nodes[second], thin_stroke(muted_ink()));
}

void TopologyChart::paint_node(Canvas& canvas, const Layout& layout, std::size_t node,
                               const Scale& shown) const {
  const TopologyValue& value = data_.values[node];
  const QPointF centre = layout.nodes[node];
  const double radius = radius_of(layout, node);
  const std::optional<double> t = colour_of(node, shown);
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
void TopologyChart::paint_labels(Canvas& canvas, const Layout& layout, const Scale& shown) const {
  const double line = text_height(style::TextSize::Small);
  std::vector<std::size_t> order(data_.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
    return data_.values[a].probability > data_.values[b].probability;
  });
  std::vector<QRectF> taken;
  for (std::size_t node = 0; node < layout.nodes.size(); ++node) {
    const double radius = layout.radius + (node == 0 ? 5 : 1);
    taken.emplace_back(layout.nodes[node].x() - radius, layout.nodes[node].y() - radius, 2 * radius,
                       2 * radius);
  }
  const bool inside = std::ranges::all_of(order, [&](std::size_t node) {
    return std::hypot(text_width(data_.values[node].text, style::TextSize::Small), line) <
           2 * radius_of(layout, node);
  });
  for (const std::size_t node : order) {
    const QString& text = data_.values[node].text;
    const double width = text_width(text, style::TextSize::Small);
    const QPointF centre = layout.nodes[node];
    const std::optional<double> t = colour_of(node, shown);
    if (inside) {
      const bool plain = !t || !data_.values[node].member;
      canvas.text(centre, text, {.ink = plain ? text_ink() : on_viridis_ink(*t), .anchor = Qt::AlignCenter});
      continue;
    }
    const double away = layout.radius + (node == 0 ? 6 : 2);
    const QPointF down(0, away + line / 2);
    const QPointF right(away + width / 2 + 2, 0);
    for (const QPointF& side : {down, -down, right, -right}) {
      const QPointF at = centre + side;
      const QRectF box(at.x() - width / 2 - 2, at.y() - line / 2 + 1, width + 4, line - 2);
      const QRectF room = layout.plot.adjusted(-4, -4, 4, 4);
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

void TopologyChart::paint_legend(Canvas& canvas, const Layout& layout, const Scale& shown) const {
  const TextStyle style{.ink = muted_ink()};
  const double line = text_height(style::TextSize::Small);
  if (!shown.any) return;
  const QRectF& bar = layout.legend;
  canvas.text({layout.plot.right() + 12 + viridis_bar_width, layout.title_y}, scale_title(),
              {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  if (data_.colour == TopologyColour::BestMeasured)
    return paint_upright_scale(canvas, bar, shown.performance,
                               [this](double value) { return scale_text(value); });
  paint_viridis_bar(canvas, bar);
  canvas.text({bar.right() + 4, bar.top() + line / 2}, scale_text(shown.axis.range.high), style);
  canvas.text({bar.right() + 4, bar.bottom() - line / 2}, scale_text(shown.axis.range.low), style);
  for (const Tick& tick : shown.axis.ticks(std::max(2, static_cast<int>(bar.height() / 40)))) {
    const double y = bar.bottom() - shown.axis.fraction(tick.value) * bar.height();
    if (!tick.major || y < bar.top() + 1.6 * line || y > bar.bottom() - 1.6 * line) continue;
    canvas.text({bar.right() + 4, y}, scale_text(tick.value), style);
  }
}

void TopologyChart::paint_key(Canvas& canvas, const Layout& layout) const {
  const bool probability = data_.colour == TopologyColour::Probability;
  const auto any = [&](const auto& predicate) { return std::ranges::any_of(data_.values, predicate); };
  double x = layout.plot.left() + 8;
  const auto entry = [&](const QString& text, const auto& paint) {
    paint(QPointF(x, layout.key_y));
    canvas.text({x + 13, layout.key_y}, text, {.ink = muted_ink()});
    x += 13 + text_width(text, style::TextSize::Small) + 22;
  };
  constexpr double radius = 5;
  entry(tr("start"), [&](QPointF at) { paint_start(canvas, at, 2); });
  if (data_.current && data_.current != std::size_t{0})
    entry(tr("current trial"), [&](QPointF at) { paint_current(canvas, at, 3); });
  if (any([](const TopologyValue& value) { return value.selected > 0; }))
    entry(tr("selected"), [&](QPointF at) { paint_selected(canvas, at, radius - 1); });
  if (any([](const TopologyValue& value) { return !value.member; }))
    entry(tr("infeasible"),
          [&](QPointF at) { paint_disc(canvas, at, radius * no_member_share, faint(muted_ink())); });
  if (probability && any([](const TopologyValue& value) { return !(value.probability > 0); }))
    entry(tr("never"), [&](QPointF at) { paint_hollow(canvas, at, radius); });
  if (!probability && any([](const TopologyValue& value) { return value.trials == 0 || not_timed(value); }))
    entry(tr("not measured"), [&](QPointF at) { paint_hollow(canvas, at, radius); });
  if (!probability && any([](const TopologyValue& value) { return value.trials > 0 && value.valid == 0; }))
    entry(tr("none valid"), [&](QPointF at) { paint_none_valid(canvas, at, radius); });
  if (data_.graph.further == 0) return;
  canvas.text({layout.plot.left(), layout.further_y},
              tr("further: %1 values, %2")
                  .arg(style::format_count(static_cast<qint64>(data_.graph.further)),
                       style::format_percent(data_.further_probability)),
              {.ink = text_ink()});
}

void TopologyChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (data_.graph.nodes.empty()) return;
  const Layout layout = layout_of(area);
  const Scale shown = scale();
  paint_edges(canvas, layout);
  // Paint from the outside in, so that the start lies on top.
  for (std::size_t node = data_.graph.nodes.size(); node-- > 0;) paint_node(canvas, layout, node, shown);
  paint_labels(canvas, layout, shown);
  paint_legend(canvas, layout, shown);
  paint_key(canvas, layout);
}

void TopologyChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  const std::optional<std::size_t> node = current_node();
  if (!node) return;
  const Layout layout = layout_of(area);
  const Scale shown = scale();
  const std::vector<std::size_t> near = data_.graph.neighbours(*node);
  for (const std::size_t other : near)
    canvas.line(layout.nodes[*node], layout.nodes[other], {accent_ink(), 2, {}});
  for (const std::size_t other : near) paint_node(canvas, layout, other, shown);
  paint_node(canvas, layout, *node, shown);
  canvas.ring(layout.nodes[*node], radius_of(layout, *node) + 1, {text_ink(), 2, {}});
  // Lines and discs are painted over the labels of the cached picture: paint the labels again.
  paint_labels(canvas, layout, shown);
}

}  // namespace kernelscape::charts
