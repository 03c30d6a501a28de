#include "ui/views/tune/live_charts.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QShowEvent>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/analysis/filter/filter.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/curves/progress_chart.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/progress_figure.h"
#include "ui/figures/registry.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/views/tune/series_panel.h"

namespace kernelscape::views {
namespace {

constexpr int min_progress_width = 300;
constexpr int min_progress_height = 220;
constexpr int min_series_width = 260;
constexpr int lane_height = 12;
constexpr int machine_strip_pixels = 34;
constexpr int error_row_height = 15;
constexpr int saved_row_height = 18;

QToolButton* make_toggle(QWidget* parent, const QString& text, const QString& name) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  button->setToolTip(name);
  return button;
}

/** Returns a size that is scaled with the text size. */
QSize scaled_size(int width, int height) {
  return QSizeF(width * style::text_scale(), height * style::text_scale()).toSize();
}

QSize min_chart_size(const charts::Chart& chart) {
  return qobject_cast<const charts::ErrorChart*>(&chart) != nullptr ? scaled_size(220, 76)
                                                                    : scaled_size(200, 120);
}

/** Returns the text of a chart's tab. */
QString short_name(const charts::Chart& chart) {
  if (qobject_cast<const charts::ErrorChart*>(&chart) != nullptr) return LiveCharts::tr("Errors");
  if (qobject_cast<const charts::TimeChart*>(&chart) != nullptr) return LiveCharts::tr("Time");
  return chart.title();
}

/**
 * Returns the height of a chart's rows: every category that occurs takes a row of the error chart, and saved
 * time takes a row of the time chart.
 */
int rows_height(const charts::Chart& chart, const workspace::SourceData& source) {
  int height = 0;
  if (qobject_cast<const charts::ErrorChart*>(&chart) != nullptr) {
    height = error_row_height * figures::failed_categories(source.errors);
  } else if (qobject_cast<const charts::TimeChart*>(&chart) != nullptr && source.saved.samples > 0) {
    height = saved_row_height;
  }
  return scaled_size(0, height).height();
}

/**
 * Returns the text shown in place of a chart while no session is open; empty: the chart is hidden until it
 * has content.
 */
QString placeholder_of(const charts::Chart& chart) {
  if (qobject_cast<const charts::ErrorChart*>(&chart) != nullptr)
    return LiveCharts::tr("Errors and their cost are shown here");
  if (qobject_cast<const charts::TimeChart*>(&chart) != nullptr)
    return LiveCharts::tr("The time breakdown is shown here");
  return {};
}

}  // namespace

LiveCharts::LiveCharts(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      below_(make_charts()),
      rows_(new QSplitter(Qt::Vertical, this)),
      lower_(new QSplitter(Qt::Horizontal, this)),
      upper_(new QSplitter(Qt::Horizontal, this)),
      progress_box_(new QWidget(this)),
      series_(new SeriesPanel(this)),
      tabs_(new QTabBar(this)) {
  make_axis_buttons();
  lay_out();
  connect_charts();
  connect(&workspace_, &workspace::Workspace::source_changed, this, &LiveCharts::show_source);
  connect(&workspace_, &workspace::Workspace::source_updated, this, &LiveCharts::show_source);
  connect(&workspace_, &workspace::Workspace::filters_changed, this, &LiveCharts::show_source);
  connect(&workspace_, &workspace::Workspace::pinned_changed, this, &LiveCharts::show_source);
  connect(&workspace_, &workspace::Workspace::current_row_changed, this, &LiveCharts::mark_current_row);
  connect(&workspace_, &workspace::Workspace::selection_changed, this, &LiveCharts::mark_selection);
  show_source();
}

charts::ErrorChart& LiveCharts::errors() { return *lower_->findChild<charts::ErrorChart*>(); }

charts::TimeChart& LiveCharts::time() { return *lower_->findChild<charts::TimeChart*>(); }

/**
 * Makes the charts. The progress chart is above, with its own buttons; all others are below it, in the order
 * of the registry.
 */
std::vector<LiveCharts::Below> LiveCharts::make_charts() {
  std::vector<Below> below;
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::Tune)) {
    charts::Chart* chart = kind->make_chart().release();
    chart->setParent(this);
    if (auto* progress = qobject_cast<charts::ProgressChart*>(chart)) {
      progress_ = progress;
    } else {
      below.push_back({kind, chart, placeholder_of(*chart).isEmpty()});
    }
  }
  return below;
}

