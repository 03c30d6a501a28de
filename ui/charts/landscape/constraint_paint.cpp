#include <algorithm>
#include <array>
#include <map>

#include "ui/charts/landscape/constraint_chart.h"
#include "ui/charts/landscape/constraint_text.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr double corner_cut = 5;    // length of a cut corner of a constraint
constexpr double digit_radius = 8;  // minimum radius of discs that contain their element's number
constexpr double key_gap = 18;
constexpr double min_label_width = 20;

std::vector<double> dashes_of(bool limit) {
  return limit ? std::vector<double>{3, 3} : std::vector<double>{};
}

Ink edge_ink() {
  Ink ink = muted_ink();
  ink.role += "-edge";
  ink.colour.setAlphaF(0.4F);
  return ink;
}

/** Returns the border of a node: a rectangle, with cut corners if the node can be violated. */
std::vector<QPointF> border_of(const QRectF& box, bool check) {
  const double off = check ? std::min({corner_cut, box.height() / 3, box.width() / 3}) : 0;
  if (off == 0) return {box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft(), box.topLeft()};
  return {
      {box.left() + off, box.top()},     {box.right() - off, box.top()},    {box.right(), box.top() + off},
      {box.right(), box.bottom() - off}, {box.right() - off, box.bottom()}, {box.left() + off, box.bottom()},
      {box.left(), box.bottom() - off},  {box.left(), box.top() + off},     {box.left() + off, box.top()}};
}

void paint_border(Canvas& canvas, const QRectF& box, bool check, const Stroke& stroke) {
  const std::vector<QPointF> border = border_of(box, check);
  canvas.polygon(border, surface_ink());
  canvas.polyline(border, stroke);
}

void paint_element(Canvas& canvas, QPointF centre, double radius, bool named, const Ink& ink, double width) {
  canvas.dots({&centre, 1}, radius, named ? grid_ink() : surface_ink());
  canvas.ring(centre, radius, {ink, width, {}});
}

}  // namespace

void ConstraintChart::paint_edge(Canvas& canvas, const ConstraintLayout& layout, std::size_t first,
                                 std::size_t second, const Ink& ink, double width) const {
  const bool limit = is_limit_node(*data_.scene, first) || is_limit_node(*data_.scene, second);
  canvas.line(layout.boxes[first].center(), layout.boxes[second].center(), {ink, width, dashes_of(limit)});
}

void ConstraintChart::paint_box(Canvas& canvas, const QRectF& box, bool labelled, std::size_t node,
                                Emphasis emphasis) const {
  const bool violated = is_violated(data_, node);
  const bool check = !data_.scene->net.nodes[node].variable;
  Stroke stroke{muted_ink(), check ? 1.5 : 1, dashes_of(is_limit_node(*data_.scene, node))};
  if (emphasis == Emphasis::Joined) stroke = {accent_ink(), 2, stroke.dashes};
  if (emphasis == Emphasis::Chosen) stroke = {text_ink(), 2.5, stroke.dashes};
  if (violated) stroke = {warning_ink(), emphasis == Emphasis::None ? 2.5 : 3.5, stroke.dashes};
  if (violated && emphasis == Emphasis::Chosen)
    canvas.outline(box.adjusted(-4, -4, 4, 4), {text_ink(), 1.5, {}});
  paint_border(canvas, box, check, stroke);
  if (!labelled) return;
  QString text = node_label(*data_.scene, node);
  if (violated) text.prepend(QStringLiteral("! "));
  const std::optional<std::int64_t> value = value_of_node(data_, node);
  const QString equals = value ? QStringLiteral(" = %1").arg(*value) : QString();
  // Shorten the number last, since it changes from trial to trial.
  const double room = box.width() - 6;
  const double left = room - text_width(equals, style::TextSize::Small, violated);
  text = left > room / 4 ? elided(text, style::TextSize::Small, left, violated) + equals
                         : elided(text + equals, style::TextSize::Small, room, violated);
  canvas.text(box.center(), text,
              {.ink = violated ? warning_ink() : text_ink(), .anchor = Qt::AlignCenter, .bold = violated});
}

void ConstraintChart::paint_node(Canvas& canvas, const ConstraintLayout& layout, std::size_t index,
                                 Emphasis emphasis) const {
  const analysis::ConstraintNode& node = data_.scene->net.nodes[index];
  const QRectF& box = layout.boxes[index];
  if (!node.knob) return paint_box(canvas, box, layout.labelled, index, emphasis);
  const Ink ink = emphasis == Emphasis::None     ? muted_ink()
                  : emphasis == Emphasis::Joined ? accent_ink()
                                                 : text_ink();
  paint_element(canvas, box.center(), layout.radius, !node.neighbours.empty(), ink,
                emphasis == Emphasis::None ? 1 : 2.5);
  if (!node.variable || layout.radius < digit_radius || data_.scene->knobs[*node.knob].elements < 2) return;
  const int position = data_.scene->system.variables()[*node.variable].element->position;
  canvas.text(box.center(), QString::number(position), {.ink = text_ink(), .anchor = Qt::AlignCenter});
}

/** Paints the node and its neighbours; no line crosses another node's text. */
void ConstraintChart::paint_joined(Canvas& canvas, const ConstraintLayout& layout, std::size_t node) const {
  const std::vector<std::size_t>& joined = data_.scene->net.nodes[node].neighbours;
  for (const std::size_t other : joined) paint_edge(canvas, layout, node, other, accent_ink(), 2);
  for (std::size_t other = 0; other < layout.boxes.size(); ++other)
    paint_node(canvas, layout, other,
               std::ranges::binary_search(joined, other) ? Emphasis::Joined : Emphasis::None);
  paint_node(canvas, layout, node, Emphasis::Chosen);
}

