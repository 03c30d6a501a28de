#include "ui/charts/row.h"

#include <QEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/chart.h"

namespace kernelscape::charts {

Row::Row(const QString& name, QWidget* parent)
    : QWidget(parent), tabs_(new QTabBar), splitter_(new QSplitter(Qt::Horizontal)) {
  tabs_->setAccessibleName(name);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setElideMode(Qt::ElideRight);
  tabs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  tabs_->hide();
  splitter_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(tabs_);
  layout->addWidget(splitter_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, &Row::show_tab);
}

void Row::add_chart(Chart* chart) {
  places_.push_back({chart, {}, false});
  splitter_->addWidget(chart);
  chart->hide();
  connect(chart, &Chart::maximise_requested, this, [this, chart] { toggle_maximised(chart); });
}

Row::Place& Row::place_of(const Chart* chart) { return *std::ranges::find(places_, chart, &Place::chart); }

std::vector<Row::Place*> Row::shown_places() {
  std::vector<Place*> shown;
  for (Place& place : places_)
    if (place.shown) shown.push_back(&place);
  return shown;
}

void Row::show_chart(Chart* chart, const QString& name) {
  Place& place = place_of(chart);
  if (place.shown && place.name == name) return;
  place.name = name;
  place.shown = true;
  fit();
}

void Row::hide_chart(Chart* chart) {
  Place& place = place_of(chart);
  if (!place.shown) return;
  place.shown = false;
  if (maximised_ == chart) maximised_ = nullptr;
  fit();
}

void Row::toggle_maximised(const Chart* chart) {
  maximised_ = maximised_ == chart ? nullptr : chart;
  fit();
}

QSize Row::minimumSizeHint() const {
  QSize largest;
  for (const Place& place : places_) largest = largest.expandedTo(place.chart->minimumSizeHint());
  return largest + QSize(0, tabs_->sizeHint().height());
}

void Row::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  has_width_ = true;
  fit();
}

void Row::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit();
}

void Row::fit() {
  int needed = 0;
  for (const Place* place : shown_places())
    needed += (needed > 0 ? splitter_->handleWidth() : 0) + place->chart->minimumSizeHint().width();
  has_tabs_ = has_width_ && needed > width() && shown_places().size() > 1 && maximised_ == nullptr;
  make_tabs();
  show_tab();
}

/** Makes the tabs; the chosen tab stays chosen. */
void Row::make_tabs() {
  const std::vector<Place*> shown = shown_places();
  const QSignalBlocker quiet(tabs_);
  while (tabs_->count() > static_cast<int>(shown.size())) tabs_->removeTab(tabs_->count() - 1);
  for (int tab = 0; tab < static_cast<int>(shown.size()); ++tab) {
    const QString& name = shown[static_cast<std::size_t>(tab)]->name;
    if (tab == tabs_->count()) {
      tabs_->addTab(name);
    } else if (tabs_->tabText(tab) != name) {
      tabs_->setTabText(tab, name);
    }
    tabs_->setTabToolTip(tab, name);
  }
  tabs_->setVisible(has_tabs_);
}

void Row::show_tab() {
  const std::vector<Place*> shown = shown_places();
  for (const Place& place : places_)
    if (!place.shown) place.chart->hide();
  for (std::size_t tab = 0; tab < shown.size(); ++tab) {
    Chart* chart = shown[tab]->chart;
    const bool chosen = !has_tabs_ || static_cast<int>(tab) == tabs_->currentIndex();
    chart->setVisible(maximised_ == nullptr ? chosen : chart == maximised_);
  }
}

}  // namespace kernelscape::charts
