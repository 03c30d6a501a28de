#include "ui/views/compare/over_tasks_page.h"

#include <algorithm>
#include <type_traits>

#include "ui/charts/bars/mean_rank_chart.h"
#include "ui/charts/curves/profile_chart.h"
#include "ui/figures/registry.h"

namespace kernelscape::views {
namespace {

/** Calls `act` for every chart of tuners, of either kind. */
template <typename Act>
void with_tuner_charts(const std::vector<charts::Chart*>& charts, const Act& act) {
  for (charts::Chart* chart : charts) {
    if (auto* ranks = qobject_cast<charts::MeanRankChart*>(chart)) act(*ranks);
    if (auto* profiles = qobject_cast<charts::ProfileChart*>(chart)) act(*profiles);
  }
}

}  // namespace

OverTasksPage::OverTasksPage(QWidget* parent) : QSplitter(Qt::Vertical, parent) {
  setChildrenCollapsible(false);
  setAccessibleName(tr("Over tasks"));
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::CompareOverTasks)) {
    charts_.push_back(kind->make_chart().release());
    addWidget(charts_.back());
  }
  with_tuner_charts(charts_, [this](auto& chart) {
    using ChartType = std::remove_reference_t<decltype(chart)>;
    connect(&chart, &ChartType::arm_activated, this, &OverTasksPage::arm_activated);
  });
}

void OverTasksPage::show_figures(const std::vector<figures::Figure>& figures) {
  for (std::size_t chart = 0; chart < std::min(figures.size(), charts_.size()); ++chart)
    figures[chart].show_in(*charts_[chart]);
}

void OverTasksPage::set_hidden(const std::set<std::size_t>& arms) {
  with_tuner_charts(charts_, [&](auto& chart) { chart.set_hidden(arms); });
}

void OverTasksPage::set_highlighted(std::optional<std::size_t> arm) {
  with_tuner_charts(charts_, [&](auto& chart) { chart.set_highlighted(arm); });
}

}  // namespace kernelscape::views
