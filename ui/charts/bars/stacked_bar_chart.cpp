#include "ui/charts/bars/stacked_bar_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

double value_of(const StackedBar& bar, std::size_t part) {
  const double value = part < bar.values.size() ? bar.values[part] : 0;
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

}  // namespace

StackedBarChart::StackedBarChart(Axis axis, QString (*value_text)(double), QWidget* parent)
    : BarChart(parent), axis_(std::move(axis)), value_text_(value_text) {}

void StackedBarChart::set_bars(std::vector<StackedBar> bars) {
  bars_ = std::move(bars);
  show_bars();
}

void StackedBarChart::set_hidden(const std::set<std::size_t>& arms) {
  if (arms == hidden_) return;
  hidden_ = arms;
  show_bars();
}

std::vector<const StackedBar*> StackedBarChart::shown() const {
  std::vector<const StackedBar*> bars;
  for (const StackedBar& bar : bars_)
    if (!hidden_.contains(bar.arm)) bars.push_back(&bar);
  return bars;
}

BarRows StackedBarChart::bars() const {
  BarRows content{.axis = axis_};
  const std::vector<StackedPart> looks = parts();
  for (const StackedPart& look : looks) content.part_names.append(look.name);
  for (const StackedBar* bar : shown()) {
    Bar stacked{{}, bar_text(*bar)};
    for (std::size_t part = 0; part < looks.size(); ++part)
      stacked.parts.push_back({value_of(*bar, part), looks[part].fill, looks[part].letter});
    content.rows.push_back({.label = bar->name, .ink = arm_ink(bar->arm), .bars = {std::move(stacked)}});
  }
  return content;
}

QStringList StackedBarChart::lines_of(BarPlace place) const {
  const StackedBar& bar = *shown()[place.row];
  const double value = value_of(bar, place.part);
  QStringList lines{bar.name, QStringLiteral("%1: %2").arg(parts()[place.part].name, value_text_(value))};
  const QStringList more = details(bar, place.part);
  double total = 0;
  for (std::size_t part = 0; part < bar.values.size(); ++part) total += value_of(bar, part);
  if (more.isEmpty() && total > 0)
    lines.append(tr("%1 of %2").arg(style::format_percent(value / total), value_text_(total)));
  return lines + more;
}

void StackedBarChart::activate_bar(BarPlace place) {
  emit arm_activated(static_cast<qint64>(shown()[place.row]->arm));
}

Table StackedBarChart::table() const {
  Table table{{"tuner"}, {}};
  for (const StackedPart& part : parts()) table.columns.push_back(part.column);
  table.columns.push_back(all_column());
  for (const StackedBar* bar : shown()) {
    std::vector<Cell> row{bar->name.toStdString()};
    row.insert(row.end(), bar->values.begin(), bar->values.end());
    row.emplace_back(bar->all);
    table.rows.push_back(std::move(row));
  }
  return table;
}

QString StackedBarChart::summary() const {
  const std::vector<StackedPart> looks = parts();
  const std::vector<std::size_t> used = bar_layout().used_parts();
  QStringList bars;
  for (const StackedBar* bar : shown()) {
    QStringList values;
    for (const std::size_t part : used)
      values.append(QStringLiteral("%1 %2").arg(looks[part].name, value_text_(value_of(*bar, part))));
    bars.append(bar->name + QStringLiteral(": ") + values.join(QStringLiteral(", ")));
  }
  return bars.join(QStringLiteral("; "));
}

}  // namespace kernelscape::charts
