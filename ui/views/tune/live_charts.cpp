#include "ui/views/tune/live_charts.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QShowEvent>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/analysis/filter/filter.h"
#include "ui/charts/bars/error_chart.h"
#include "ui/charts/bars/time_chart.h"
#include "ui/charts/courses/progress_chart.h"
#include "ui/figures/outcome_figures.h"
#include "ui/figures/progress_figure.h"
#include "ui/figures/registry.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/views/tune/series_panel.h"

namespace kernelscape {
namespace {

constexpr int least_progress_height = 190;
constexpr int least_series_width = 260;
constexpr int lane_height = 12;
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

QSize least_size_of(const Chart& chart) {
  return qobject_cast<const ErrorChart*>(&chart) != nullptr ? QSize(220, 76) : QSize(200, 120);
}

/** Every category that occurs takes a row of one chart, what was saved one of another. */
int rows_height(const Chart& chart, const SourceData& source) {
  if (qobject_cast<const ErrorChart*>(&chart) != nullptr)
    return error_row_height * failed_categories(source.errors);
  return qobject_cast<const TimeChart*>(&chart) != nullptr && source.saved.samples > 0 ? saved_row_height : 0;
}

/** In place of a chart while no session is open; empty: it is hidden until it has something to show. */
QString placeholder_of(const Chart& chart) {
  if (qobject_cast<const ErrorChart*>(&chart) != nullptr)
    return LiveCharts::tr("What fails, and what it costs, stands here");
  if (qobject_cast<const TimeChart*>(&chart) != nullptr)
    return LiveCharts::tr("Where the time goes stands here");
  return {};
}

}  // namespace

LiveCharts::LiveCharts(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      below_(make_charts()),
      rows_(new QSplitter(Qt::Vertical, this)),
      lower_(new QSplitter(Qt::Horizontal, this)),
      upper_(new QSplitter(Qt::Horizontal, this)),
      progress_box_(new QWidget(this)),
      series_(new SeriesPanel(this)) {
  make_axis_buttons();
  lay_out();
  connect_charts();
  connect(&workspace_, &Workspace::source_changed, this, &LiveCharts::show_source);
  connect(&workspace_, &Workspace::source_updated, this, &LiveCharts::show_source);
  connect(&workspace_, &Workspace::pinned_changed, this, &LiveCharts::show_source);
  connect(&workspace_, &Workspace::current_row_changed, this, &LiveCharts::mark_current_row);
  connect(&workspace_, &Workspace::selection_changed, this, &LiveCharts::mark_selection);
  show_source();
}

ErrorChart& LiveCharts::errors() { return *lower_->findChild<ErrorChart*>(); }

TimeChart& LiveCharts::time() { return *lower_->findChild<TimeChart*>(); }

/** The progress stands above, with buttons of its own; all others stand below, in the registry's order. */
std::vector<LiveCharts::Below> LiveCharts::make_charts() {
  std::vector<Below> below;
  for (const FigureKind* kind : figure_kinds(FigurePlace::Tune)) {
    Chart* chart = kind->make_chart().release();
    chart->setParent(this);
    if (auto* progress = qobject_cast<ProgressChart*>(chart)) {
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
  for (const Below& below : below_) {
    lower_->addWidget(below.chart);
    below.chart->setMinimumSize(least_size_of(*below.chart));
  }
  progress_->setMinimumSize(300, least_progress_height);
  series_->set_least_chart_size({least_series_width, least_progress_height});
  rows_->addWidget(upper_);
  rows_->addWidget(lower_);
  rows_->setStretchFactor(0, 3);
  rows_->setStretchFactor(1, 1);
  rows_->setSizes({360, 140});
  for (QSplitter* splitter : {rows_, lower_, upper_}) splitter->setChildrenCollapsible(false);
  outer->addWidget(rows_);
  arrange();
}

void LiveCharts::connect_charts() {
  std::vector<std::pair<Chart*, QWidget*>> places{{progress_, progress_box_}};
  for (const Below& below : below_) places.emplace_back(below.chart, below.chart);
  for (Chart* chart : series_->charts()) places.emplace_back(chart, series_);
  for (const auto& [chart, place] : places) {
    connect(chart, &Chart::maximise_requested, this, [this, place] { toggle_maximised(place); });
    connect(chart, &Chart::notified, this, &LiveCharts::notified);
    connect(chart, &Chart::row_activated, this, [this](qint64 row) { workspace_.set_current_row(row); });
    if (auto* with_rows = qobject_cast<XyChart*>(chart))
      connect(with_rows, &XyChart::rows_selected, this, &LiveCharts::select_rows);
  }
  for (XyChart* chart : std::initializer_list<XyChart*>{progress_, &series_->chart()}) {
    connect(follow_, &QToolButton::toggled, chart, &XyChart::set_follow);
    connect(chart, &XyChart::follow_changed, follow_, &QToolButton::setChecked);
  }
  for (const Below& below : below_)
    if (auto* errors = qobject_cast<ErrorChart*>(below.chart))
      connect(errors, &ErrorChart::category_activated, this, &LiveCharts::filter_to);
}

void LiveCharts::filter_to(ErrorCategory category) {
  const auto name = to_string(category);
  if (!workspace_.add_filter(QStringLiteral("error = ") +
                             QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))))
    emit notified(tr("These trials can't be filtered"));
}

void LiveCharts::select_rows(const std::vector<qint64>& rows) {
  if (!workspace_.source()) return;
  const std::vector<std::int64_t> chosen(rows.begin(), rows.end());
  workspace_.set_selection(RowSet::of(workspace_.source()->trials.size(), chosen));
}

void LiveCharts::make_axis_buttons() {
  trials_button_ = make_toggle(this, tr("Trials"), tr("Best so far against trials"));
  seconds_button_ = make_toggle(this, tr("Time"), tr("Best so far against session time"));
  logarithmic_ = make_toggle(this, tr("Log"), tr("Logarithmic speed axis"));
  milliseconds_ = make_toggle(this, tr("Seconds per call"), tr("Time per call instead of GFLOPS"));
  follow_ = make_toggle(this, tr("Follow"), tr("Follow live: keep new trials in sight (F)"));
  follow_->setIcon(icon(QStringLiteral("follow")));
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
  for (QToolButton* button : {trials_button_, seconds_button_, logarithmic_, milliseconds_, follow_})
    row->addWidget(button);
  column->addLayout(row);
  column->addWidget(progress_, 1);
  connect(seconds_button_, &QToolButton::toggled, this, [this](bool on) {
    progress_->set_x(on ? ProgressX::Seconds : ProgressX::Trials);
    series_->chart().set_x(progress_->x());
    if (const Source& source = workspace_.source())
      progress_figure(*source, progress_->x()).text.show_in(*progress_);
  });
  connect(logarithmic_, &QToolButton::toggled, this,
          [this](bool on) { progress_->set_y_scale(on ? AxisScale::Log10 : AxisScale::Linear); });
  connect(milliseconds_, &QToolButton::toggled, this,
          [this](bool on) { progress_->set_y(on ? ProgressY::Milliseconds : ProgressY::Gflops); });
  connect(progress_, &XyChart::view_changed, this,
          [this] { logarithmic_->setChecked(progress_->y_scale() != AxisScale::Linear); });
}

void LiveCharts::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) show_source();
}

