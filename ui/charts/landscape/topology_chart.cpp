#include "ui/charts/landscape/topology_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/landscape/topology_painter.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

TopologyChart::TopologyChart(QWidget* parent) : Chart(parent) {
  set_explanation(tr(
      "The values of one knob and the moves between them, as in OpEvo, section 3 and figure 1: a "
      "factorization moves a prime factor from one position to another, a permutation swaps two items, an "
      "ordinal knob goes to the next value, a categorical knob to any other value. Powers of one prime in "
      "three factors form the triangle of figure 1a (first factor largest at the top, second left, third "
      "right), orders of three a hexagon, two factors of one or two primes' powers a line or a grid, ordinal "
      "values a line, categorical values a circle; all other values lie in rings around the start, one ring "
      "for each number of moves. Of large knobs the nearest values are drawn and the rest is counted "
      "below.\n\nA q-random walk starts at the ringed value. With probability q it continues to a neighbour, "
      "each with equal probability; otherwise it stops. The colours show where it ends (section 4.3, "
      "equation 3, figure 2), exactly, on a logarithmic scale: every further move reduces the probability by "
      "about a constant factor, and values down to a ten-thousandth of the greatest probability are visible. "
      "Of equally distant values, those with more neighbours are more likely, as figure 2 shows. Coloured by "
      "the best measured performance instead, the chart shows whether neighbours perform alike, as OpEvo "
      "assumes; these colours go by rank among the values drawn. A hollow value was not measured, a crossed "
      "value has only failures. The best of a value is over all shown trials that have it, whatever their "
      "other knobs.\n\nSmall and faint: the current trial (or the best one if there is no current trial) "
      "with this value is infeasible, because a constraint forbids it or a recorded space does not list it. "
      "The walk passes through such values like the tuner's walk; the tuner draws again if its walk ends "
      "there.\n\nA click or Enter starts the walk at a value; arrow keys go along the edges."));
}

void TopologyChart::set_data(TopologyData data) {
  // The slider changes probabilities while mouse or keyboard stay at a node: the readout stays there.
  const std::optional<std::size_t> node = current_node();
  const std::uint32_t value = node ? data_.graph.nodes[*node].value : 0;
  const bool same_knob = data.knob == data_.knob;
  data_ = std::move(data);
  const std::size_t found = data_.graph.node_of(value);
  if (node && same_knob && found < data_.graph.nodes.size()) {
    set_readout(readout_of(found));
  } else {
    set_readout(std::nullopt);
  }
  invalidate();
}

QPointF TopologyChart::position_of(std::size_t node) const {
  return TopologyPainter(data_, body_rect()).centre_of(node);
}

std::optional<std::size_t> TopologyChart::current_node() const {
  if (!readout() || readout()->row < 0 || readout()->row >= std::ssize(data_.graph.nodes))
    return std::nullopt;
  return static_cast<std::size_t>(readout()->row);
}

QStringList TopologyChart::measured_lines(const TopologyValue& value) const {
  if (value.trials == 0) return {tr("not measured")};
  QStringList lines;
  if (value.best > 0)
    lines.append(tr("best %1, median %2 (n = %3)")
                     .arg(style::format_quantity(value.best, data_.unit),
                          style::format_quantity(value.median, data_.unit),
                          style::format_count(value.valid)));
  if (value.valid > 0 && !(value.best > 0))
    lines.append(tr("%1 built, none timed").arg(style::format_count(value.valid)));
  if (value.valid < value.trials)
    lines.append(
        tr("%1 of %2 trials failed")
            .arg(style::format_count(value.trials - value.valid), style::format_count(value.trials)));
  if (value.selected > 0)
    lines.append((value.selected == 1 ? tr("%1 trial selected") : tr("%1 trials selected"))
                     .arg(style::format_count(value.selected)));
  return lines;
}

