#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "ui/charts/bars/stacked_bar_chart.h"
#include "ui/charts/curves/compare_curve_chart.h"
#include "ui/charts/row.h"
#include "ui/charts/small_multiples.h"
#include "ui/style/theme.h"
#include "ui/views/compare/analysed_spaces_page.h"
#include "ui/views/compare/arm_legend.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/compared_runs_page.h"
#include "ui/views/compare/comparison_table_panel.h"
#include "ui/views/compare/over_tasks_page.h"
#include "ui/views/compare/study_dialog.h"
#include "ui/views/compare/verdict_panel.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/themed_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 1;
/// Initial heights on the page of curves, in pixels at text scale 1.
constexpr int verdicts_height = 96;
constexpr int curves_height = 300;
constexpr int table_height = 200;
constexpr int min_state_characters = 24;

QComboBox* make_box(const QString& name, int characters) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(characters);
  return box;
}

void add_labelled(QLayout* line, const QString& text, QComboBox* box) {
  auto* label = new QLabel(text);
  label->setBuddy(box);
  line->addWidget(label);
  line->addWidget(box);
}

}  // namespace

CompareView::CompareView(ViewContext context)
    : View(context, tr("Compare"), QStringLiteral("compare"), layout_version) {
  legend_ = new ArmLegend;
  tasks_ = new charts::SmallMultiples;
  runs_ = new ComparedRunsPage;
  pages_ = new QTabWidget;
  pages_->setAccessibleName(tr("Pages of Compare"));
  pages_->tabBar()->setAccessibleName(tr("Pages of Compare"));
  pages_->setDocumentMode(true);
  pages_->addTab(make_curves_page(), tr("Curves"));
  over_tasks_ = new OverTasksPage;
  pages_->addTab(over_tasks_, tr("Over tasks"));
  pages_->addTab(make_costs_page(), tr("Time and errors"));
  pages_->addTab(tasks_, tr("Tasks"));
  pages_->addTab(runs_, tr("Runs"));
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedWidget;
  stack_->addWidget(pages_);
  stack_->addWidget(empty_);
  spaces_ = new AnalysedSpacesPage(workspace());
  stack_->addWidget(spaces_);
  auto* body = new QWidget;
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(make_source_bar());
  choice_bar_ = make_choice_bar();
  choices_button_ = new QPushButton(tr("Options"));
  choices_button_->setCheckable(true);
  choices_button_->setAccessibleName(tr("Options of the comparison"));
  choices_button_->setToolTip(
      tr("Shows or hides what is compared: baseline, axis, tasks, measure, highlighted tuner"));
  connect(choices_button_, &QPushButton::toggled, this, &CompareView::show_state);
  auto* legend_line = new QHBoxLayout;
  legend_line->setSpacing(style::grid_pixels);
  legend_line->addWidget(legend_, 1);
  legend_line->addWidget(choices_button_, 0, Qt::AlignTop);
  layout->addLayout(legend_line);
  layout->addWidget(choice_bar_);
  layout->addWidget(stack_, 1);
  set_content(body);
  make_actions();
  connect_charts();
  connect_workspace();
  remember_default_layout();
  show_state();
}

QWidget* CompareView::make_source_bar() {
  source_box_ = make_box(tr("Study"), 32);
  source_box_->setPlaceholderText(tr("No study yet"));
  state_label_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  state_label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  // In a narrow window it stands below the buttons.
  state_label_->setMinimumWidth(min_state_characters * state_label_->fontMetrics().averageCharWidth());
  auto* new_button = new QPushButton(tr("New study..."));
  bundled_button_ = new QPushButton(tr("Run built-in study"));
  bundled_menu_ = new ShippedStudiesMenu(bundled_button_);
  bundled_button_->setMenu(bundled_menu_);
  run_button_ = new QPushButton;
  report_button_ = new QPushButton(tr("Report..."));
  auto* bar = new QWidget;
  auto* line = new widgets::FlowLayout(style::grid_pixels);
  bar->setLayout(line);
  add_labelled(line, tr("Study"), source_box_);
  for (QPushButton* button : {run_button_, new_button, bundled_button_, report_button_})
    line->addWidget(button);
  line->addWidget(state_label_);
  connect(source_box_, &QComboBox::activated, this, [this](int index) {
    const qlonglong id = source_box_->itemData(index).toLongLong();
    if (id >= 0) open_study(id);
  });
  connect(new_button, &QPushButton::clicked, this, &CompareView::new_study);
  connect(bundled_menu_, &ShippedStudiesMenu::replay_chosen, this, [this](const std::filesystem::path& file) {
    awaited_ = workspace().study_runner().start_file(file);
    emit notified(tr("Looking up the study ..."));
  });
  connect(bundled_menu_, &ShippedStudiesMenu::measuring_chosen, this, [this](const study::Definition& study) {
    new_study();
    dialog_->set_study(study);
  });
  connect(run_button_, &QPushButton::clicked, this, &CompareView::stop_or_resume);
  connect(report_button_, &QPushButton::clicked, this, &CompareView::export_current);
  return bar;
}