void LiveCharts::lay_out() {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  upper_->addWidget(progress_box_);
  upper_->addWidget(series_);
  upper_->setStretchFactor(0, 3);
  upper_->setStretchFactor(1, 2);
  make_tabs();
  outer->setSpacing(0);
  outer->addWidget(tabs_);
  for (const Below& below : below_) {
    lower_->addWidget(below.chart);
    below.chart->setMinimumSize(min_chart_size(*below.chart));
  }
  rows_->addWidget(upper_);
  rows_->addWidget(lower_);
  rows_->setStretchFactor(0, 3);
  rows_->setStretchFactor(1, 1);
  rows_->setSizes({360, 140});
  for (QSplitter* splitter : {rows_, lower_, upper_}) splitter->setChildrenCollapsible(false);
  outer->addWidget(rows_, 1);
  fit_charts({}, false);
  arrange();
}

void LiveCharts::make_tabs() {
  places_ = {progress_box_, series_};
  tabs_->addTab(tr("Progress"));
  tabs_->addTab(tr("Model"));
  for (const Below& below : below_) {
    places_.push_back(below.chart);
    tabs_->addTab(short_name(*below.chart));
  }
  tabs_->setAccessibleName(tr("Charts of the session"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  connect(tabs_, &QTabBar::currentChanged, this, &LiveCharts::arrange);
}

void LiveCharts::set_compact(bool compact) {
  if (compact == compact_) return;
  compact_ = compact;
  arrange();
  updateGeometry();
}

QSize LiveCharts::min_size_of(const QWidget& place) const {
  return place.layout() != nullptr ? place.layout()->totalMinimumSize() : place.minimumSize();
}

QSize LiveCharts::needed_size() const {
  QSize upper(0, 0);
  QSize lower(0, 0);
  for (const QWidget* place : places_) {
    if (shows_nothing(place)) continue;
    QSize& row = place == progress_box_ || place == series_ ? upper : lower;
    const QSize least = min_size_of(*place);
    row = {row.width() + (row.width() > 0 ? rows_->handleWidth() : 0) + least.width(),
           std::max(row.height(), least.height())};
  }
  return {std::max(upper.width(), lower.width()), upper.height() + rows_->handleWidth() + lower.height()};
}

QSize LiveCharts::minimumSizeHint() const {
  if (!compact_) return needed_size();
  QSize largest;
  for (const QWidget* place : places_)
    if (!shows_nothing(place)) largest = largest.expandedTo(min_size_of(*place));
  return largest + QSize(0, tabs_->sizeHint().height());
}

void LiveCharts::connect_charts() {
  std::vector<std::pair<charts::Chart*, QWidget*>> places{{progress_, progress_box_}};
  for (const Below& below : below_) places.emplace_back(below.chart, below.chart);
  for (charts::Chart* chart : series_->charts()) places.emplace_back(chart, series_);
  for (const auto& [chart, place] : places) {
    connect(chart, &charts::Chart::maximise_requested, this, [this, place] { toggle_maximised(place); });
    connect(chart, &charts::Chart::notified, this, &LiveCharts::notified);
    connect(chart, &charts::Chart::row_activated, this,
            [this](qint64 row) { workspace_.set_current_row(row); });
    if (auto* with_rows = qobject_cast<charts::XyChart*>(chart))
      connect(with_rows, &charts::XyChart::rows_selected, this, &LiveCharts::select_rows);
  }
  for (charts::XyChart* chart : std::initializer_list<charts::XyChart*>{progress_, &series_->chart()}) {
    connect(follow_, &QToolButton::toggled, chart, &charts::XyChart::set_follow);
    connect(chart, &charts::XyChart::follow_changed, follow_, &QToolButton::setChecked);
  }
  for (const Below& below : below_)
    if (auto* errors = qobject_cast<charts::ErrorChart*>(below.chart))
      connect(errors, &charts::ErrorChart::category_activated, this, &LiveCharts::filter_to);
}

void LiveCharts::filter_to(trial::ErrorCategory category) {
  const auto name = trial::to_string(category);
  if (!workspace_.add_filter(QStringLiteral("error = ") +
                             QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))))
    emit notified(tr("These trials can't be filtered"));
}

