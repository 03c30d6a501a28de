#include "ui/charts/bars/category_chart.h"

#include <algorithm>

#include "ui/charts/bars/part_looks.h"
#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {

CategoryChart::CategoryChart(CategoryBy by, QWidget* parent) : StackedBarChart(parent), by_(by) {
  if (by == CategoryBy::Trials) {
    set_title(tr("Outcomes by count"), tr("share of trials, mean per run"));
  } else {
    set_title(tr("Outcomes by work seconds"), tr("share of build + run work, mean per run"));
  }
}

void CategoryChart::set_data(const std::vector<ArmCategories>& arms) {
  arms_ = arms;
  std::vector<StackedBar> bars;
  for (const ArmCategories& arm : arms) {
    const auto& shares = by_ == CategoryBy::Trials ? arm.shares.trials : arm.shares.work_seconds;
    StackedBar bar{arm.arm, arm.name, {}};
    for (const double share : shares) bar.values.push_back(share * percent);
    bars.push_back(std::move(bar));
  }
  set_bars(std::move(bars));
}

double CategoryChart::per_run(const StackedBar& bar) const {
  const auto found = std::ranges::find(arms_, bar.arm, &ArmCategories::arm);
  if (found == arms_.end()) return 0;
  return by_ == CategoryBy::Trials ? found->shares.trials_per_run : found->shares.work_seconds_per_run;
}

std::size_t CategoryChart::part_count() const { return error_category_count; }

QString CategoryChart::part_name(std::size_t part) const {
  return category_title(static_cast<ErrorCategory>(part));
}

QString CategoryChart::part_letter(std::size_t part) const {
  return QString(QLatin1Char(colours().of(static_cast<ErrorCategory>(part)).letter));
}

Fill CategoryChart::part_fill(std::size_t part) const {
  return category_fill(static_cast<ErrorCategory>(part));
}

Axis CategoryChart::value_axis() const {
  return {by_ == CategoryBy::Trials ? tr("share of trials") : tr("share of work seconds"),
          QStringLiteral("%"),
          AxisScale::Linear,
          {}};
}

QString CategoryChart::value_text(double value) const { return format_percent(value / percent); }

QStringList CategoryChart::details(const StackedBar& bar, std::size_t) const {
  const double all = per_run(bar);
  return {by_ == CategoryBy::Trials ? tr("of %1 trials a run").arg(format_number(all))
                                    : tr("of %1 of work a run").arg(format_duration(all))};
}

ChartTable CategoryChart::table() const {
  const bool trials = by_ == CategoryBy::Trials;
  ChartTable table{{"tuner"}, {}};
  for (std::size_t part = 0; part < error_category_count; ++part)
    table.columns.push_back(category_name(static_cast<ErrorCategory>(part)).toStdString() +
                            (trials ? " (% of trials)" : " (% of work seconds)"));
  table.columns.emplace_back(trials ? "trials per run" : "work seconds per run");
  for (const StackedBar* bar : shown()) {
    std::vector<ChartCell> row{bar->name.toStdString()};
    row.insert(row.end(), bar->values.begin(), bar->values.end());
    row.emplace_back(per_run(*bar));
    table.rows.push_back(std::move(row));
  }
  return table;
}

QString CategoryChart::explanation() const {
  return tr(
      "How the trials of each tuner ended, as means over its runs; tasks weigh the same. By count every "
      "trial "
      "weighs the same; by work seconds each weighs what its own build and run took, summed over the "
      "workers, "
      "not wall time. A tuner that fails seldom by count may still waste its time on time-outs.\n\n"
      "Categories as in table I of NoSE, the two views as in its figures 7A (count) and 7B (time).");
}

}  // namespace kernelscape