QWidget* CompareView::make_choice_bar() {
  baseline_box_ = make_box(tr("Baseline for speed-ups and tests"), 10);
  axis_box_ = make_box(tr("Horizontal axis of the curves"), 8);
  axis_box_->addItems({tr("wall time"), tr("trials")});
  performance_box_ = make_box(tr("Value of the curves"), 12);
  task_box_ = make_box(tr("Shown tasks"), 14);
  measure_box_ = make_box(tr("Measure that tuners are compared by"), 14);
  for (const analysis::ComparedMeasure& measure : analysis::compared_measures()) {
    measure_box_->addItem(models::measure_text(measure));
    if (measure == choice_.measure) measure_box_->setCurrentIndex(measure_box_->count() - 1);
  }
  highlight_box_ = make_box(tr("Highlighted tuner"), 10);
  auto* bar = new QWidget;
  auto* lines = new widgets::FlowLayout(style::grid_pixels);
  lines->setContentsMargins(0, 0, 0, 0);
  bar->setLayout(lines);
  const auto add_choice = [&](const QString& text, QComboBox* box) {
    auto* choice = new QWidget;
    auto* line = new QHBoxLayout(choice);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(style::grid_pixels);
    add_labelled(line, text, box);
    line->addStretch(1);
    lines->addWidget(choice);
  };
  add_choice(tr("Baseline"), baseline_box_);
  add_choice(tr("over"), axis_box_);
  add_choice(tr("show"), performance_box_);
  add_choice(tr("of"), task_box_);
  add_choice(tr("compare by"), measure_box_);
  add_choice(tr("Highlight"), highlight_box_);
  for (QComboBox* box : {baseline_box_, axis_box_, performance_box_, task_box_, measure_box_})
    connect(box, &QComboBox::activated, this, &CompareView::take_choices);
  connect(highlight_box_, &QComboBox::activated, this, [this] {
    const int arm = highlight_box_->currentData().toInt();
    show_highlight(arm < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(arm)));
  });
  return bar;
}

