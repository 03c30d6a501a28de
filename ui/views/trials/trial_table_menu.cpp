#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <cmath>
#include <limits>
#include <memory>

#include "core/analysis/filter/filter.h"
#include "core/base/media/csv.h"
#include "core/session/preparation.h"
#include "ui/style/numbers.h"
#include "ui/views/trials/configuration_text.h"
#include "ui/views/trials/filter_chip.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/workspace/database_option.h"
#include "ui/workspace/notices.h"

namespace kernelscape::views {
namespace {

constexpr std::size_t max_rows_copied_at_once = 2'000;
constexpr std::size_t max_rows_copied = 100'000;
constexpr std::size_t rows_per_question = 500;

/** Returns the rows as text for a spreadsheet; nullopt if `proceed` cancelled. */
std::optional<QString> table_text(const workspace::Source& source, const std::vector<std::int64_t>& rows,
                                  const std::vector<std::size_t>& columns,
                                  const std::function<bool()>& proceed) {
  std::vector<std::string> cells(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = source->columns().columns()[columns[i]].name;
  base::TsvText text = base::Tsv::row(cells);
  for (std::size_t place = 0; place < rows.size(); ++place) {
    if (proceed && place % rows_per_question == 0 && !proceed()) return std::nullopt;
    for (std::size_t i = 0; i < columns.size(); ++i)
      cells[i] = source->columns().text(source->trials, rows[place], columns[i]);
    text += base::Tsv::row(cells);
  }
  return QString::fromStdString(text.text());
}

}  // namespace

void TrialTableView::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  const std::int64_t row = model_.row_at(index.row());
  connect(menu->addAction(tr("Make current")), &QAction::triggered, this,
          [this, row] { workspace_.set_current_row(row); });
  add_selection_actions(*menu, row);
  menu->addSeparator();
  add_filter_actions(*menu, index);
  menu->addSeparator();
  if (measurable_)
    connect(menu->addAction(tr("Measure this configuration …")), &QAction::triggered, this,
            [this, row] { emit measure_requested(row); });
  add_pair_actions(*menu, row);
  menu->addSeparator();
  add_copy_actions(*menu, row);
  const QPoint place = visualRect(index).bottomLeft() + QPoint(8, 0);
  menu->popup(by_key ? viewport()->mapToGlobal(place) : event->globalPos());
}

void TrialTableView::add_selection_actions(QMenu& menu, std::int64_t row) {
  const analysis::RowSet selection = grown_selection();
  const QString text = selection.test(row) ? tr("Remove from the selection") : tr("Select");
  connect(menu.addAction(text), &QAction::triggered, this, [this, row] { toggle(row); });
  connect(menu.addAction(tr("Select all that are shown")), &QAction::triggered, this,
          &TrialTableView::select_shown);
  QAction* clear = menu.addAction(tr("Clear the selection (%1)").arg(style::format_count(selection.count())));
  clear->setEnabled(!selection.none());
  connect(clear, &QAction::triggered, this, &TrialTableView::clear_selection);
}

void TrialTableView::add_pair_actions(QMenu& menu, std::int64_t row) {
  const std::int64_t best = model_.source()->headline.row;
  QAction* with_best = menu.addAction(tr("Compare with the best …"));
  with_best->setEnabled(best != analysis::no_row && best != row);
  with_best->setToolTip(tr("Shows both kernels side by side, with conclusions from their numbers"));
  connect(with_best, &QAction::triggered, this, [this, row, best] { emit pair_requested(row, best); });
  const analysis::RowSet selection = grown_selection();
  QAction* selected = menu.addAction(tr("Compare the two selected trials …"));
  selected->setEnabled(selection.count() == 2);
  selected->setToolTip(tr("For exactly two selected trials"));
  const std::vector<std::int64_t> rows =
      selection.count() == 2 ? selection.rows() : std::vector<std::int64_t>();
  connect(selected, &QAction::triggered, this, [this, rows] { emit pair_requested(rows[0], rows[1]); });
}

void TrialTableView::compare_chosen() {
  const workspace::Source& source = model_.source();
  if (!source) {
    emit notified(tr("No session is open: there are no trials to compare."));
    return;
  }
  const analysis::RowSet selection = grown_selection();
  if (selection.count() == 2) {
    const std::vector<std::int64_t> rows = selection.rows();
    emit pair_requested(rows[0], rows[1]);
    return;
  }
  const std::int64_t row = workspace_.current_row();
  const std::int64_t best = source->headline.row;
  if (row != analysis::no_row && best != analysis::no_row && row != best) {
    emit pair_requested(row, best);
  } else {
    emit notified(tr("Select two trials to compare them, or choose one that is not the best."));
  }
}

void TrialTableView::add_filter_action(QMenu& menu, const std::string& filter) {
  QString shown = FilterChip::shown_text(QString::fromStdString(filter));
  QAction* action =
      menu.addAction(tr("Filter to %1").arg(shown.replace(QLatin1Char('&'), QStringLiteral("&&"))));
  connect(action, &QAction::triggered, this, [this, filter] {
    const auto added = workspace_.add_filter(QString::fromStdString(filter));
    if (!added) workspace_.notices().fail({ErrorCode::Internal, added.error().message, added.error().hint});
  });
}

void TrialTableView::add_filter_actions(QMenu& menu, const QModelIndex& index) {
  const auto position = static_cast<std::size_t>(index.column());
  const analysis::TrialColumns& columns = model_.source()->columns();
  const analysis::Column& column = columns.columns()[position];
  const double value = columns.value(model_.source()->trials, model_.row_at(index.row()), position);
  add_filter_action(menu, analysis::filter_equals(column, value));
  if (column.kind == analysis::ColumnKind::Label || std::isnan(value)) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  add_filter_action(menu, analysis::filter_range(column, -infinity, value));
  add_filter_action(menu, analysis::filter_range(column, value, infinity));
}

void TrialTableView::add_copy_actions(QMenu& menu, std::int64_t row) {
  connect(menu.addAction(tr("Copy rows")), &QAction::triggered, this, &TrialTableView::copy_rows);
  connect(menu.addAction(tr("Copy configuration as JSON")), &QAction::triggered, this, [this, row] {
    const workspace::Source& source = model_.source();
    copy_text(
        QString::fromStdString(source->space().configuration_to_json(source->trials.configuration(row))),
        tr("The configuration was copied as JSON."));
  });
  QAction* command = menu.addAction(tr("Copy as command line"));
  command->setToolTip(tr("kernelscape tune …, restricted to this configuration"));
  connect(command, &QAction::triggered, this, [this, row] {
    const Result<std::string> text = command_line_of_trial(*model_.source(), row);
    if (text) {
      copy_text(QString::fromStdString(*text + workspace::database_option(workspace_.database())),
                tr("The command line was copied."));
    } else {
      workspace_.notices().fail(text.error());
    }
  });
}

void TrialTableView::copy_text(const QString& text, const QString& reported) {
  QGuiApplication::clipboard()->setText(text);
  emit notified(reported);
}

std::vector<std::int64_t> TrialTableView::rows_to_copy() const {
  const analysis::RowSet selection = grown_selection();
  std::vector<std::int64_t> rows;
  if (selection.none()) {
    if (model_.position_of(workspace_.current_row()) >= 0) rows.push_back(workspace_.current_row());
    return rows;
  }
  for (const std::uint32_t row : model_.rows())
    if (selection.test(row)) rows.push_back(row);
  return rows;
}

void TrialTableView::copy_rows() {
  std::vector<std::int64_t> rows = rows_to_copy();
  if (rows.empty()) return;
  if (rows.size() > max_rows_copied) {
    workspace_.notices().warn(tr("%1 trials are too many for the clipboard.")
                                  .arg(style::format_count(static_cast<std::int64_t>(rows.size()))),
                              tr("export the shown trials to a file, or select at most %1")
                                  .arg(style::format_count(max_rows_copied)));
    return;
  }
  std::vector<std::size_t> columns;
  for (const QString& name : visible_columns())
    columns.push_back(*model_.source()->columns().find(name.toStdString()));
  const auto count = static_cast<std::int64_t>(rows.size());
  const QString reported =
      count == 1 ? tr("1 trial was copied.") : tr("%1 trials were copied.").arg(style::format_count(count));
  if (rows.size() <= max_rows_copied_at_once) {
    copy_text(*table_text(model_.source(), rows, columns, {}), reported);
    return;
  }
  copy_job_.start(
      [source = model_.source(), rows = std::move(rows), columns](const workspace::JobControl& control) {
        return table_text(source, rows, columns, [&control] { return control.proceed(); });
      },
      [this, reported](const std::optional<QString>& text) {
        if (text) copy_text(*text, reported);
      });
}

}  // namespace kernelscape::views
