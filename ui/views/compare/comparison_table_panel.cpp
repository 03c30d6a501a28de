#include "ui/views/compare/comparison_table_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/media/csv.h"

namespace kernelscape::views {

ComparisonTablePanel::ComparisonTablePanel(QWidget* parent)
    : widgets::LibraryTable(tr("Comparison: final values, goals, areas, scores and tests"), parent),
      sorted_([](int) { return QString(); }, models::ComparisonModel::SortRole) {
  sorted_.setSourceModel(&rows_);
  setModel(&sorted_);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::AscendingOrder);
  auto* copy_rows = new QAction(tr("Copy"), this);
  connect(copy_rows, &QAction::triggered, this, &ComparisonTablePanel::copy);
  set_actions({copy_rows});
}

QString ComparisonTablePanel::selected_text() const {
  const auto row_of = [](const auto& cell) {
    std::vector<std::string> cells;
    for (int column = 0; column < models::ComparisonModel::column_count; ++column)
      cells.push_back(cell(column).toString().toStdString());
    return base::Tsv::row(cells);
  };
  std::vector<int> chosen = selected_rows();
  if (chosen.empty()) {
    chosen.resize(static_cast<std::size_t>(sorted_.rowCount()));
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  base::TsvText text = row_of([&](int column) { return rows_.headerData(column, Qt::Horizontal); });
  for (const int row : chosen) text += row_of([&](int column) { return sorted_.index(row, column).data(); });
  return QString::fromStdString(text.text());
}

void ComparisonTablePanel::copy() { QGuiApplication::clipboard()->setText(selected_text()); }

void ComparisonTablePanel::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  widgets::LibraryTable::keyPressEvent(event);
}

}  // namespace kernelscape::views
