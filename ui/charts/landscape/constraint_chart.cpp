#include "ui/charts/landscape/constraint_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "ui/charts/landscape/constraint_text.h"
#include "ui/charts/styles.h"

namespace kernelscape::charts {
namespace {

constexpr double min_readout_width = 260;
constexpr qsizetype max_readout_lines = 14;  // the page beside shows the whole text
constexpr double near_enough = 6;            // pixels around a node that count as part of it
constexpr double widest_margin_share =
    0.2;                                 // maximum share of the width for the knobs' labels at either side
constexpr double two_line_height = 320;  // in lower charts knobs are labelled without their values
constexpr double one_line_height = 200;  // in lower charts knobs have no labels

double distance_to(const QRectF& box, QPointF point) {
  const double x = std::max({box.left() - point.x(), 0.0, point.x() - box.right()});
  const double y = std::max({box.top() - point.y(), 0.0, point.y() - box.bottom()});
  return std::hypot(x, y);
}

/**
 * Returns the width for names and values. It is the same for every trial, so that the graph does not move
 * when the trial changes.
 */
double margin_width(const std::vector<ConstraintKnob>& knobs, double width) {
  double widest = 0;
  for (const ConstraintKnob& knob : knobs) {
    const QString values = QStringLiteral("[%1]").arg(QStringLiteral("00, ").repeated(knob.elements));
    widest = std::max(
        {widest, text_width(knob.name, style::TextSize::Small), text_width(values, style::TextSize::Small)});
  }
  return std::min(widest, width * widest_margin_share);
}

/** Returns the width of a label inside, which is the same for every trial. */
double node_label_width(const ConstraintScene& scene, std::size_t node) {
  constexpr double padding = 12;
  QString text = QStringLiteral("! ") + node_label(scene, node);
  if (scene.net.nodes[node].variable) text += QStringLiteral(" = 00000");
  return text_width(text, style::TextSize::Small) + padding;
}

QRectF ellipse_in(const QRectF& area, const std::vector<ConstraintKnob>& knobs) {
  constexpr double around = 18;  // a disc and a margin
  const double line = text_height(style::TextSize::Small);
  const double lines = area.height() >= two_line_height ? 2 : area.height() >= one_line_height ? 1 : 0;
  const double beside = (lines > 0 ? margin_width(knobs, area.width()) : 0) + around;
  const double above = lines * line + around;
  // Below the graph are the violations of the trial and the legend.
  return area.adjusted(beside, above, -beside, -above - 2 * line - 8);
}

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

ConstraintChart::ConstraintChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "The constraints of the space as a graph, of the six kinds that Heron solves (section 4 and table 7: "
      "PROD ×, SUM +, EQ =, LE ≤, IN ∈, SELECT [i]) and of expressions (f). At the rim are the knobs, with a "
      "disc for each of their elements, beginning at the top and clockwise; a filled disc is named by a "
      "rule. Inside, a rectangle is a variable that a rule derives from others, with the sign of that rule, "
      "and a box with cut corners is a constraint that a configuration can violate. A line joins a rule to "
      "each variable that it names; numbers are part of the rules.\n\nDashed nodes come from device limits: "
      "threads of a block, shared memory, tiles that do not divide. These limits do not restrict the space, "
      "unless the session enforces them: a feasible configuration that exceeds a limit is tried and has no "
      "kernel. A violated rule has a thick border and an exclamation mark, and is described below.\n\nThe "
      "values are those of the current trial, or of the best trial if there is no current one. Hover, click "
      "or press Enter to highlight the neighbours of a variable or a rule; left and right go through all "
      "nodes, up and down through the rules, Home clears the choice."));
}

void ConstraintChart::set_data(ConstraintData data) {
  const bool same = data.scene && data_.scene && (data.scene == data_.scene || *data.scene == *data_.scene);
  const std::optional<std::size_t> read = current_node();
  data_ = std::move(data);
  if (!same) {
    chosen_.reset();
    placed_.reset();
  }
  set_readout(same && read ? std::optional(readout_of(*read)) : std::nullopt);
  invalidate();
}

