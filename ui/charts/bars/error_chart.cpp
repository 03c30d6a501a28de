#include "ui/charts/bars/error_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/bars/part_styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

double value_of(const analysis::CategoryTotals& totals, bool by_seconds) {
  const double value = by_seconds ? totals.work_seconds() : static_cast<double>(totals.trials);
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

}  // namespace

ErrorChart::ErrorChart(QWidget* parent) : BarChart(parent) {
  set_title(tr("Error categories by trials and by build and run time"));
  set_data({});
  set_explanation(tr(
      "How the trials ended (left) and what they cost (right): build and run time is the time that each "
      "trial's own build and run took, summed over the workers, not wall time. A category with few trials "
      "and a long bar on the right wastes measuring time. A click on a row shows its trials.\n\nCategories "
      "as in table I of NoSE, the two views as in its figures 3 and 7."));
}

void ErrorChart::set_data(const analysis::ErrorBreakdown& breakdown) {
  data_ = breakdown;
  shown_.clear();
  for (std::size_t index = 0; index < trial::error_category_count; ++index)
    if (index == 0 || breakdown.categories[index].trials > 0)
      shown_.push_back(static_cast<trial::ErrorCategory>(index));
  show_bars(read());
}

QString ErrorChart::number_text(trial::ErrorCategory category, bool by_seconds) const {
  const double value = value_of(data_.of(category), by_seconds);
  const double all = value_of(data_.all(), by_seconds);
  const QString number =
      by_seconds ? style::format_duration(value) : style::format_count(data_.of(category).trials);
  return all > 0 ? QStringLiteral("%1  (%2)").arg(number, style::format_percent(value / all)) : number;
}

BarRows ErrorChart::bars() const {
  BarRows content{.panels = {{tr("trials")}, {tr("build and run time (s)")}}};
  for (const trial::ErrorCategory category : shown_) {
    BarRow row{category_name(category),
               category_ink(category),
               QString(QLatin1Char(style::colours().of(category).letter)),
               {}};
    for (const bool by_seconds : {false, true})
      row.bars.push_back({{{value_of(data_.of(category), by_seconds), category_fill(category)}},
                          number_text(category, by_seconds)});
    content.rows.push_back(std::move(row));
  }
  return content;
}

std::pair<QRectF, QRectF> ErrorChart::bars_of(std::size_t row) const {
  const BarLayout layout = bar_layout();
  return {layout.part({row, 0}, 0), layout.part({row, 0}, 1)};
}

QStringList ErrorChart::lines_of(BarPlace place) const {
  const trial::ErrorCategory category = shown_[place.row];
  const analysis::CategoryTotals& totals = data_.of(category);
  return {category_title(category), tr("%1 trials").arg(number_text(category, false)),
          tr("%1 of build and run time").arg(number_text(category, true)),
          tr("build %1, run %2")
              .arg(style::format_duration(totals.build_seconds), style::format_duration(totals.run_seconds))};
}

Table ErrorChart::table() const {
  Table table{{"code", "category", "trials", "build (s)", "run (s)", "build + run (s)"}, {}};
  for (const trial::ErrorCategory category : shown_) {
    const analysis::CategoryTotals& totals = data_.of(category);
    table.rows.push_back({static_cast<double>(category), std::string(trial::to_string(category)),
                          static_cast<double>(totals.trials), totals.build_seconds, totals.run_seconds,
                          totals.work_seconds()});
  }
  return table;
}

}  // namespace kernelscape::charts