/**
 * Paints name and value outside of the discs; only the name, or nothing, if they would cover another label.
 */
void ConstraintChart::paint_knob_labels(Canvas& canvas, const ConstraintLayout& layout,
                                        const QRectF& area) const {
  const double line = text_height(style::TextSize::Small);
  const double room = layout.ellipse.left() - area.left() - layout.radius - 8;
  if (room < min_label_width) return;
  const QRectF whole(area.left(), area.top(), area.width(), area.height() - 2 * line - 6);
  std::vector<QRectF> taken;
  for (std::size_t knob = 0; knob < layout.knobs.size(); ++knob) {
    const QPointF normal = layout.outwards(layout.knobs[knob]);
    QStringList lines{elided(data_.scene->knobs[knob].name, style::TextSize::Small, room)};
    if (data_.trial) lines.append(elided(data_.trial->knob_values[knob], style::TextSize::Small, room));
    for (; !lines.isEmpty(); lines.removeLast()) {
      double width = 0;
      for (const QString& text : lines) width = std::max(width, text_width(text, style::TextSize::Small));
      const double height = line * static_cast<double>(lines.size());
      const double away =
          layout.radius + 4 + std::abs(normal.x()) * width / 2 + std::abs(normal.y()) * height / 2;
      QRectF box(0, 0, width, height);
      box.moveCenter(layout.knobs[knob] + normal * away);
      if (!whole.contains(box) ||
          std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(box); }))
        continue;
      for (qsizetype index = 0; index < lines.size(); ++index)
        canvas.text({box.center().x(), box.top() + (static_cast<double>(index) + 0.5) * line}, lines[index],
                    {.ink = index == 0 ? text_ink() : muted_ink(), .anchor = Qt::AlignCenter});
      taken.push_back(box.adjusted(-3, 0, 3, 0));
      break;
    }
  }
}

/** Paints the violations of the trial as text. */
void ConstraintChart::paint_status(Canvas& canvas, const QRectF& area) const {
  if (!data_.trial) return;
  const double line = text_height(style::TextSize::Small);
  const QStringList violations = violation_text(data_);
  QString text = trial_text(data_);
  if (!violations.isEmpty()) text += QStringLiteral(": ") + violations.join(QStringLiteral("; "));
  const bool violated = !violations.isEmpty();
  canvas.text({area.left(), area.bottom() - 1.5 * line - 4},
              elided(text, style::TextSize::Small, area.width(), violated),
              {.ink = violated ? warning_ink() : text_ink(), .bold = violated});
}

void ConstraintChart::paint_key(Canvas& canvas, const QRectF& area) const {
  const double y = area.bottom() - text_height(style::TextSize::Small) / 2;
  const ConstraintScene& scene = *data_.scene;
  double x = area.left();
  const auto entry = [&](double symbol, const QString& text, const auto& paint) {
    const double end = x + symbol + 5 + text_width(text, style::TextSize::Small);
    if (end > area.right()) return;
    paint(QRectF(x, y - 5, symbol, 10));
    canvas.text({x + symbol + 5, y}, text, {.ink = muted_ink()});
    x = end + key_gap;
  };
  const auto box = [&](bool check, const Stroke& stroke) {
    return [&canvas, check, stroke](const QRectF& at) { paint_border(canvas, at, check, stroke); };
  };
  entry(10, tr("element of a knob"),
        [&](const QRectF& at) { paint_element(canvas, at.center(), 5, true, muted_ink(), 1); });
  if (std::ranges::any_of(scene.system.variables(), &space::Variable::derived))
    entry(18, tr("derived"), box(false, thin_stroke(muted_ink())));
  entry(18, tr("constraint"), box(true, {muted_ink(), 1.5, {}}));
  if (scene.count(ConstraintRole::Limit) > 0)
    entry(22, tr("device limit, not a constraint of the space"),
          box(true, {muted_ink(), 1.5, dashes_of(true)}));
  if (data_.trial && !data_.trial->evaluation.violated.empty())
    entry(18, tr("! violated"), box(true, {warning_ink(), 2.5, {}}));
  std::map<QString, QString> signs;
  for (const space::Constraint& constraint : scene.system.constraints())
    signs.emplace(constraint_sign(constraint), constraint_sign_text(constraint));
  for (const auto& [sign, text] : signs) entry(0, sign + QLatin1Char(' ') + text, [](const QRectF&) {});
}

void ConstraintChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (node_count() == 0) return;
  const ConstraintLayout& layout = layout_of(area);
  paint_status(canvas, area);
  if (layout.boxes.empty()) {
    canvas.text(area.center(),
                elided(tr("Too many variables and constraints for this size: see the list."),
                       style::TextSize::Normal, area.width()),
                {.size = style::TextSize::Normal, .ink = muted_ink(), .anchor = Qt::AlignCenter});
    return;
  }
  paint_key(canvas, area);
  for (const auto& [first, second] : data_.scene->net.edges())
    paint_edge(canvas, layout, first, second, edge_ink(), 1);
  for (std::size_t node = 0; node < layout.boxes.size(); ++node)
    paint_node(canvas, layout, node, Emphasis::None);
  paint_knob_labels(canvas, layout, area);
  if (chosen_) paint_joined(canvas, layout, *chosen_);
}

void ConstraintChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  const std::optional<std::size_t> node = current_node();
  if (!node || node == chosen_) return;
  const ConstraintLayout& layout = layout_of(area);
  if (*node < layout.boxes.size()) paint_joined(canvas, layout, *node);
}

}  // namespace kernelscape::charts
