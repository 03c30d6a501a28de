#include "ui/views/compare/comparison_table_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

namespace kernelscape {

ComparisonTablePanel::ComparisonTablePanel(QWidget* parent)
    : LibraryTable(tr("Comparison: final values, goals, areas, scores and tests"), parent),
      sorted_([](int) { return QString(); }, ComparisonModel::SortRole) {
  sorted_.setSourceModel(&rows_);
  setModel(&sorted_);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::AscendingOrder);
  auto* copy_rows = new QAction(tr("Copy"), this);
  connect(copy_rows, &QAction::triggered, this, &ComparisonTablePanel::copy);
  set_actions({copy_rows});
}

QString ComparisonTablePanel::selected_text() const {
  const auto line_of = [&](const auto& cell) {
    QStringList cells;
    for (int column = 0; column < ComparisonModel::column_count; ++column) cells.append(cell(column));
    return cells.join(QLatin1Char('\t'));
  };
  QStringList lines{line_of([&](int column) { return rows_.headerData(column, Qt::Horizontal).toString(); })};
  std::vector<int> chosen = selected_rows();
  for (int row = 0; chosen.empty() && row < sorted_.rowCount(); ++row)
    lines.append(line_of([&](int column) { return sorted_.index(row, column).data().toString(); }));
  for (const int row : chosen)
    lines.append(line_of([&](int column) { return sorted_.index(row, column).data().toString(); }));
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void ComparisonTablePanel::copy() { QGuiApplication::clipboard()->setText(selected_text()); }

void ComparisonTablePanel::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  LibraryTable::keyPressEvent(event);
}

}  // namespace kernelscape