Readout TopologyChart::readout_of(std::size_t index) const {
  const analysis::KnobNode& node = data_.graph.nodes[index];
  const TopologyValue& value = data_.values[index];
  Readout readout{position_of(index), {value.text}, static_cast<std::int64_t>(index)};
  const QString degree =
      (node.degree == 1 ? tr("%1 neighbour") : tr("%1 neighbours")).arg(style::format_count(node.degree));
  if (node.distance == analysis::no_distance) {
    readout.lines.append(tr("unreachable, %1").arg(degree));
  } else if (index == 0) {
    readout.lines.append(tr("the start, %1").arg(degree));
  } else if (node.distance == 1) {
    readout.lines.append(tr("1 move away, %1").arg(degree));
  } else {
    readout.lines.append(tr("%1 moves away, %2").arg(style::format_count(node.distance), degree));
  }
  readout.lines.append(
      tr("probability that the walk ends here: %1").arg(style::format_percent(value.probability)));
  if (index == 0)
    readout.lines.append(tr("probability of staying %1, of returning %2")
                             .arg(style::format_percent(1 - data_.q),
                                  style::format_percent(std::max(0.0, value.probability - (1 - data_.q)))));
  if (!value.member) readout.lines.append(tr("infeasible with the other knobs of %1").arg(data_.base));
  readout.lines += measured_lines(value);
  return readout;
}

void TopologyChart::paint_chart(Canvas& canvas, const QRectF& area) {
  if (!data_.graph.nodes.empty()) TopologyPainter(data_, area).paint(canvas);
}

void TopologyChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  if (const std::optional<std::size_t> node = current_node())
    TopologyPainter(data_, area).paint_read(canvas, *node);
}

std::optional<Readout> TopologyChart::readout_at(QPointF position) const {
  if (data_.graph.nodes.empty()) return std::nullopt;
  const std::optional<std::size_t> node = TopologyPainter(data_, body_rect()).node_at(position);
  return node ? std::optional(readout_of(*node)) : std::nullopt;
}

/** Moves along the edge that is closest to the key's direction; of two equal edges along the shorter one. */
std::optional<Readout> TopologyChart::step_readout(const std::optional<Readout>& from,
                                                   Qt::Key direction) const {
  if (data_.graph.nodes.empty()) return std::nullopt;
  const std::optional<std::size_t> node = from ? current_node() : std::nullopt;
  if (!node) return readout_of(0);
  const QPointF way = direction == Qt::Key_Left    ? QPointF(-1, 0)
                      : direction == Qt::Key_Right ? QPointF(1, 0)
                      : direction == Qt::Key_Up    ? QPointF(0, -1)
                                                   : QPointF(0, 1);
  constexpr double narrowest = 0.25;  // minimum cosine of the angle between the edge and the key
  std::optional<std::size_t> best;
  double best_score = 0;
  for (const std::size_t other : data_.graph.neighbours(*node)) {
    const QPointF edge(data_.graph.nodes[other].x - data_.graph.nodes[*node].x,
                       data_.graph.nodes[other].y - data_.graph.nodes[*node].y);
    const double length = std::hypot(edge.x(), edge.y());
    const double cosine = QPointF::dotProduct(edge, way) / length;
    if (cosine < narrowest) continue;
    const double score = cosine * cosine / length;
    if (score > best_score + 1e-9) {
      best = other;
      best_score = score;
    }
  }
  return best ? std::optional(readout_of(*best)) : std::nullopt;
}

void TopologyChart::activate(const Readout& readout) {
  if (readout.row >= 0 && readout.row < std::ssize(data_.graph.nodes))
    emit start_activated(data_.graph.nodes[static_cast<std::size_t>(readout.row)].value);
}

Table TopologyChart::table() const {
  const std::string unit = " (" + data_.unit.toStdString() + ")";
  Table table{{data_.knob.toStdString(), "moves from the start", "neighbours", "probability", "feasible",
               "trials", "valid", "best" + unit, "median" + unit},
              {}};
  for (std::size_t index = 0; index < data_.graph.nodes.size(); ++index) {
    const analysis::KnobNode& node = data_.graph.nodes[index];
    const TopologyValue& value = data_.values[index];
    const auto known = [&](double number) { return value.best > 0 ? number : std::nan(""); };
    table.rows.push_back(
        {value.text.toStdString(),
         node.distance == analysis::no_distance ? std::nan("") : static_cast<double>(node.distance),
         static_cast<double>(node.degree), value.probability, std::string(value.member ? "yes" : "no"),
         static_cast<double>(value.trials), static_cast<double>(value.valid), known(value.best),
         known(value.median)});
  }
  return table;
}

QString TopologyChart::summary() const {
  if (data_.values.empty()) return {};
  return tr("probability of staying at %1: %2")
      .arg(data_.values[0].text, style::format_percent(data_.values[0].probability));
}

}  // namespace kernelscape::charts
