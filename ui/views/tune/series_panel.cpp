#include "ui/views/tune/series_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace kernelscape::views {

SeriesPanel::SeriesPanel(QWidget* parent)
    : QWidget(parent),
      picker_(new QComboBox(this)),
      column_picker_(new QComboBox(this)),
      stack_(new QStackedWidget(this)) {
  picker_->setAccessibleName(tr("Series of the tuner"));
  picker_->setToolTip(tr("Shown number of the tuner"));
  column_picker_->setAccessibleName(tr("Column of the series"));
  column_picker_->setToolTip(tr("Column of the space"));
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
  for (const figures::Kind* kind : figures::figure_kinds(figures::Place::TuneModel)) {
    charts_.push_back(kind->make_chart().release());
    stack_->addWidget(charts_.back());
  }
  column->addWidget(stack_, 1);
}

void SeriesPanel::connect_choices() {
  connect(picker_, &QComboBox::activated, this, [this](int index) {
    const Entry& chosen = entries_[static_cast<std::size_t>(index)];
    wanted_ = Entry{chosen.chart, chosen.title};
    show_entry();
  });
  connect(column_picker_, &QComboBox::activated, this, [this](int index) {
    wanted_column_ = column_picker_->itemText(index);
    show_entry();
  });
  connect(&relevance(), &charts::RelevanceChart::column_activated, this, &SeriesPanel::show_lengthscale);
}

void SeriesPanel::add_figure(std::vector<Entry>& entries, charts::Chart* chart, figures::Figure figure) {
  const bool grouped = !figure.group.isEmpty();
  Entry entry{chart, grouped ? figure.group : figure.text.title};
  const auto known =
      std::ranges::find_if(entries, [&](const Entry& other) { return grouped && other.is(entry); });
  if (known != entries.end()) return known->figures.push_back(std::move(figure));
  entry.figures.push_back(std::move(figure));
  entries.push_back(std::move(entry));
}

void SeriesPanel::set_source(const workspace::Source& source, const charts::PassingRows& passing) {
  const std::vector<const figures::Kind*> kinds = figures::figure_kinds(figures::Place::TuneModel);
  std::vector<Entry> entries;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (figures::Figure& figure :
         kinds[kind]->figures({.session = source, .passing = passing}, figures::uncontrolled_job()))
      add_figure(entries, charts_[kind], std::move(figure));
  const bool same = std::ranges::equal(entries, entries_, &Entry::is);
  entries_ = std::move(entries);
  if (!same) fill_picker();
  show_entry();
}

/** Fills the picker. The user's choice is kept if the session has it; otherwise the first entry is chosen. */
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
  if (index < 0) return;
  const Entry& entry = entries_[static_cast<std::size_t>(index)];
  fill_column_picker(entry);
  const auto member = static_cast<std::size_t>(std::max(0, column_picker_->currentIndex()));
  entry.figures[member].show_in(*entry.chart);
  stack_->setCurrentWidget(entry.chart);
}

/** Fills the column picker, which is hidden for an entry with one figure. */
void SeriesPanel::fill_column_picker(const Entry& entry) {
  column_picker_->setVisible(!entry.figures.front().group.isEmpty());
  QStringList columns;
  for (const figures::Figure& figure : entry.figures)
    if (!figure.group.isEmpty()) columns.append(figure.member);
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
    if (std::ranges::find(entry.figures, column, &figures::Figure::member) == entry.figures.end()) continue;
    wanted_ = Entry{entry.chart, entry.title};
    wanted_column_ = column;
    fill_picker();
    return show_entry();
  }
}

void SeriesPanel::set_current_row(std::int64_t row) {
  for (charts::Chart* chart : charts_) chart->set_current_row(row);
}

void SeriesPanel::set_selection(const analysis::RowSet& selection) {
  for (charts::Chart* chart : charts_) chart->set_selection(selection);
}

void SeriesPanel::set_notice(const QString& text) {
  for (charts::Chart* chart : charts_) chart->set_notice(text);
}

void SeriesPanel::set_least_chart_size(QSize size) {
  for (charts::Chart* chart : charts_) chart->setMinimumSize(size);
}

}  // namespace kernelscape::views
