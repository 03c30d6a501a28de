#include "ui/views/explore/explore_view.h"

#include <QBoxLayout>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>

#include "core/analysis/filter/filter.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/explore/constraints_page.h"
#include "ui/views/explore/distribution_page.h"
#include "ui/views/explore/errors_page.h"
#include "ui/views/explore/knobs_page.h"
#include "ui/views/explore/neighbourhood_page.h"
#include "ui/views/explore/parallel_page.h"
#include "ui/views/explore/pareto_page.h"
#include "ui/views/explore/predictions_page.h"
#include "ui/views/explore/roofline_page.h"
#include "ui/views/explore/session_box.h"
#include "ui/views/explore/slices_page.h"
#include "ui/views/explore/timeline_page.h"
#include "ui/views/explore/topology_page.h"
#include "ui/views/explore/variables_page.h"
#include "ui/views/trials/filter_bar.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_table_panel.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr int layout_version = 2;
/** A filter chip that lists more trials one by one would be unreadable. */
constexpr std::int64_t max_listed_trials = 10'000;

}  // namespace

ExploreView::ExploreView(ViewContext context)
    : View(context, tr("Explore"), QStringLiteral("explore"), layout_version), watch_(context.workspace) {
  tabs_ = new QTabBar;
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("Pages of Explore"));
  stack_ = new QStackedWidget;
  auto* body = new QWidget;
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(style::grid_pixels, style::grid_pixels, style::grid_pixels, style::grid_pixels);
  layout->setSpacing(style::grid_pixels);
  layout->addWidget(make_bar());
  layout->addWidget(tabs_);
  state_ = new QStackedWidget;
  state_->addWidget(stack_);
  state_->addWidget(make_empty_state());
  layout->addWidget(state_, 1);
  set_content(body);
  workspace::Workspace& space = workspace();
  add_page(new ErrorsPage(space), QStringLiteral("explore.errors"));
  add_page(new DistributionPage(space), QStringLiteral("explore.distribution"));
  add_page(new KnobsPage(space), QStringLiteral("explore.knobs"));
  add_page(new ParallelPage(space), QStringLiteral("explore.parallel"));
  add_page(new NeighbourhoodPage(space, walk_rate_), QStringLiteral("explore.neighbourhood"));
  add_page(new TopologyPage(space, walk_rate_), QStringLiteral("explore.topology"));
  add_page(new ConstraintsPage(space), QStringLiteral("explore.constraints"));
  add_page(new VariablesPage(space), QStringLiteral("explore.variables"));
  add_page(new PredictionsPage(space), QStringLiteral("explore.predictions"));
  roofline_ = new RooflinePage(space);
  add_page(roofline_, QStringLiteral("explore.roofline"));
  add_page(new TimelinePage(space), QStringLiteral("explore.timeline"));
  add_page(new SlicesPage(space), QStringLiteral("explore.slices"));
  add_page(new ParetoPage(space), QStringLiteral("explore.pareto"));
  add_actions();
  connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
    page_chosen_ = true;
    stack_->setCurrentIndex(index);
  });
  // A click on the page that is already shown also counts as the user's choice.
  connect(tabs_, &QTabBar::tabBarClicked, this, [this] { page_chosen_ = true; });
  connect(&watch_, &ShownWatch::changed, this, [this] {
    open_first_page();
    for (ExplorePage* page : pages_) page->set_shown(watch_.shown());
    show_source();
  });
  connect(&space, &workspace::Workspace::source_changed, this, &ExploreView::show_source);
  connect(&space, &workspace::Workspace::source_updated, this, &ExploreView::show_source);
  connect(&space, &workspace::Workspace::filters_changed, this, &ExploreView::show_state);
  connect(&space, &workspace::Workspace::selection_changed, this, [this] {
    show_selection();
    for (ExplorePage* page : pages_) page->follow_selection();
  });
  connect(&space, &workspace::Workspace::current_row_changed, this, [this] {
    for (ExplorePage* page : pages_) page->follow_current();
  });
  make_docks();
  remember_default_layout();
  show_source();
  show_selection();
}

