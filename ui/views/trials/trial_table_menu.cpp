#include "ui/views/trials/trial_table_menu.h"

#include <cmath>
#include <limits>

#include "core/analysis/filter/filter.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/filter_chip.h"
#include "ui/views/trials/trial_clipboard.h"
#include "ui/views/trials/trial_selection.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/source.h"

namespace kernelscape::views {

TrialTableMenu::TrialTableMenu(TrialTableView& table, const Parts& parts, const QModelIndex& index,
                               bool measurable)
    : QMenu(&table), table_(table), parts_(parts), row_(table.trials().row_at(index.row())) {
  setAttribute(Qt::WA_DeleteOnClose);
  setToolTipsVisible(true);
  connect(addAction(tr("Make current")), &QAction::triggered, &table_,
          [&workspace = parts_.workspace, row = row_] { workspace.set_current_row(row); });
  add_selection_actions();
  addSeparator();
  add_filter_actions(index.column());
  addSeparator();
  if (measurable)
    connect(addAction(tr("Measure this configuration …")), &QAction::triggered, &table_,
            [&table, row = row_] { emit table.measure_requested(row); });
  add_pair_actions();
  addSeparator();
  add_copy_actions();
}

void TrialTableMenu::add_selection_actions() {
  const analysis::RowSet selection = parts_.selection.rows();
  const QString text = selection.test(row_) ? tr("Remove from the selection") : tr("Select");
  connect(addAction(text), &QAction::triggered, &table_,
          [&selection = parts_.selection, row = row_] { selection.toggle(row); });
  connect(addAction(tr("Select all that are shown")), &QAction::triggered, &table_,
          &TrialTableView::select_shown);
  QAction* clear = addAction(tr("Clear the selection (%1)").arg(style::format_count(selection.count())));
  clear->setEnabled(!selection.none());
  connect(clear, &QAction::triggered, &table_, &TrialTableView::clear_selection);
}

void TrialTableMenu::add_pair_actions() {
  TrialTableView& table = table_;
  const std::int64_t best = table.trials().source()->headline.row;
  QAction* with_best = addAction(tr("Compare with the best …"));
  with_best->setEnabled(best != analysis::no_row && best != row_);
  with_best->setToolTip(tr("Shows both kernels side by side, with conclusions from their numbers"));
  connect(with_best, &QAction::triggered, &table,
          [&table, row = row_, best] { emit table.pair_requested(row, best); });
  const analysis::RowSet selection = parts_.selection.rows();
  QAction* selected = addAction(tr("Compare the two selected trials …"));
  selected->setEnabled(selection.count() == 2);
  selected->setToolTip(tr("For exactly two selected trials"));
  const std::vector<std::int64_t> rows =
      selection.count() == 2 ? selection.rows() : std::vector<std::int64_t>();
  connect(selected, &QAction::triggered, &table,
          [&table, rows] { emit table.pair_requested(rows[0], rows[1]); });
}

void TrialTableMenu::add_filter_action(const std::string& filter) {
  QString shown = FilterChip::shown_text(QString::fromStdString(filter));
  QAction* action = addAction(tr("Filter to %1").arg(shown.replace(QLatin1Char('&'), QStringLiteral("&&"))));
  connect(action, &QAction::triggered, &table_, [&workspace = parts_.workspace, filter] {
    const auto added = workspace.add_filter(QString::fromStdString(filter));
    if (!added) workspace.notices().fail({ErrorCode::Internal, added.error().message, added.error().hint});
  });
}

void TrialTableMenu::add_filter_actions(int column_place) {
  const auto position = static_cast<std::size_t>(column_place);
  const workspace::Source& source = table_.trials().source();
  const analysis::Column& column = source->columns().columns()[position];
  const double value = source->columns().value(source->trials, row_, position);
  add_filter_action(analysis::filter_equals(column, value));
  if (column.kind == analysis::ColumnKind::Label || std::isnan(value)) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  add_filter_action(analysis::filter_range(column, -infinity, value));
  add_filter_action(analysis::filter_range(column, value, infinity));
}

void TrialTableMenu::add_copy_actions() {
  connect(addAction(tr("Copy rows")), &QAction::triggered, &table_, &TrialTableView::copy_rows);
  TrialClipboard& clipboard = parts_.clipboard;
  connect(addAction(tr("Copy configuration as JSON")), &QAction::triggered, &clipboard,
          [&clipboard, row = row_] { clipboard.copy_configuration(row); });
  QAction* command = addAction(tr("Copy as command line"));
  command->setToolTip(tr("kernelscape tune …, restricted to this configuration"));
  connect(command, &QAction::triggered, &clipboard,
          [&clipboard, row = row_] { clipboard.copy_command_line(row); });
}

}  // namespace kernelscape::views
