#include "ui/views/explore/timeline_page.h"

#include <QBoxLayout>

#include "ui/figures/timeline_figure.h"

namespace kernelscape::views {

TimelinePage::TimelinePage(workspace::Workspace& workspace, QWidget* parent)
    : ExplorePage(workspace, tr("Timeline"), parent), chart_(new charts::TimelineChart(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(make_panel({}, chart_));
  connect(chart_, &charts::XyChart::rows_selected, this, [this](const std::vector<qint64>& rows) {
    if (!this->shown()) return;
    const std::vector<std::int64_t> list(rows.begin(), rows.end());
    emit rows_picked(analysis::RowSet::of(this->shown()->source->trials.size(), list), {});
  });
}

/** Returns true if trials have an order in time; those of a recorded space have none. */
bool TimelinePage::has_content(const figures::ShownTrials& shown) {
  return shown.source->record().kind != store::SessionKind::Recorded && shown.source->trials.size() > 0;
}

void TimelinePage::follow_selection() { chart_->set_selection(workspace().selection()); }

void TimelinePage::compute() {
  jobs().start(
      [shown = shown(), database = workspace().database()](const workspace::JobControl& control) {
        return figures::timeline_figure(*shown, database, control);
      },
      [this](const figures::FigureOf<charts::TimelineData>& figure) {
        figure.show_in(*chart_);
        follow_selection();
        show_current();
      });
}

void TimelinePage::show_current() { chart_->set_current_row(workspace().current_row()); }

}  // namespace kernelscape::views