QWidget* CompareView::make_curves_page() {
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

QWidget* CompareView::make_costs_page() {
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

/** Hides the other panels of the panel's splitter, or shows them again. */
void CompareView::toggle_maximised(QWidget* panel) {
  auto* splitter = qobject_cast<QSplitter*>(panel->parentWidget());
  if (splitter == nullptr) return;
  QList<QWidget*> others;
  for (int i = 0; i < splitter->count(); ++i)
    if (splitter->widget(i) != panel) others.append(splitter->widget(i));
  const bool maximised = std::ranges::all_of(others, &QWidget::isHidden);
  for (QWidget* other : others) other->setVisible(maximised);
}

void CompareView::make_actions() {
  actions().add({.id = QStringLiteral("compare.new_study"),
                 .text = tr("New study..."),
                 .menu = QStringLiteral("Run"),
                 .icon = QStringLiteral("compare"),
                 .help = tr("Runs tuners on tasks, repeatedly with different seeds")},
                [this] {
                  emit view_requested(name());
                  new_study();
                });
  actions().add({.id = QStringLiteral("compare.stop_or_resume"),
                 .text = tr("Stop or resume the study"),
                 .menu = QStringLiteral("Run"),
                 .help = tr("The missing runs of a stopped study can be run later")},
                [this] { stop_or_resume(); });
}

void CompareView::connect_workspace() {
  workspace::Workspace& space = workspace();
  connect(&space, &workspace::Workspace::comparison_requested, this, &CompareView::set_source);
  connect(&space.study_watch(), &workspace::StudyWatch::studies_changed, this, &CompareView::show_studies);
  connect(&space.study_watch(), &workspace::StudyWatch::snapshot_changed, this, &CompareView::show_snapshot);
  connect(&space.study_watch(), &workspace::StudyWatch::failed, this, [this](const QString& message) {
    failure_ = message;
    show_state();
  });
  workspace::StudyRunner& runner = space.study_runner();
  connect(&runner, &workspace::StudyRunner::changed, this, &CompareView::show_state);
  connect(&runner, &workspace::StudyRunner::created, this, [this](qint64 request, qint64 study) {
    if (request == awaited_) open_study(study);
  });
  connect(&runner, &workspace::StudyRunner::refused, this, [this](qint64 request, const QString& message) {
    if (request == awaited_) workspace().notices().warn(tr("The study can't be run."), message);
  });
  connect(&runner, &workspace::StudyRunner::ended, this, [this](qint64, const QString& error) {
    if (!error.isEmpty()) workspace().notices().warn(tr("The study ended early."), error);
    show_state();
  });
}

void CompareView::connect_charts() {
  const auto highlight = [this](qint64 arm) {
    const auto clicked = static_cast<std::size_t>(arm);
    show_highlight(highlighted_ == clicked ? std::nullopt : std::optional(clicked));
  };
  for (charts::CompareCurveChart* chart : curves_) {
    connect(chart, &charts::CompareCurveChart::arm_activated, this, highlight);
    connect(chart, &charts::CompareCurveChart::x_logarithmic_changed, this, [this](bool on) {
      scale_chosen_ = true;
      set_logarithmic(on);
    });
    connect(chart, &charts::Chart::notified, this, &View::notified);
  }
  for (charts::StackedBarChart* chart : costs_) {
    connect(chart, &charts::StackedBarChart::arm_activated, this, highlight);
    connect(chart, &charts::Chart::maximise_requested, this, [this, chart] { toggle_maximised(chart); });
    connect(chart, &charts::Chart::notified, this, &View::notified);
  }
  for (charts::Chart* chart : over_tasks_->charts()) {
    connect(chart, &charts::Chart::maximise_requested, this, [this, chart] { toggle_maximised(chart); });
    connect(chart, &charts::Chart::notified, this, &View::notified);
  }
  connect(over_tasks_, &OverTasksPage::arm_activated, this, highlight);
  connect(tasks_, &charts::SmallMultiples::arm_activated, this, highlight);
  connect(tasks_, &charts::SmallMultiples::notified, this, &View::notified);
  connect(tasks_, &charts::SmallMultiples::task_activated, this, [this](qint64 task) {
    task_box_->setCurrentIndex(std::max(0, task_box_->findData(static_cast<int>(task))));
    take_choices();
    pages_->setCurrentIndex(0);
  });
  connect(legend_, &ArmLegend::hidden_changed, this, &CompareView::show_hidden);
  connect(runs_, &ComparedRunsPage::hidden_changed, this, [this] {
    compute();
    show_state();
  });
  connect(runs_, &ComparedRunsPage::run_opened, this, [this](qint64 session, const QString& view) {
    workspace().open_session(session);
    emit view_requested(view);
  });
  connect(empty_, &widgets::EmptyState::action_triggered, this, &CompareView::act_on_empty);
  connect(spaces_, &AnalysedSpacesPage::notified, this, &View::notified);
  connect(spaces_, &AnalysedSpacesPage::explore_requested, this, [this](qint64 session) {
    workspace().open_session(session);
    emit view_requested(QStringLiteral("Explore"));
  });
}

void CompareView::new_study() {
  if (dialog_ == nullptr) {
    dialog_ = new StudyDialog(workspace(), this);
    connect(dialog_, &StudyDialog::created, this, [this](qint64 study) { open_study(study); });
  }
  dialog_->show();
  dialog_->raise();
  dialog_->activateWindow();
}

}  // namespace kernelscape::views