QWidget* ExploreView::make_bar() {
  source_box_ = new SessionBox(workspace());
  coverage_ = new widgets::WrappedLabel(style::TextSize::Normal, &style::Colours::text);
  coverage_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  // A long text is wrapped and does not make the window wider.
  coverage_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  selected_ = new QLabel;
  filter_button_ = new QPushButton(tr("Filter to selection"));
  clear_button_ = new QPushButton(tr("Clear"));
  clear_button_->setAccessibleName(tr("Clear the selection"));
  trials_button_ = new QPushButton(tr("Trials"));
  trials_button_->setCheckable(true);
  trials_button_->setToolTip(tr("Shows the table of the selected trials, and the current trial"));
  auto* source_label = new QLabel(tr("Source"));
  source_label->setBuddy(source_box_);
  auto* first = new QHBoxLayout;
  first->setSpacing(style::grid_pixels);
  first->addWidget(source_label);
  first->addWidget(source_box_);
  first->addWidget(coverage_, 1);
  first->addWidget(selected_);
  first->addWidget(filter_button_);
  first->addWidget(clear_button_);
  first->addWidget(trials_button_);
  filter_bar_ = new FilterBar(workspace());
  auto* bar = new QWidget;
  auto* layout = new QVBoxLayout(bar);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(first);
  layout->addWidget(filter_bar_);
  connect(source_box_, &SessionBox::session_chosen, &workspace(), &workspace::Workspace::open_session);
  connect(filter_button_, &QPushButton::clicked, this, &ExploreView::filter_to_selection);
  connect(clear_button_, &QPushButton::clicked, this, [this] { take_rows(analysis::RowSet(), {}); });
  return bar;
}

/** Makes the docks of the trials, which are hidden at first. */
void ExploreView::make_docks() {
  const auto make_content = [] {
    auto* content = new QWidget;
    content->setMinimumSize(240, 140);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    return content;
  };
  trials_dock_ = add_dock(tr("Trials"), make_content(), Qt::BottomDockWidgetArea, {640, 260});
  trial_dock_ = add_dock(tr("Trial"), make_content(), Qt::BottomDockWidgetArea, {420, 260});
  for (QDockWidget* dock : {trials_dock_, trial_dock_}) {
    dock->hide();
    connect(dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
      if (visible) fill_docks();
    });
    connect(dock->toggleViewAction(), &QAction::toggled, this,
            [this] { trials_button_->setChecked(!trials_dock_->isHidden() || !trial_dock_->isHidden()); });
  }
  connect(trials_button_, &QPushButton::clicked, this, &ExploreView::show_docks);
}

/** Makes the table and the pane when they are first shown, since both follow the session from then on. */
void ExploreView::fill_docks() {
  if (table_ != nullptr) return;
  table_ = new TrialTablePanel(workspace());
  table_->show_selection();
  details_ = new TrialDetailPane(workspace());
  const auto fill = [](QDockWidget* dock, QWidget* widget) {
    // The dock holds a frame of its preferred size, which holds the content.
    dock->widget()->layout()->itemAt(0)->widget()->layout()->addWidget(widget);
  };
  fill(trials_dock_, table_);
  fill(trial_dock_, details_);
  connect(table_, &TrialTablePanel::notified, this, &View::notified);
  connect(details_, &TrialDetailPane::notified, this, &View::notified);
  connect(details_, &TrialDetailPane::height_wanted, this,
          [this](int more) { lend_height(*trial_dock_, more); });
  connect(details_, &TrialDetailPane::height_released, this, [this] { return_height(); });
}

void ExploreView::show_docks(bool shown) {
  for (QDockWidget* dock : {trials_dock_, trial_dock_}) dock->setVisible(shown);
  if (shown) show_dock(*trials_dock_);
}

