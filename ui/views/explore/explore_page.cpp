#include "ui/views/explore/explore_page.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <algorithm>
#include <cmath>

#include "core/analysis/filter/filter.h"
#include "ui/charts/chart.h"
#include "ui/widgets/row_height.h"

namespace kernelscape::views {
namespace {

/** Returns the text shown until the first job is done; the job pauses while a kernel is timed. */
QString waiting_text() { return ExplorePage::tr("Counting ..."); }

}  // namespace

ExplorePage::ExplorePage(workspace::Workspace& workspace, const QString& name, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  setObjectName(name);
  setAccessibleName(name);
  connect(
      &jobs_, &workspace::JobTracker::busy_changed, this,
      [this](bool busy) {
        if (!busy && stale_) refresh();
      },
      Qt::QueuedConnection);
}

void ExplorePage::set_shown(const figures::Shown& shown) {
  const bool live =
      shown && shown_ && shown->source->id() == shown_->source->id() && shown->filters == shown_->filters;
  shown_ = shown;
  if (!shown_) {
    jobs_.cancel();
    for (charts::Chart* chart : charts_) chart->set_notice(waiting_text());
    return forget();
  }
  if (live) {
    refresh_after_job();
  } else {
    refresh();
  }
}

void ExplorePage::refresh_after_job() {
  if (jobs_.busy()) {
    stale_ = true;
  } else {
    refresh();
  }
}

void ExplorePage::refresh() {
  if (!shown_) return;
  stale_ = !isVisible();
  if (!stale_) compute();
}

void ExplorePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) refresh();
}

std::optional<double> ExplorePage::current_value(std::size_t column) const {
  const std::int64_t row = workspace_.current_row();
  if (!shown_ || row < 0 || row >= shown_->source->trials.size()) return std::nullopt;
  const double value = shown_->source->columns().value(shown_->source->trials, row, column);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void ExplorePage::pick_ranges(const std::vector<PickedRange>& ranges) {
  const analysis::TrialColumns& columns = shown_->source->columns();
  QStringList filters;
  for (const PickedRange& range : ranges) {
    const analysis::Column& column = shown_->column(range.column);
    filters.append(QString::fromStdString(
        range.low == range.high ? analysis::filter_equals(column, range.low)
                                : analysis::filter_range(column, range.low, range.high,
                                                         range.closed ? analysis::RangeEnd::Included
                                                                      : analysis::RangeEnd::Excluded)));
  }
  pick(
      [&](std::int64_t row) {
        return std::ranges::all_of(ranges, [&](const PickedRange& range) {
          return range.holds(columns.value(shown_->source->trials, row, range.column));
        });
      },
      filters);
}

QWidget* ExplorePage::make_panel(const QList<QWidget*>& controls, charts::Chart* chart) {
  auto* panel = new QWidget(this);
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  if (!controls.isEmpty()) {
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    for (QWidget* control : controls) line->addWidget(control);
    line->addStretch(1);
    layout->addLayout(line);
  }
  layout->addWidget(chart, 1);
  chart->set_notice(waiting_text());
  connect(chart, &charts::Chart::maximise_requested, this, [this, panel] { toggle_maximised(panel); });
  connect(chart, &charts::Chart::row_activated, this,
          [this](qint64 row) { workspace_.set_current_row(row); });
  connect(chart, &charts::Chart::notified, this, &ExplorePage::notified);
  panels_.append(panel);
  charts_.append(chart);
  return panel;
}

QTableView* ExplorePage::make_table(const QString& name, QAbstractItemModel* model,
                                    std::initializer_list<int> widths) {
  auto* table = new QTableView;
  table->setModel(model);
  table->setAccessibleName(name);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  widgets::keep_row_height(*table, 8);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setStretchLastSection(true);
  const int digit = table->fontMetrics().horizontalAdvance(QLatin1Char('0'));
  int column = 0;
  for (const int width : widths) table->setColumnWidth(column++, width * digit);
  return table;
}

void ExplorePage::toggle_maximised(QWidget* panel) {
  const bool maximised =
      std::ranges::all_of(panels_, [&](QWidget* other) { return other == panel || other->isHidden(); });
  for (QWidget* other : panels_)
    if (other != panel) other->setVisible(maximised);
}

}  // namespace kernelscape::views
