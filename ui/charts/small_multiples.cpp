#include "ui/charts/small_multiples.h"

#include <QScrollBar>
#include <algorithm>

namespace kernelscape::charts {
namespace {

constexpr int spacing = 8;

}  // namespace

SmallMultiples::SmallMultiples(QWidget* parent) : QScrollArea(parent), content_(new QWidget) {
  setAccessibleName(tr("One chart for each task"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setFocusPolicy(Qt::NoFocus);
  setWidget(content_);
}

void SmallMultiples::add_chart() {
  auto* chart = new CompareCurveChart(content_);
  const auto task = static_cast<qint64>(charts_.size());
  chart->set_small(true);
  chart->set_hidden(hidden_);
  chart->set_highlighted(highlighted_);
  chart->set_x_logarithmic(x_logarithmic_);
  connect(chart, &Chart::maximise_requested, this, [this, task] { emit task_activated(task); });
  connect(chart, &CompareCurveChart::arm_activated, this, &SmallMultiples::arm_activated);
  connect(chart, &Chart::notified, this, &SmallMultiples::notified);
  charts_.push_back(chart);
  chart->show();
}

void SmallMultiples::set_count(std::size_t tasks) {
  while (charts_.size() > tasks) {
    charts_.back()->deleteLater();
    charts_.back()->hide();
    charts_.pop_back();
  }
  while (charts_.size() < tasks) add_chart();
  arrange();
}

void SmallMultiples::set_hidden(const std::set<std::size_t>& arms) {
  hidden_ = arms;
  for (CompareCurveChart* chart : charts_) chart->set_hidden(arms);
}

void SmallMultiples::set_highlighted(std::optional<std::size_t> arm) {
  highlighted_ = arm;
  for (CompareCurveChart* chart : charts_) chart->set_highlighted(arm);
}

void SmallMultiples::set_x_logarithmic(bool logarithmic) {
  x_logarithmic_ = logarithmic;
  for (CompareCurveChart* chart : charts_) chart->set_x_logarithmic(logarithmic);
}

/** Arranges the charts in as many columns as fit. The charts share the width, and the height if all fit. */
void SmallMultiples::arrange() {
  if (charts_.empty()) return content_->resize(viewport()->width(), 0);
  QSize least(0, 0);
  for (const CompareCurveChart* chart : charts_) least = least.expandedTo(chart->minimumSizeHint());
  const int width = viewport()->width();
  const int count = static_cast<int>(charts_.size());
  const int columns = std::clamp((width + spacing) / (least.width() + spacing), 1, count);
  const int rows = (count + columns - 1) / columns;
  const int chart_width = std::max(least.width(), (width - (columns - 1) * spacing) / columns);
  const int chart_height =
      std::max(least.height(), (viewport()->height() - (rows - 1) * spacing) / std::max(rows, 2));
  for (int i = 0; i < count; ++i)
    charts_[static_cast<std::size_t>(i)]->setGeometry((i % columns) * (chart_width + spacing),
                                                      (i / columns) * (chart_height + spacing), chart_width,
                                                      chart_height);
  content_->resize(columns * (chart_width + spacing) - spacing, rows * (chart_height + spacing) - spacing);
}

void SmallMultiples::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

}  // namespace kernelscape::charts