QWidget* ExploreView::make_empty_state() {
  state_text_ = new QLabel;
  state_text_->setAlignment(Qt::AlignCenter);
  state_text_->setWordWrap(true);
  state_button_ = new QPushButton;
  auto* empty = new QWidget;
  auto* layout = new QVBoxLayout(empty);
  layout->addStretch(1);
  layout->addWidget(state_text_);
  layout->addSpacing(style::grid_pixels);
  layout->addWidget(state_button_, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  connect(state_button_, &QPushButton::clicked, this, [this] {
    if (workspace().source() && !workspace().active_filters().isEmpty()) {
      (void)workspace().set_filters({});
    } else {
      emit view_requested(QStringLiteral("Tune"));
    }
  });
  return empty;
}

void ExploreView::add_page(ExplorePage* page, const QString& action_id) {
  const int index = tabs_->addTab(page->accessibleName());
  tabs_->updateGeometry();  // a tab bar that was measured before it was visible would keep the height without
                            // tabs
  stack_->addWidget(page);
  pages_.append(page);
  connect(page, &ExplorePage::rows_picked, this, &ExploreView::take_rows);
  connect(page, &ExplorePage::notified, this, &View::notified);
  actions().add({.id = action_id,
                 .text = tr("Explore: %1").arg(page->accessibleName()),
                 .menu = QStringLiteral("View"),
                 .help = tr("Shows this page of Explore")},
                [this, index] {
                  show_page(index);
                  emit view_requested(name());
                });
}

void ExploreView::add_actions() {
  actions().add({.id = QStringLiteral("explore.filter_to_selection"),
                 .text = tr("Filter to selection"),
                 .menu = QStringLiteral("View"),
                 .icon = QStringLiteral("filter"),
                 .help = tr("Shows only the selected trials, with a filter chip that can be removed")},
                [this] { filter_to_selection(); });
  actions().add({.id = QStringLiteral("explore.clear_selection"),
                 .text = tr("Clear selection"),
                 .menu = QStringLiteral("View"),
                 .help = tr("Clears the selection")},
                [this] { take_rows(analysis::RowSet(), {}); });
  const auto on_roofline = [this](void (RooflinePage::*action)()) {
    show_page(static_cast<int>(pages_.indexOf(roofline_)));
    emit view_requested(name());
    (roofline_->*action)();
  };
  actions().add({.id = QStringLiteral("explore.measure_ceilings"),
                 .text = tr("Measure this machine's ceilings"),
                 .menu = QStringLiteral("View"),
                 .help = tr("Measures the FMA peak, the 8-bit peak, and the bandwidth of each cache and of "
                            "memory, for the page Roofline")},
                [on_roofline] { on_roofline(&RooflinePage::measure_ceilings_now); });
  actions().add({.id = QStringLiteral("explore.count_trial"),
                 .text = tr("Count this trial"),
                 .menu = QStringLiteral("View"),
                 .help = tr("Runs the current trial's kernel again with the processor's counters")},
                [on_roofline] { on_roofline(&RooflinePage::count_current_trial); });
}

void ExploreView::focus_filter() { filter_bar_->focus_entry(); }

void ExploreView::show_page(int index) {
  page_chosen_ = true;
  tabs_->setCurrentIndex(index);
}

/** Opens the first page with content, once per session: later measurements do not change the page. */
void ExploreView::open_first_page() {
  const figures::Shown& shown = watch_.shown();
  if (page_chosen_ || !shown || shown->rows.empty() || opened_for_ == shown->source->id()) return;
  opened_for_ = shown->source->id();
  const auto first =
      std::ranges::find_if(pages_, [&](ExplorePage* page) { return page->has_content(*shown); });
  const int index = first == pages_.end() ? 0 : static_cast<int>(first - pages_.begin());
  const QSignalBlocker not_by_the_user(tabs_);
  tabs_->setCurrentIndex(index);
  stack_->setCurrentIndex(index);
}

int ExploreView::page() const { return tabs_->currentIndex(); }

void ExploreView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  watch_.set_active(true);
}

