#include "ui/figures/distribution_figures.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/intervals.h"
#include "ui/figures/frequent_messages.h"
#include "ui/figures/registry.h"
#include "ui/style/numbers.h"

namespace kernelscape::figures {
namespace {

constexpr int distribution_height = 260;
constexpr std::size_t max_points = 1000;
constexpr double fewest_bins = 8;
constexpr double max_bins = 80;

/** Returns the number of bins by Rice's rule. */
std::size_t bin_count(std::int64_t valid) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(2 * std::cbrt(static_cast<double>(valid))), fewest_bins, max_bins));
}

std::vector<std::int64_t> counts_in(const analysis::Histogram& histogram, const ShownTrials& shown,
                                    const analysis::RowSet& selection) {
  std::vector<std::int64_t> counts(histogram.counts.size());
  const analysis::PerformanceColumn performance = shown.performance_values();
  for (const std::int64_t row : shown.rows_of(selection)) {
    if (!performance.valid(row)) continue;
    const auto after = std::ranges::upper_bound(histogram.edges, performance.at(row));
    const std::ptrdiff_t bin = std::max<std::ptrdiff_t>(after - histogram.edges.begin() - 1, 0);
    ++counts[std::min(static_cast<std::size_t>(bin), counts.size() - 1)];
  }
  return counts;
}

std::vector<qint64> rows_between(const ShownTrials& shown, double low, double high, bool closed) {
  std::vector<qint64> rows;
  for (const std::int64_t row : shown.rows) {
    const double value = shown.performance[static_cast<std::size_t>(row)];
    if (value >= low && (value < high || (closed && value == high))) rows.push_back(row);
  }
  return rows;
}

}  // namespace

FigureOf<charts::DistributionData> distribution_figure(const Shown& shown, const analysis::RowSet& selection,
                                                       bool logarithmic, const QString& notice) {
  charts::DistributionData data{shown->quantity(), shown->unit(), {}, {}, {}, logarithmic, {}};
  if (shown->valid > 0) {
    data.histogram =
        analysis::histogram(shown->performance_values(), shown->rows, bin_count(shown->valid), logarithmic);
    data.highlighted = counts_in(data.histogram, *shown, selection);
    data.best = shown->best;
    data.rows_between = [shown](double low, double high, bool closed) {
      return rows_between(*shown, low, high, closed);
    };
  }
  return {
      {.title = figure_text("Distribution of %1").arg(shown->quantity()),
       .of = shown->origin_text(),
       .notice = notice,
       .caption = figure_text("%1 of %2 are valid; failed trials are in no bar.")
                      .arg(style::format_count(shown->valid), style::format_count(std::ssize(shown->rows)))},
      std::move(data)};
}

FigureOf<charts::CumulativeData> cumulative_figure(const ShownTrials& shown, const QString& notice) {
  const bool of_space = shown.stands_for_space();
  charts::CumulativeData data{
      {}, std::ssize(shown.rows), of_space ? figure_text("configurations") : figure_text("trials")};
  for (const analysis::TopPoint& point : analysis::reduced(
           analysis::distribution_from_top(shown.performance_values(), shown.rows), max_points)) {
    data.points.push_back({point, {}});
    // Of a completely measured space the share is known: it needs no interval.
    if (!of_space || shown.source->complete()) continue;
    const analysis::ConfidenceInterval interval = analysis::wilson_interval_95(point.count, data.trials);
    data.points.back().interval = {interval.low, interval.high};
  }
  return {{.title = figure_text("Share of trials within x % of the best"),
           .of = shown.origin_text(),
           .notice = notice,
           .caption = figure_text("From the best down: the share of all trials, including failed ones, that "
                                  "are at most this far below the best.")},
          std::move(data)};
}

namespace {

std::vector<Figure> distribution_figures(const Source& source, const workspace::JobControl& control) {
  const QString notice = no_performance_notice(source.database, *source.shown, control);
  return {make_figure<charts::DistributionChart>(distribution_figure(source.shown, {}, false, notice),
                                                 distribution_height)};
}

std::vector<Figure> cumulative_figures(const Source& source, const workspace::JobControl& control) {
  const QString notice = no_performance_notice(source.database, *source.shown, control);
  return {
      make_figure<charts::CumulativeChart>(cumulative_figure(*source.shown, notice), distribution_height)};
}

}  // namespace

Kind distribution_figure_kind() {
  return figure_kind<charts::DistributionChart>("distribution", Place::Explore, ReportPart::Space,
                                                distribution_figures);
}

Kind cumulative_figure_kind() {
  return figure_kind<charts::CumulativeChart>("cumulative", Place::Explore, ReportPart::Space,
                                              cumulative_figures);
}

}  // namespace kernelscape::figures
