#include "ui/views/fleet/fleet_tables.h"

#include <QItemSelection>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/progress_delegate.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::views {
namespace {

constexpr int widest_worker_column = 32 * style::grid_pixels;
constexpr int widest_lower_column = 60 * style::grid_pixels;
constexpr int letters_tab = 1;

}  // namespace

FleetTables::FleetTables(QWidget* parent)
    : QSplitter(Qt::Vertical, parent),
      worker_table_(make_table(tr("Workers of the fleet"), workers_)),
      tabs_(new QTabWidget) {
  setChildrenCollapsible(false);
  worker_table_->set_widest_column(widest_worker_column);
  worker_table_->setItemDelegateForColumn(
      models::FleetWorkerModel::LoadColumn,
      new widgets::ProgressDelegate(models::FleetWorkerModel::ShareRole, worker_table_));
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Tasks of the fleet"));
  tabs_->tabBar()->setAccessibleName(tabs_->accessibleName());
  widgets::LibraryTable* queues = make_table(tr("Queues of the fleet"), queues_);
  queues->set_widest_column(widest_lower_column);
  tabs_->addTab(queues, tr("Queues"));
  tabs_->addTab(make_letters_page(), tr("Dead letters"));
  addWidget(worker_table_);
  addWidget(tabs_);
  setStretchFactor(0, 3);
  setStretchFactor(1, 2);
  connect(&workers_, &QAbstractItemModel::modelReset, this, &FleetTables::span_headings);
  connect(worker_table_, &widgets::LibraryTable::rows_selected, this, &FleetTables::selection_changed);
  connect(worker_table_, &widgets::LibraryTable::row_opened, this, &FleetTables::class_opened);
}

widgets::LibraryTable* FleetTables::make_table(const QString& name, QAbstractItemModel& model) {
  auto* table = new widgets::LibraryTable(name);  // no parent, because a splitter adds every child as a part
  table->setModel(&model);
  return table;
}

QWidget* FleetTables::make_letters_page() {
  letter_table_ = make_table(tr("Dead letters of the fleet"), letters_);
  letter_table_->set_widest_column(widest_lower_column);
  no_letters_ = new widgets::ThemedLabel(style::TextSize::Normal, &style::Colours::muted_text);
  no_letters_->setWordWrap(true);
  no_letters_->setMargin(style::grid_pixels);
  no_letters_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  no_letters_->setTextFormat(Qt::PlainText);
  no_letters_->setText(
      tr("No task was given up. A task is given up, and listed here, after several workers were lost while "
         "they measured it."));
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(no_letters_);
  layout->addWidget(letter_table_, 1);
  return page;
}

void FleetTables::set_state(const fleet::State& state) {
  std::vector<std::string> keys;
  for (const int row : worker_table_->selected_rows()) keys.push_back(workers_.row(row).key());
  workers_.set_rows(models::fleet_rows(state));
  queues_.set_queues(state.queues);
  letters_.set_letters(state.dead);
  if (worker_table_->selected_rows().empty()) select(keys);
  const bool dead = !state.dead.empty();
  tabs_->setTabText(
      letters_tab,
      dead ? tr("Dead letters (%1)").arg(style::format_count(std::ssize(state.dead))) : tr("Dead letters"));
  no_letters_->setVisible(!dead);
  letter_table_->setVisible(dead);
  emit selection_changed();  // the state of the selected rows may have changed
}

/**
 * Sets the column spans of headings. Spans belong to row positions, so spans of moved rows must be removed.
 */
void FleetTables::span_headings() {
  worker_table_->clearSpans();
  for (int row = 0; row < workers_.rowCount(); ++row)
    if (workers_.row(row).heading) worker_table_->setSpan(row, 0, 1, models::FleetWorkerModel::column_count);
}

void FleetTables::select(const std::vector<std::string>& keys) {
  QItemSelection rows;
  for (int row = 0; row < workers_.rowCount(); ++row)
    if (std::ranges::find(keys, workers_.row(row).key()) != keys.end())
      rows.select(workers_.index(row, 0), workers_.index(row, models::FleetWorkerModel::column_count - 1));
  worker_table_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
}

void FleetTables::set_actions(const QList<QAction*>& actions) { worker_table_->set_actions(actions); }

std::vector<fleet::WorkerState> FleetTables::selected_workers() const {
  std::vector<fleet::WorkerState> workers;
  for (const int row : worker_table_->selected_rows())
    if (!workers_.row(row).heading) workers.push_back(workers_.row(row).worker);
  return workers;
}

std::optional<std::string> FleetTables::selected_class() const {
  std::optional<std::string> chosen;
  for (const int row : worker_table_->selected_rows()) {
    const std::string& name = workers_.row(row).device_class;
    if (name.empty() || chosen.value_or(name) != name) return std::nullopt;
    chosen = name;
  }
  return chosen;
}

}  // namespace kernelscape::views
