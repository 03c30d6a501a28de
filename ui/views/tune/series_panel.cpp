#include "ui/views/tune/series_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace kernelscape {

std::vector<SeriesFigure> series_figures_of(const SourceData& source) {
  return series_figures(source.series, source.saved.samples > 0, source.flops());
}

SeriesData series_data_of(const SourceData& source, const SeriesFigure& figure) {
  SeriesData data{.session = source.id(),
                  .trials = source.trials,
                  .series = source.series,
                  .figure = figure,
                  .flops = source.flops(),
                  .session_seconds = source.status.session_seconds};
  for (const SessionInterruption& interruption : source.interruptions)
    data.interruption_seconds.push_back(interruption.at_session_seconds);
  return data;
}

SeriesPanel::SeriesPanel(QWidget* parent)
    : QWidget(parent), picker_(new QComboBox(this)), chart_(new SeriesChart(this)) {
  picker_->setAccessibleName(tr("Series of the tuner"));
  picker_->setToolTip(tr("Which of the tuner's numbers is drawn"));
  picker_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->addStretch(1);
  row->addWidget(picker_);
  column->addLayout(row);
  column->addWidget(chart_, 1);
  connect(picker_, &QComboBox::activated, this, [this](int index) {
    wanted_ = picker_->itemData(index).toString();
    show_figure();
  });
}

void SeriesPanel::set_source(const Source& source) {
  source_ = source;
  std::vector<SeriesFigure> figures = series_figures_of(*source_);
  if (figures != figures_) {
    figures_ = std::move(figures);
    fill_picker();
  }
  show_figure();
}

/** Keeps the user's choice while the session has it; until then it is the first. */
void SeriesPanel::fill_picker() {
  picker_->clear();
  for (const SeriesFigure& figure : figures_)
    picker_->addItem(QString::fromStdString(figure.title), QString::fromStdString(figure.name));
  picker_->setCurrentIndex(std::max(0, picker_->findData(wanted_)));
}

void SeriesPanel::show_figure() {
  const int index = picker_->currentIndex();
  if (!source_ || index < 0) return;
  chart_->set_data(series_data_of(*source_, figures_[static_cast<std::size_t>(index)]));
}

}  // namespace kernelscape