void ExploreView::hideEvent(QHideEvent* event) {
  watch_.set_active(false);
  View::hideEvent(event);
}

void ExploreView::show_source() {
  const workspace::Source& source = workspace().source();
  // Says how many trials pass the filters, as the charts do and the filter bar.
  const figures::Shown& shown = watch_.shown();
  const bool counted = source && shown && shown->source->id() == source->id();
  const QString coverage = counted  ? shown->origin_text()
                           : source ? QString::fromStdString(source->coverage_text())
                                    : QString();
  coverage_->setText(coverage);
  coverage_->setToolTip(coverage);
  show_state();
}

void ExploreView::show_state() {
  const workspace::Source& source = workspace().source();
  QString text;
  QString button;
  if (!source) {
    text = workspace().opened() ? tr("Reading the session ...")
                                : tr("No session is open. Choose one above, or start a run.");
    if (!workspace().opened()) button = tr("Go to Tune");
  } else if (source->trials.size() == 0) {
    text = tr("No trial yet. The first one appears as soon as it is measured.");
  } else if (const auto& filtered = workspace().filtered(); filtered && filtered->none()) {
    text = tr("None of the %1 trials passes the filters. Remove one chip, or all of them.")
               .arg(style::format_count(source->trials.size()));
    button = tr("Remove all filters");
  } else if (!watch_.shown()) {
    text = tr("Counting ...");
  }
  state_text_->setText(text);
  state_button_->setText(button);
  state_button_->setVisible(!button.isEmpty());
  state_->setCurrentIndex(text.isEmpty() ? 0 : 1);
}

void ExploreView::show_selection() {
  const std::int64_t count = workspace().selection().count();
  selected_->setText(count == 0 ? QString() : tr("%1 selected").arg(style::format_count(count)));
  filter_button_->setEnabled(count > 0);
  clear_button_->setEnabled(count > 0);
}

void ExploreView::take_rows(const analysis::RowSet& rows, const QStringList& filters) {
  analysis::RowSet chosen = rows;
  QStringList expressions = filters;
  if (QGuiApplication::keyboardModifiers() & Qt::ControlModifier && !workspace().selection().none()) {
    analysis::RowSet before = workspace().selection();
    const std::int64_t size = std::max(before.size(), chosen.size());
    before.grow(size);
    chosen.grow(size);
    chosen |= before;
    expressions.clear();
  }
  picked_ = chosen;
  picked_filters_ = expressions;
  workspace().set_selection(std::move(chosen));
}

/** Filters by the values that a page named if the selection is still the same; else by the trial numbers. */
void ExploreView::filter_to_selection() {
  const workspace::Source& source = workspace().source();
  const analysis::RowSet& selection = workspace().selection();
  if (!source || selection.none()) return;
  QStringList expressions = selection == picked_ ? picked_filters_ : QStringList();
  if (expressions.isEmpty()) {
    if (selection.count() > max_listed_trials) {
      workspace().notices().warn(
          tr("A filter cannot list %1 trials one by one.").arg(style::format_count(selection.count())),
          tr("Select a bar, a box, a cell or a brush: these are filtered by their values."));
      return;
    }
    const std::size_t column = source->columns().find(trial::Measured::Trial).value();
    std::vector<double> numbers;
    selection.for_each([&](std::int64_t row) {
      if (row < source->trials.size()) numbers.push_back(static_cast<double>(source->trials.row(row).number));
    });
    expressions.append(
        QString::fromStdString(analysis::filter_one_of(source->columns().columns()[column], numbers)));
  }
  for (const QString& expression : expressions) {
    if (const auto added = workspace().add_filter(expression); !added)
      workspace().notices().warn(QString::fromStdString(added.error().message),
                                 QString::fromStdString(added.error().hint));
  }
}

}  // namespace kernelscape::views