const ConstraintLayout& ConstraintChart::layout_of(const QRectF& area) const {
  const double line_height = text_height(style::TextSize::Small);
  if (placed_ && placed_->area == area && placed_->line_height == line_height) return placed_->layout;
  std::vector<double> widths(node_count());
  for (std::size_t node = data_.scene->net.rim; node < widths.size(); ++node)
    widths[node] = node_label_width(*data_.scene, node);
  placed_ =
      Placed{area, line_height,
             place_constraints(data_.scene->net, widths, line_height, ellipse_in(area, data_.scene->knobs))};
  return placed_->layout;
}

QRectF ConstraintChart::box_of(std::size_t node) const {
  if (node >= node_count()) return {};
  const ConstraintLayout& layout = layout_of(body_rect());
  return node < layout.boxes.size() ? layout.boxes[node] : QRectF();
}

std::optional<std::size_t> ConstraintChart::current_node() const {
  if (!readout() || readout()->row < 0 || readout()->row >= static_cast<std::int64_t>(node_count()))
    return std::nullopt;
  return static_cast<std::size_t>(readout()->row);
}

void ConstraintChart::choose(std::optional<std::size_t> node) {
  if (node && *node >= node_count()) node.reset();
  if (node == chosen_) return;
  chosen_ = node;
  invalidate();
}

void ConstraintChart::reset_view() {
  choose(std::nullopt);
  emit choice_cleared();
}

Readout ConstraintChart::readout_of(std::size_t node) const {
  const QRectF box = box_of(node);
  Readout readout{box.isNull() ? body_rect().center() : box.center(), {}, static_cast<std::int64_t>(node)};
  const double room = std::max(min_readout_width, width() / 2.0);
  for (const QString& line : node_text(data_, node))
    readout.lines.append(wrapped(line, style::TextSize::Small, room));
  if (readout.lines.size() > max_readout_lines) {
    readout.lines = readout.lines.first(max_readout_lines - 1);
    readout.lines.append(QStringLiteral("…"));
  }
  return readout;
}

std::optional<Readout> ConstraintChart::readout_at(QPointF position) const {
  if (node_count() == 0) return std::nullopt;
  const std::vector<QRectF>& boxes = layout_of(body_rect()).boxes;
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t node = 0; node < boxes.size(); ++node) {
    const double distance = distance_to(boxes[node], position);
    if (distance > near_enough || distance >= least) continue;
    nearest = node;
    least = distance;
  }
  return nearest ? std::optional(readout_of(*nearest)) : std::nullopt;
}

std::optional<Readout> ConstraintChart::step_readout(const std::optional<Readout>& from,
                                                     Qt::Key direction) const {
  if (node_count() == 0) return std::nullopt;
  const std::optional<std::size_t> now = from ? current_node() : std::nullopt;
  if (!now) return readout_of(chosen_.value_or(0));
  const bool forwards = direction == Qt::Key_Right || direction == Qt::Key_Down;
  const bool constraints_only = direction == Qt::Key_Up || direction == Qt::Key_Down;
  for (std::size_t node = *now; forwards ? node + 1 < node_count() : node > 0;) {
    node = forwards ? node + 1 : node - 1;
    if (!constraints_only || data_.scene->net.nodes[node].constraint) return readout_of(node);
  }
  return std::nullopt;
}

void ConstraintChart::activate(const Readout& readout) {
  if (readout.row < 0 || readout.row >= static_cast<std::int64_t>(node_count())) return;
  choose(static_cast<std::size_t>(readout.row));
  emit node_activated(readout.row);
}

Table ConstraintChart::table() const {
  Table table{{"kind", "text", "reason", data_.trial ? data_.trial->name.toStdString() : "trial"}, {}};
  if (!data_.scene) return table;
  table.columns.emplace_back("description");
  for (const ConstraintItem& item : data_.scene->items) {
    QString explained;
    if (item.constraint && is_violated(data_, item.node))
      explained =
          QString::fromStdString(data_.scene->system.explain(*item.constraint, data_.trial->evaluation));
    table.rows.push_back({item_kind(*data_.scene, item).toStdString(),
                          item_text(*data_.scene, item).toStdString(),
                          item_reason(*data_.scene, item).toStdString(),
                          item_state(data_, item).toStdString(), explained.toStdString()});
  }
  return table;
}

QString ConstraintChart::summary() const {
  if (!data_.scene) return {};
  QStringList parts{count_text(*data_.scene)};
  if (data_.trial) parts.append(trial_text(data_));
  parts.append(violation_text(data_));
  return parts.join(QStringLiteral("; "));
}

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
