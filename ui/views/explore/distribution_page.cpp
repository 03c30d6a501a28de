#include "ui/views/explore/distribution_page.h"

#include <QBoxLayout>
#include <QSplitter>
#include <algorithm>
#include <cmath>

#include "core/analysis/comparison/intervals.h"
#include "core/analysis/filter/filter.h"
#include "ui/charts/bars/distribution_chart.h"
#include "ui/charts/courses/cumulative_chart.h"
#include "ui/views/explore/frequent_messages.h"

namespace kernelscape {
namespace {

constexpr std::size_t most_points = 1000;
constexpr double fewest_bins = 8;
constexpr double most_bins = 80;
constexpr std::size_t messages_in_a_notice = 3;

/** Rice's rule. */
std::size_t bin_count(std::int64_t valid) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(2 * std::cbrt(static_cast<double>(valid))), fewest_bins, most_bins));
}

std::vector<std::int64_t> counts_in(const Histogram& histogram, const ShownTrials& shown,
                                    const RowSet& selection) {
  std::vector<std::int64_t> counts(histogram.counts.size());
  const PerformanceColumn performance = shown.performance_values();
  for (const std::int64_t row : shown.rows_of(selection)) {
    if (!performance.valid(row)) continue;
    const auto after = std::ranges::upper_bound(histogram.edges, performance.at(row));
    const std::ptrdiff_t bin = std::max<std::ptrdiff_t>(after - histogram.edges.begin() - 1, 0);
    ++counts[std::min(static_cast<std::size_t>(bin), counts.size() - 1)];
  }
  return counts;
}

std::vector<CumulativePoint> points_of(const ShownTrials& shown) {
  const auto all = static_cast<std::int64_t>(shown.rows.size());
  std::vector<CumulativePoint> points;
  for (const TopPoint& point :
       reduced(distribution_from_top(shown.performance_values(), shown.rows), most_points)) {
    points.push_back({point, {}});
    // Of a complete space the share is known.
    if (shown.stands_for_space() && !shown.source->complete()) {
      const ConfidenceInterval interval = wilson_interval_95(point.count, all);
      points.back().interval = {interval.low, interval.high};
    }
  }
  return points;
}

}  // namespace

/** What the job of a distribution page brings home. */
struct DistributionOutcome {
  Shown shown;
  Histogram histogram;
  std::vector<std::int64_t> highlighted;
  std::vector<CumulativePoint> points;
  QString messages;  ///< the most frequent ones where no trial is valid
};

DistributionPage::DistributionPage(Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Distribution"), parent),
      histogram_(new DistributionChart(this)),
      cumulative_(new CumulativeChart(this)) {
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, histogram_));
  splitter->addWidget(make_panel({}, cumulative_));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(histogram_, &DistributionChart::logarithmic_requested, this, [this](bool logarithmic) {
    logarithmic_ = logarithmic;
    refresh();
  });
  connect(histogram_, &DistributionChart::range_activated, this, &DistributionPage::pick_range);
  connect(histogram_, &XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(RowSet::of(this->shown()->source->trials.size(), list), {});
  });
  connect(cumulative_, &CumulativeChart::within_activated, this, &DistributionPage::pick_within);
}

void DistributionPage::compute() {
  const QString origin = shown()->origin_text();
  histogram_->set_title(tr("Distribution of %1").arg(shown()->quantity()), origin);
  cumulative_->set_title(tr("Share within x % of the best"), origin);
  jobs().start(
      [shown = shown(), selection = workspace().selection(), logarithmic = logarithmic_,
       database = workspace().database()](const JobControl& control) {
        DistributionOutcome outcome{shown, {}, {}, {}, {}};
        if (shown->valid == 0) {
          if (const auto messages = frequent_messages(database, *shown, messages_in_a_notice, control))
            outcome.messages = most_frequent_text(*messages, messages_in_a_notice);
          return outcome;
        }
        if (!control.proceed()) return outcome;
        outcome.histogram =
            histogram(shown->performance_values(), shown->rows, bin_count(shown->valid), logarithmic);
        if (!control.proceed()) return outcome;
        outcome.highlighted = counts_in(outcome.histogram, *shown, selection);
        if (!control.proceed()) return outcome;
        outcome.points = points_of(*shown);
        return outcome;
      },
      [this](const DistributionOutcome& outcome) { show_outcome(outcome); });
}

void DistributionPage::show_outcome(const DistributionOutcome& outcome) {
  const QString notice =
      outcome.shown->valid > 0 ? QString() : outcome.shown->no_performance_text(outcome.messages);
  histogram_->set_notice(notice);
  cumulative_->set_notice(notice);
  if (!notice.isEmpty()) return;
  const Shown& shown = outcome.shown;
  const auto rows_between = [shown](double low, double high, bool closed) {
    std::vector<qint64> rows;
    for (const std::int64_t row : shown->rows) {
      const double value = shown->performance[static_cast<std::size_t>(row)];
      if (value >= low && (value < high || (closed && value == high))) rows.push_back(row);
    }
    return rows;
  };
  histogram_->set_data({shown->quantity(), shown->unit(), outcome.histogram, outcome.highlighted, shown->best,
                        logarithmic_, rows_between});
  cumulative_->set_data({outcome.points, std::ssize(shown->rows),
                         shown->source->represents_space() ? tr("configurations") : tr("trials")});
  show_current();
}

void DistributionPage::show_current() {
  const auto value = current_value(shown()->performance_column);
  histogram_->set_current(value);
  cumulative_->set_current(
      value && shown()->best > 0 ? std::optional(std::max(0.0, shown()->below_best(*value))) : std::nullopt);
}

void DistributionPage::pick_range(double low, double high, bool closed) {
  if (!shown()) return;
  const PerformanceColumn performance = shown()->performance_values();
  const Column& column = shown()->column(shown()->performance_column);
  const std::string filter =
      filter_range(column, low, high, closed ? RangeEnd::Included : RangeEnd::Excluded);
  pick(
      [&](std::int64_t row) {
        const double value = performance.at(row);
        return value >= low && (value < high || (closed && value == high));
      },
      {QString::fromStdString(filter)});
}

void DistributionPage::pick_within(double below_best) {
  if (!shown() || shown()->valid == 0) return;
  const double limit = shown()->higher_is_better ? shown()->best * (1 - below_best)
                                                 : shown()->best / std::max(1e-12, 1 - below_best);
  const auto [low, high] = std::minmax(limit, shown()->best);
  pick_range(low, high, true);
}

}  // namespace kernelscape