void LiveCharts::show_source() {
  stale_ = !isVisible();
  if (stale_) return;
  const Source& source = workspace_.source();
  show_state();
  if (!source) return;
  update_progress(*source);
  series_->set_source(source);
  update_below(source);
  fit_failures(*source);
  mark_current_row();
  mark_selection();
  arrange();
}

/** Every category that occurs takes a lane. */
void LiveCharts::fit_failures(const SourceData& source) {
  progress_->setMinimumHeight(least_progress_height + failed_categories(source.errors) * lane_height);
  series_->set_least_chart_size({least_series_width, progress_->minimumHeight()});
}

void LiveCharts::update_progress(const SourceData& source) {
  FigureOf<ProgressData> figure = progress_figure(source, progress_->x());
  std::size_t arm = 1;  // the session itself has the accent
  for (const Source& pinned : workspace_.pinned_sources()) {
    if (pinned->id() != source.id() && pinned->record().task_json == source.record().task_json)
      figure.data.ghosts.push_back(
          ghost_of(*pinned,
                   QStringLiteral("%1 %2%3").arg(QString::number(pinned->id()),
                                                 QString::fromStdString(pinned->record().tuner),
                                                 imported_mark(pinned->record())),
                   arm++));
  }
  figure.show_in(*progress_);
}

void LiveCharts::update_below(const Source& source) {
  for (Below& below : below_) {
    const std::vector<Figure> figures = below.kind->figures({.session = source}, uncontrolled_job());
    below.empty = figures.empty();
    if (below.empty) continue;
    figures.front().show_in(*below.chart);
    below.chart->setMinimumHeight(least_size_of(*below.chart).height() + rows_height(*below.chart, *source));
  }
}

void LiveCharts::mark_current_row() {
  const std::int64_t row = workspace_.current_row();
  progress_->set_current_row(row);
  series_->set_current_row(row);
  for (const Below& below : below_) below.chart->set_current_row(row);
}

void LiveCharts::mark_selection() {
  const RowSet& selection = workspace_.selection();
  progress_->set_selection(selection);
  series_->set_selection(selection);
  for (const Below& below : below_) below.chart->set_selection(selection);
}

/** Without any speed there is nothing to choose. */
void LiveCharts::show_axis_buttons() {
  const Source& source = workspace_.source();
  const bool timed = !source || !source->build_only();
  for (QToolButton* button : {trials_button_, seconds_button_, logarithmic_, milliseconds_, follow_})
    button->setVisible(timed);
}

void LiveCharts::show_state() {
  const Source& source = workspace_.source();
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

/** Who is seen: all, or the maximised one alone; the series only where there are any. */
void LiveCharts::arrange() {
  const auto shows_nothing = [this](const Below& below) { return below.empty && below.chart == maximised_; };
  if (std::ranges::any_of(below_, shows_nothing) || (maximised_ == series_ && series_->empty()))
    maximised_ = nullptr;
  const auto seen = [this](const QWidget* place) { return maximised_ == nullptr || maximised_ == place; };
  progress_box_->setVisible(seen(progress_box_));
  series_->setVisible(seen(series_) && !series_->empty());
  upper_->setVisible(seen(progress_box_) || seen(series_));
  bool any_below = false;
  for (const Below& below : below_) {
    const bool visible = seen(below.chart) && !below.empty;
    below.chart->setVisible(visible);
    any_below = any_below || visible;
  }
  lower_->setVisible(any_below);
}

}  // namespace kernelscape
