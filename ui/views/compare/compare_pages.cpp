#include "ui/views/compare/compare_pages.h"

#include <QSplitter>
#include <QTabBar>
#include <algorithm>

#include "ui/charts/bars/stacked_bar_chart.h"
#include "ui/charts/curves/compare_curve_chart.h"
#include "ui/charts/row.h"
#include "ui/charts/small_multiples.h"
#include "ui/style/theme.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/views/compare/comparison_table_panel.h"
#include "ui/views/compare/over_tasks_page.h"
#include "ui/views/compare/verdict_panel.h"

namespace kernelscape::views {
namespace {

/// Initial heights on the page of curves, in pixels at text scale 1.
constexpr int verdicts_height = 96;
constexpr int curves_height = 300;
constexpr int table_height = 200;

/** Hides the other panels of the panel's splitter, or shows them again. */
void toggle_maximised(QWidget* panel) {
  auto* splitter = qobject_cast<QSplitter*>(panel->parentWidget());
  if (splitter == nullptr) return;
  QList<QWidget*> others;
  for (int i = 0; i < splitter->count(); ++i)
    if (splitter->widget(i) != panel) others.append(splitter->widget(i));
  const bool maximised = std::ranges::all_of(others, &QWidget::isHidden);
  for (QWidget* other : others) other->setVisible(maximised);
}

}  // namespace

ComparePages::ComparePages(QWidget* parent)
    : QTabWidget(parent), tasks_(new charts::SmallMultiples), runs_(new ComparedRunsPage) {
  setAccessibleName(tr("Pages of Compare"));
  tabBar()->setAccessibleName(tr("Pages of Compare"));
  setDocumentMode(true);
  addTab(make_curves_page(), tr("Curves"));
  over_tasks_ = new OverTasksPage;
  addTab(over_tasks_, tr("Over tasks"));
  addTab(make_costs_page(), tr("Time and errors"));
  addTab(tasks_, tr("Tasks"));
  addTab(runs_, tr("Runs"));
  connect_curves();
  for (charts::StackedBarChart* chart : costs_) {
    connect(chart, &charts::StackedBarChart::arm_activated, this, &ComparePages::arm_activated);
    connect_panel(chart);
  }
  for (charts::Chart* chart : over_tasks_->charts()) connect_panel(chart);
  connect(over_tasks_, &OverTasksPage::arm_activated, this, &ComparePages::arm_activated);
  connect_tasks();
}

QWidget* ComparePages::make_curves_page() {
  table_ = new ComparisonTablePanel;
  curve_row_ = new charts::Row(tr("Charts of the curves"));
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::CompareCurves)) {
    curves_.push_back(static_cast<charts::CompareCurveChart*>(kind->make_chart().release()));
    curve_row_->add_chart(curves_.back());
  }
  auto* page = new QSplitter(Qt::Vertical);
  verdicts_ = new VerdictPanel;
  page->addWidget(verdicts_);
  page->addWidget(curve_row_);
  page->addWidget(table_);
  page->setCollapsible(1, false);
  page->setStretchFactor(0, 0);
  page->setStretchFactor(1, 3);
  page->setStretchFactor(2, 2);
  QList<int> heights;
  for (const int height : {verdicts_height, curves_height, table_height})
    heights.append(qRound(height * style::text_scale()));
  page->setSizes(heights);
  page->setAccessibleName(tr("Curves"));
  return page;
}

QWidget* ComparePages::make_costs_page() {
  auto* outcomes = new QSplitter(Qt::Horizontal);
  outcomes->setChildrenCollapsible(false);
  auto* page = new QSplitter(Qt::Vertical);
  page->setChildrenCollapsible(false);
  page->addWidget(outcomes);
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::CompareCosts)) {
    costs_.push_back(static_cast<charts::StackedBarChart*>(kind->make_chart().release()));
    // The first chart has the width of the page.
    if (costs_.size() == 1) {
      page->insertWidget(0, costs_.back());
    } else {
      outcomes->addWidget(costs_.back());
    }
  }
  page->setAccessibleName(tr("Time and errors"));
  return page;
}

void ComparePages::connect_curves() {
  for (charts::CompareCurveChart* chart : curves_) {
    connect(chart, &charts::CompareCurveChart::arm_activated, this, &ComparePages::arm_activated);
    connect(chart, &charts::CompareCurveChart::x_logarithmic_changed, this,
            &ComparePages::x_logarithmic_chosen);
    connect(chart, &charts::Chart::notified, this, &ComparePages::notified);
  }
}

/** Connects a chart that is a panel of a splitter. */
void ComparePages::connect_panel(charts::Chart* chart) {
  connect(chart, &charts::Chart::maximise_requested, this, [chart] { toggle_maximised(chart); });
  connect(chart, &charts::Chart::notified, this, &ComparePages::notified);
}

void ComparePages::connect_tasks() {
  connect(tasks_, &charts::SmallMultiples::arm_activated, this, &ComparePages::arm_activated);
  connect(tasks_, &charts::SmallMultiples::notified, this, &ComparePages::notified);
  connect(tasks_, &charts::SmallMultiples::task_activated, this, &ComparePages::task_activated);
}

void ComparePages::show_figures(const ComparisonNumbers& numbers) {
  for (std::size_t chart = 0; chart < curves_.size(); ++chart) {
    if (numbers.curves[chart]) {
      numbers.curves[chart]->show_in(*curves_[chart]);
      curve_row_->show_chart(curves_[chart], curves_[chart]->title());
    } else {
      curve_row_->hide_chart(curves_[chart]);
    }
  }
  for (std::size_t chart = 0; chart < costs_.size(); ++chart) numbers.costs[chart].show_in(*costs_[chart]);
  over_tasks_->show_figures(numbers.over_tasks);
  tasks_->set_count(numbers.tasks.size());
  for (std::size_t task = 0; task < numbers.tasks.size(); ++task)
    numbers.tasks[task].show_in(*tasks_->charts()[task]);
}

void ComparePages::show_rows(models::JudgedRows rows, const std::vector<std::string>& hindrances) {
  verdicts_->set_lines(models::verdict_lines(rows, hindrances));
  table_->rows().set_rows(std::move(rows));
}

void ComparePages::set_hidden(const std::set<std::size_t>& arms) {
  for (charts::CompareCurveChart* chart : curves_) chart->set_hidden(arms);
  for (charts::StackedBarChart* chart : costs_) chart->set_hidden(arms);
  tasks_->set_hidden(arms);
  over_tasks_->set_hidden(arms);
}

void ComparePages::set_highlighted(std::optional<std::size_t> arm) {
  for (charts::CompareCurveChart* chart : curves_) chart->set_highlighted(arm);
  tasks_->set_highlighted(arm);
  over_tasks_->set_highlighted(arm);
}

void ComparePages::set_x_logarithmic(bool logarithmic) {
  for (charts::CompareCurveChart* chart : curves_) chart->set_x_logarithmic(logarithmic);
  tasks_->set_x_logarithmic(logarithmic);
}

void ComparePages::show_curves() { setCurrentIndex(0); }

void ComparePages::search_runs() {
  setCurrentWidget(runs_);
  runs_->focus_search();
}

}  // namespace kernelscape::views
