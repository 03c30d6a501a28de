#include "ui/charts/bars/relevance_chart.h"

#include <algorithm>

#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

QString name_of(const analysis::ColumnRelevance& column) { return QString::fromStdString(column.column); }

}  // namespace

RelevanceChart::RelevanceChart(QWidget* parent) : BarChart(parent) {
  set_title(tr("Relevance of columns so far"));
  set_explanation(tr(
      "The relevance of the space's columns to the tuner's Gaussian process. The model assumes that "
      "configurations that are near each other perform alike, and learns the scale of distance for each "
      "column: the lengthscale, in units of the column's whole range. A bar is the share of the similarity "
      "(the correlation that the model assumes) that a move across the whole range of the column removes, "
      "with all other columns unchanged: (1 - d) (1 - g(1 / lengthscale)), where g is the correlation over a "
      "distance in lengthscales, by default exp(-r), and d, by default 0.2, is the part of the similarity "
      "that no distance removes. A short lengthscale is a long bar. Until lengthscales are learnt, all are 1 "
      "and all columns are equally relevant.\n\nThis is the model's estimate from trials that the tuner "
      "chose, not a share of the variance as in Explore, and it changes with new trials. A click on a bar "
      "shows the column's lengthscale over the trials."));
}

void RelevanceChart::set_data(RelevanceData data) {
  if (data == data_) return;
  const auto place = read();
  const std::string column = place ? data_.columns[place->row].column : std::string();
  data_ = std::move(data);
  set_title(
      tr("Relevance of columns so far"),
      data_.trial < 0 ? QString() : tr("for the model at trial %1").arg(style::format_count(data_.trial)));
  // The column's bar may have moved or disappeared.
  const auto found = std::ranges::find(data_.columns, column, &analysis::ColumnRelevance::column);
  show_bars(BarPlace{static_cast<std::size_t>(found - data_.columns.begin())});
}

BarRows RelevanceChart::bars() const {
  BarRows content{.panels = {{tr("similarity lost across the whole range"), 1}}, .all = false};
  for (const analysis::ColumnRelevance& column : data_.columns)
    content.rows.push_back(
        {.label = name_of(column),
         .bars = {{{{column.share, {accent_ink()}}}, style::format_percent(column.share)}}});
  return content;
}

QStringList RelevanceChart::lines_of(BarPlace place) const {
  const analysis::ColumnRelevance& column = data_.columns[place.row];
  QStringList lines{
      tr("%1: lengthscale %2").arg(name_of(column), style::format_number(column.lengthscale, 3)),
      tr("a move across its whole range"),
      tr("removes %1 of the similarity").arg(style::format_percent(column.share))};
  if (std::ranges::count(data_.columns, column.knob, &analysis::ColumnRelevance::knob) > 1)
    lines.append(tr("all columns of %1 together: %2")
                     .arg(QString::fromStdString(column.knob), style::format_percent(column.knob_share)));
  return lines;
}

void RelevanceChart::activate_bar(BarPlace place) {
  emit column_activated(name_of(data_.columns[place.row]));
}

Table RelevanceChart::table() const {
  Table table{{"column", "knob", "lengthscale (ranges)", "similarity lost", "lost over the whole knob"}, {}};
  for (const analysis::ColumnRelevance& column : data_.columns)
    table.rows.push_back({column.column, column.knob, column.lengthscale, column.share, column.knob_share});
  return table;
}

}  // namespace kernelscape::charts