void LiveCharts::select_rows(const std::vector<qint64>& rows) {
  if (!workspace_.source()) return;
  const std::vector<std::int64_t> chosen(rows.begin(), rows.end());
  workspace_.set_selection(analysis::RowSet::of(workspace_.source()->trials.size(), chosen));
}

void LiveCharts::make_axis_buttons() {
  trials_button_ = make_toggle(this, tr("Trials"), tr("Best so far against trials"));
  seconds_button_ = make_toggle(this, tr("Time"), tr("Best so far against session time"));
  logarithmic_ = make_toggle(this, tr("Log"), tr("Logarithmic speed axis"));
  milliseconds_ = make_toggle(this, tr("Seconds per call"), tr("Time per call instead of GFLOPS"));
  show_all_ = make_toggle(this, tr("All"), tr("Show all trials: the speed axis starts at zero"));
  follow_ = make_toggle(this, tr("Follow"), tr("Follow live: keep new trials in sight (F)"));
  follow_->setIcon(style::icon(QStringLiteral("follow")));
  trials_button_->setChecked(true);
  auto* axis = new QButtonGroup(this);
  axis->addButton(trials_button_);
  axis->addButton(seconds_button_);
  auto* column = new QVBoxLayout(progress_box_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(2);
  row->addStretch(1);
  for (QToolButton* button :
       {trials_button_, seconds_button_, logarithmic_, milliseconds_, show_all_, follow_})
    row->addWidget(button);
  column->addLayout(row);
  column->addWidget(progress_, 1);
  connect(seconds_button_, &QToolButton::toggled, this, [this](bool on) {
    progress_->set_x(on ? charts::ProgressX::Seconds : charts::ProgressX::Trials);
    series_->chart().set_x(progress_->x());
    if (const workspace::Source& source = workspace_.source())
      figures::progress_figure(*source, progress_->x(), passing_).text.show_in(*progress_);
  });
  connect(logarithmic_, &QToolButton::toggled, this, [this](bool on) {
    progress_->set_y_scale(on ? charts::AxisScale::Log10 : charts::AxisScale::Linear);
  });
  connect(milliseconds_, &QToolButton::toggled, this, [this](bool on) {
    progress_->set_y(on ? charts::ProgressY::Milliseconds : charts::ProgressY::Gflops);
  });
  connect(show_all_, &QToolButton::toggled, progress_, &charts::XyChart::set_show_all);
  connect(progress_, &charts::XyChart::view_changed, this, [this] {
    logarithmic_->setChecked(progress_->y_scale() != charts::AxisScale::Linear);
    show_all_->setChecked(progress_->show_all());
  });
}

void LiveCharts::set_show_all(bool show_all) { show_all_->setChecked(show_all); }

bool LiveCharts::show_all() const { return show_all_->isChecked(); }

void LiveCharts::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) show_source();
}

void LiveCharts::show_source() {
  stale_ = !isVisible();
  if (stale_) return;
  const workspace::Source& source = workspace_.source();
  passing_ = {};
  if (workspace_.filtered())
    passing_ = {workspace_.active_filters().join(QStringLiteral(" and ")),
                std::make_shared<const analysis::RowSet>(*workspace_.filtered())};
  show_state();
  if (!source) return;
  update_progress(*source);
  series_->set_source(source, passing_);
  update_below(source);
  fit_charts(source->errors, source->speeds != nullptr);
  mark_current_row();
  mark_selection();
  arrange();
  updateGeometry();
  emit needs_changed();
}

/** Fits the progress chart: every category that occurs takes a lane, and the machine's speed a strip. */
void LiveCharts::fit_charts(const analysis::ErrorBreakdown& errors, bool machine_speed) {
  const int height = min_progress_height + figures::failed_categories(errors) * lane_height +
                     (machine_speed ? machine_strip_pixels : 0);
  progress_->setMinimumSize(scaled_size(min_progress_width, height));
  series_->set_least_chart_size(scaled_size(min_series_width, height));
}

bool LiveCharts::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::ApplicationFontChange) {
    const workspace::Source& source = workspace_.source();
    fit_charts(source ? source->errors : analysis::ErrorBreakdown(), source && source->speeds);
    for (const Below& below : below_)
      below.chart->setMinimumSize(min_chart_size(*below.chart) +
                                  QSize(0, source ? rows_height(*below.chart, *source) : 0));
    updateGeometry();
    emit needs_changed();
  }
  return handled;
}

