#include "ui/views/tune/series_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/views/tune/model_belief.h"

namespace kernelscape {

SeriesPanel::SeriesPanel(QWidget* parent)
    : QWidget(parent),
      picker_(new QComboBox(this)),
      column_picker_(new QComboBox(this)),
      stack_(new QStackedWidget(this)),
      prediction_(new PredictionChart(stack_)),
      relevance_(new RelevanceChart(stack_)),
      chart_(new SeriesChart(stack_)) {
  picker_->setAccessibleName(tr("Series of the tuner"));
  picker_->setToolTip(tr("Which of the tuner's numbers is drawn"));
  column_picker_->setAccessibleName(tr("Column of the series"));
  column_picker_->setToolTip(tr("Of which column of the space"));
  lay_out();
  connect_choices();
}

void SeriesPanel::lay_out() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  row->addStretch(1);
  for (QComboBox* choice : {picker_, column_picker_}) {
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(choice);
  }
  column_picker_->hide();
  column->addLayout(row);
  for (Chart* chart : charts()) stack_->addWidget(chart);
  column->addWidget(stack_, 1);
}

void SeriesPanel::connect_choices() {
  connect(picker_, &QComboBox::activated, this, [this](int index) {
    wanted_ = entries_[static_cast<std::size_t>(index)];
    show_entry();
  });
  connect(column_picker_, &QComboBox::activated, this, [this](int index) {
    wanted_column_ = column_picker_->itemText(index);
    show_entry();
  });
  connect(relevance_, &RelevanceChart::column_activated, this, &SeriesPanel::show_lengthscale);
}

void SeriesPanel::add_figure(std::vector<Entry>& entries, const SeriesFigure& figure) {
  const bool grouped = !figure.group.empty();
  Entry entry{Shows::Series, grouped ? figure.group : figure.name,
              QString::fromStdString(grouped ? figure.group : figure.title)};
  const auto known =
      std::ranges::find_if(entries, [&](const Entry& other) { return grouped && other.is(entry); });
  if (known != entries.end()) return known->figures.push_back(figure);
  entry.figures.push_back(figure);
  entries.push_back(std::move(entry));
}

std::vector<SeriesPanel::Entry> SeriesPanel::entries_of(const SourceData& source) {
  std::vector<Entry> entries;
  const std::vector<SeriesFigure> figures = series_figures_of(source);
  const auto estimate = std::ranges::find(figures, SeriesRelation::Estimate, &SeriesFigure::relation);
  if (estimate != figures.end())
    entries.push_back({Shows::Prediction, estimate->name, tr("Predicted against measured"), {*estimate}});
  if (learns_relevance(source)) entries.push_back({Shows::Relevance, {}, tr("What matters so far")});
  for (const SeriesFigure& figure : figures) add_figure(entries, figure);
  return entries;
}

void SeriesPanel::set_source(const Source& source) {
  source_ = source;
  std::vector<Entry> entries = entries_of(*source_);
  if (entries != entries_) {
    entries_ = std::move(entries);
    fill_picker();
  }
  show_entry();
}

/** Keeps the user's choice while the session has it; until then it is the first. */
void SeriesPanel::fill_picker() {
  picker_->clear();
  for (const Entry& entry : entries_) picker_->addItem(entry.title);
  const auto wanted =
      std::ranges::find_if(entries_, [this](const Entry& entry) { return wanted_ && entry.is(*wanted_); });
  if (!entries_.empty())
    picker_->setCurrentIndex(wanted != entries_.end() ? static_cast<int>(wanted - entries_.begin()) : 0);
}

void SeriesPanel::show_entry() {
  const int index = picker_->currentIndex();
  if (!source_ || index < 0) return;
  const Entry& entry = entries_[static_cast<std::size_t>(index)];
  column_picker_->setVisible(entry.shows == Shows::Series && !entry.figures.front().group.empty());
  switch (entry.shows) {
    case Shows::Prediction:
      prediction_->set_data(series_data_of(*source_, entry.figures.front()));
      return stack_->setCurrentWidget(prediction_);
    case Shows::Relevance:
      relevance_->set_data(relevance_data_of(*source_));
      relevance_->set_notice(relevance_notice(*source_));
      return stack_->setCurrentWidget(relevance_);
    case Shows::Series:
      return show_series(entry);
  }
}

void SeriesPanel::show_series(const Entry& entry) {
  fill_column_picker(entry);
  const auto figure = static_cast<std::size_t>(std::max(0, column_picker_->currentIndex()));
  chart_->set_data(series_data_of(*source_, entry.figures[figure]));
  stack_->setCurrentWidget(chart_);
}

/** Of a series that stands alone it has none. */
void SeriesPanel::fill_column_picker(const Entry& entry) {
  QStringList columns;
  for (const SeriesFigure& figure : entry.figures)
    if (!figure.group.empty()) columns.append(QString::fromStdString(figure.member));
  if (columns != columns_) {
    columns_ = columns;
    column_picker_->clear();
    column_picker_->addItems(columns_);
  }
  if (!columns_.isEmpty())
    column_picker_->setCurrentIndex(
        static_cast<int>(std::max<qsizetype>(0, columns_.indexOf(wanted_column_))));
}

void SeriesPanel::show_lengthscale(const QString& column) {
  for (const Entry& entry : entries_) {
    const bool has = std::ranges::any_of(entry.figures, [&](const SeriesFigure& figure) {
      return entry.shows == Shows::Series && figure.member == column.toStdString();
    });
    if (!has) continue;
    wanted_ = entry;
    wanted_column_ = column;
    fill_picker();
    return show_entry();
  }
}

void SeriesPanel::set_current_row(std::int64_t row) {
  prediction_->set_current_row(row);
  chart_->set_current_row(row);
}

void SeriesPanel::set_selection(const RowSet& selection) {
  prediction_->set_selection(selection);
  chart_->set_selection(selection);
}

void SeriesPanel::set_notice(const QString& text) {
  for (Chart* chart : charts()) chart->set_notice(text);
}

void SeriesPanel::set_least_chart_size(QSize size) {
  for (Chart* chart : charts()) chart->setMinimumSize(size);
}

}  // namespace kernelscape
