#include "ui/charts/landscape/constraint_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/landscape/constraint_text.h"

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

}  // namespace

ConstraintChart::ConstraintChart(QWidget* parent) : Chart(parent) {}

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

QString ConstraintChart::explanation() const {
  return tr(
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
      "nodes, up and down through the rules, Home clears the choice.");
}

QString ConstraintChart::summary() const {
  if (!data_.scene) return {};
  QStringList parts{count_text(*data_.scene)};
  if (data_.trial) parts.append(trial_text(data_));
  parts.append(violation_text(data_));
  return parts.join(QStringLiteral("; "));
}

}  // namespace kernelscape::charts