void LiveCharts::update_progress(const workspace::SourceData& source) {
  figures::FigureOf<charts::ProgressData> figure = figures::progress_figure(source, progress_->x(), passing_);
  std::size_t arm = 1;  // the session itself has the accent colour
  for (const workspace::Source& pinned : workspace_.pinned_sources()) {
    if (pinned->id() != source.id() && pinned->record().task_json == source.record().task_json)
      figure.data.ghosts.push_back(figures::ghost_of(
          *pinned,
          QStringLiteral("%1 %2%3").arg(
              QString::number(pinned->id()), models::session_tuner_text(pinned->record()),
              pinned->record().tuner.empty() ? QString() : models::imported_mark(pinned->record())),
          arm++));
  }
  figure.show_in(*progress_);
}

void LiveCharts::update_below(const workspace::Source& source) {
  for (Below& below : below_) {
    const std::vector<figures::Figure> figures =
        below.kind->figures({.session = source, .passing = passing_}, figures::uncontrolled_job());
    below.empty = figures.empty();
    if (below.empty) continue;
    figures.front().show_in(*below.chart);
    below.chart->setMinimumHeight(min_chart_size(*below.chart).height() + rows_height(*below.chart, *source));
  }
}

void LiveCharts::mark_current_row() {
  const std::int64_t row = workspace_.current_row();
  progress_->set_current_row(row);
  series_->set_current_row(row);
  for (const Below& below : below_) below.chart->set_current_row(row);
}

void LiveCharts::mark_selection() {
  const analysis::RowSet& selection = workspace_.selection();
  progress_->set_selection(selection);
  series_->set_selection(selection);
  for (const Below& below : below_) below.chart->set_selection(selection);
}

/** Shows the axis buttons, unless there are no speeds. */
void LiveCharts::show_axis_buttons() {
  const workspace::Source& source = workspace_.source();
  const bool timed = !source || !source->build_only();
  for (QToolButton* button :
       {trials_button_, seconds_button_, logarithmic_, milliseconds_, show_all_, follow_})
    button->setVisible(timed);
}

void LiveCharts::show_state() {
  const workspace::Source& source = workspace_.source();
  show_axis_buttons();
  if (!source) {
    const QString what = workspace_.opened()
                             ? tr("The session is being read…")
                             : tr("Nothing yet: choose a task and press Start (Ctrl+Return), or open a "
                                  "session from the list");
    progress_->set_notice(what);
    series_->set_notice(what);
    for (const Below& below : below_)
      below.chart->set_notice(workspace_.opened() ? QString() : placeholder_of(*below.chart));
    return;
  }
  series_->set_notice({});
}

void LiveCharts::toggle_maximised(QWidget* place) {
  maximised_ = maximised_ == place ? nullptr : place;
  arrange();
}

bool LiveCharts::shows_nothing(const QWidget* place) const {
  if (place == series_) return series_->empty();
  return std::ranges::any_of(below_,
                             [place](const Below& below) { return below.empty && below.chart == place; });
}

/**
 * Decides which charts are visible: all, only the maximised one, or only that of the tab; charts without
 * content are hidden.
 */
void LiveCharts::arrange() {
  if (maximised_ != nullptr && shows_nothing(maximised_)) maximised_ = nullptr;
  for (std::size_t place = 0; place < places_.size(); ++place)
    tabs_->setTabVisible(static_cast<int>(place), !shows_nothing(places_[place]));
  tabs_->setVisible(compact_ && maximised_ == nullptr);
  const QWidget* only = maximised_;
  if (only == nullptr && compact_ && tabs_->currentIndex() >= 0)
    only = places_[static_cast<std::size_t>(tabs_->currentIndex())];
  const auto seen = [&](const QWidget* place) {
    return (only == nullptr || only == place) && !shows_nothing(place);
  };
  bool any_below = false;
  for (QWidget* place : places_) {
    place->setVisible(seen(place));
    any_below = any_below || (place != progress_box_ && place != series_ && seen(place));
  }
  upper_->setVisible(seen(progress_box_) || seen(series_));
  lower_->setVisible(any_below);
}

}  // namespace kernelscape::views
