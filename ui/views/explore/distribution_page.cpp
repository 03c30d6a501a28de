#include "ui/views/explore/distribution_page.h"

#include <QBoxLayout>
#include <QSplitter>
#include <algorithm>

#include "ui/figures/distribution_figures.h"
#include "ui/figures/frequent_messages.h"

namespace kernelscape::views {
DistributionPage::DistributionPage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Distribution"), parent),
      histogram_(new charts::DistributionChart(this)),
      cumulative_(new charts::CumulativeChart(this)) {
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(make_panel({}, histogram_));
  splitter->addWidget(make_panel({}, cumulative_));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(histogram_, &charts::DistributionChart::logarithmic_requested, this, [this](bool logarithmic) {
    logarithmic_ = logarithmic;
    refresh();
  });
  connect(histogram_, &charts::DistributionChart::range_activated, this, &DistributionPage::pick_range);
  connect(histogram_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
  connect(cumulative_, &charts::CumulativeChart::within_activated, this, &DistributionPage::pick_within);
}

/** Returns true if a kernel was timed. */
bool DistributionPage::has_content(const figures::ShownTrials& shown) { return shown.valid > 0; }

void DistributionPage::compute() {
  jobs().start(
      [shown = shown(), selection = workspace().selection(), logarithmic = logarithmic_,
       database = workspace().database()](const workspace::JobControl& control) {
        const QString notice = figures::no_performance_notice(database, *shown, control);
        return std::pair(figures::distribution_figure(shown, selection, logarithmic, notice),
                         figures::cumulative_figure(*shown, notice));
      },
      [this](const auto& figures) {
        figures.first.show_in(*histogram_);
        figures.second.show_in(*cumulative_);
        show_current();
      });
}

void DistributionPage::show_current() {
  const auto value = current_value(shown()->performance_column);
  histogram_->set_current(value);
  cumulative_->set_current(
      value && shown()->best > 0 ? std::optional(std::max(0.0, shown()->below_best(*value))) : std::nullopt);
}

void DistributionPage::pick_range(double low, double high, bool closed) {
  if (shown()) pick_ranges({{shown()->performance_column, low, high, closed}});
}

void DistributionPage::pick_within(double below_best) {
  if (!shown() || shown()->valid == 0) return;
  const double limit = shown()->higher_is_better ? shown()->best * (1 - below_best)
                                                 : shown()->best / std::max(1e-12, 1 - below_best);
  const auto [low, high] = std::minmax(limit, shown()->best);
  pick_range(low, high, true);
}

}  // namespace kernelscape::views
