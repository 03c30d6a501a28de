#include "ui/charts/bars/category_chart.h"

#include "ui/charts/bars/part_styles.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {

CategoryChart::CategoryChart(CategoryBy by, QWidget* parent)
    : StackedBarChart(
          {by == CategoryBy::Trials ? tr("share of trials") : tr("share of build and run time"),
           QStringLiteral("%")},
          [](double value) { return style::format_percent(value / percent); }, parent),
      by_(by) {
  if (by == CategoryBy::Trials) {
    set_title(tr("Outcomes by count"), tr("share of trials, mean per run"));
  } else {
    set_title(tr("Outcomes by build and run time"), tr("share of build and run time, mean per run"));
  }
  set_explanation(tr(
      "How the trials of each tuner ended, as means over its runs; all tasks have equal weight. By count "
      "every trial has equal weight; by build and run time each trial is weighted by the time that its own "
      "build and run took, summed over the workers, not wall time. A tuner with few failures by count may "
      "still spend its time on time-outs.\n\nCategories as in table I of NoSE, the two views as in its "
      "figures 7A (count) and 7B (time)."));
}

void CategoryChart::set_data(const std::vector<ArmCategories>& arms) {
  const bool trials = by_ == CategoryBy::Trials;
  std::vector<StackedBar> bars;
  for (const auto& [arm, name, shares] : arms) {
    StackedBar bar{arm, name, {}, trials ? shares.trials_per_run : shares.work_seconds_per_run};
    for (const double share : trials ? shares.trials : shares.work_seconds)
      bar.values.push_back(share * percent);
    bars.push_back(std::move(bar));
  }
  set_bars(std::move(bars));
}

std::vector<StackedPart> CategoryChart::parts() const {
  const char* of = by_ == CategoryBy::Trials ? " (% of trials)" : " (% of build and run time)";
  std::vector<StackedPart> parts;
  for (std::size_t index = 0; index < trial::error_category_count; ++index) {
    const auto category = static_cast<trial::ErrorCategory>(index);
    parts.push_back({category_title(category), category_fill(category),
                     QString(QLatin1Char(style::colours().of(category).letter)),
                     category_name(category).toStdString() + of});
  }
  return parts;
}

std::string CategoryChart::all_column() const {
  return by_ == CategoryBy::Trials ? "trials per run" : "build and run time per run (s)";
}

QStringList CategoryChart::details(const StackedBar& bar, std::size_t) const {
  return {by_ == CategoryBy::Trials
              ? tr("of %1 trials per run").arg(style::format_number(bar.all))
              : tr("of %1 build and run time per run").arg(style::format_duration(bar.all))};
}

}  // namespace kernelscape::charts
