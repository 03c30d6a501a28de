#include "ui/charts/bars/importance_chart.h"

#include <algorithm>

#include "ui/style/numbers.h"

namespace kernelscape::charts {

ImportanceChart::ImportanceChart(QWidget* parent) : BarChart(parent) {
  set_explanation(tr(
      "Parameter importance: the share of the variance of performance, or of validity, that each knob "
      "explains alone, and that each pair of knobs (hatched) explains beyond the two alone. Performance is "
      "the logarithm over the valid trials.\n\nA random forest is fitted to a seeded sample of the trials "
      "and its variance is decomposed exactly (functional analysis of variance, fANOVA: Hutter, Hoos, "
      "Leyton-Brown 2014); its out-of-bag R² says how much it explains of trials outside of its training "
      "data. Below 0.5 it explains too little to be shown. If every configuration of the space was measured, "
      "the shares are computed exactly.\n\nA click on a knob shows its effect, a click on a pair its heat "
      "map."));
}

void ImportanceChart::set_data(ImportanceData data) {
  data_ = std::move(data);
  show_bars();
}

BarRows ImportanceChart::bars() const {
  BarRows content{
      .panels = {{tr("share of the variance of %1").arg(data_.of_what)}}, .note = data_.basis, .all = false};
  for (const ImportanceBar& bar : data_.bars) {
    const style::Hatch hatch = bar.second >= 0 ? style::Hatch::Diagonal : style::Hatch::Solid;
    content.rows.push_back(
        {.label = bar.label,
         .bars = {{{{bar.share, {accent_ink(), hatch, surface_ink()}}}, style::format_percent(bar.share)}}});
  }
  return content;
}

QStringList ImportanceChart::lines_of(BarPlace place) const {
  const ImportanceBar& bar = data_.bars[place.row];
  QStringList lines{bar.label,
                    tr("%1 of the variance of %2").arg(style::format_percent(bar.share), data_.of_what)};
  if (bar.second >= 0) lines.append(tr("share of the pair, beyond the two knobs alone"));
  return lines;
}

void ImportanceChart::activate_bar(BarPlace place) {
  emit knobs_activated(data_.bars[place.row].first, data_.bars[place.row].second);
}

Table ImportanceChart::table() const {
  Table table{{"knobs", "share"}, {}};
  for (const ImportanceBar& bar : data_.bars) table.rows.push_back({bar.label.toStdString(), bar.share});
  return table;
}

}  // namespace kernelscape::charts
