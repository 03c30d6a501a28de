#include "ui/views/library/searched_table.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

#include "ui/style/numbers.h"
#include "ui/views/library/page_head.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/library_table.h"

namespace kernelscape::views {

SearchedTable::SearchedTable(QAbstractItemModel& model, widgets::WordFilter::TextOfRow text_of_row,
                             int sort_role, Texts texts, int sorted_by, Qt::SortOrder order)
    : texts_(std::move(texts)),
      filter_(std::move(text_of_row), sort_role),
      head_(new PageHead(texts_.search_hint, texts_.rows)),
      stack_(new QStackedWidget),
      table_(new widgets::LibraryTable(texts_.name)),
      empty_(new widgets::EmptyState) {
  filter_.setSourceModel(&model);
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(sorted_by, order);
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(stack_, 1);
  connect(head_, &PageHead::searched, this, [this](const QString& text) {
    filter_.set_search(text);
    update_shown();
  });
  connect(table_, &widgets::LibraryTable::rows_selected, this, &SearchedTable::rows_selected);
  connect(table_, &widgets::LibraryTable::row_opened, this,
          [this](int row) { emit row_opened(filter_.mapToSource(filter_.index(row, 0)).row()); });
  connect(empty_, &widgets::EmptyState::action_triggered, this, [this] {
    if (!filter_.searching()) return emit action_triggered();
    head_->clear_search();
  });
}

void SearchedTable::set_actions(const QList<QAction*>& bar, const QList<QAction*>& menu) {
  head_->add_actions(bar);
  table_->set_actions(menu);
}

void SearchedTable::focus_search() { head_->focus_search(); }

std::vector<int> SearchedTable::selected_rows() const {
  std::vector<int> rows = table_->selected_rows();
  for (int& row : rows) row = filter_.mapToSource(filter_.index(row, 0)).row();
  return rows;
}

void SearchedTable::edit_selected(int usual_column) {
  const std::vector<int> rows = table_->selected_rows();
  if (rows.size() != 1) return;
  const QModelIndex current = filter_.index(rows.front(), table_->currentIndex().column());
  const bool editable = current.isValid() && current.flags().testFlag(Qt::ItemIsEditable);
  table_->edit(editable ? current : filter_.index(rows.front(), usual_column));
}

void SearchedTable::show_rows(const QString& count, const EmptyText& empty, bool readable) {
  count_ = count;
  none_ = empty;
  readable_ = readable;
  update_shown();
}

void SearchedTable::update_shown() {
  const int all = filter_.sourceModel()->rowCount();
  const int shown = filter_.rowCount();
  head_->set_count(filter_.searching()
                       ? tr("%1 of %2").arg(style::format_count(shown), style::format_count(all))
                       : count_);
  if (all == 0 || !readable_) {
    empty_->set_text(none_.headline, none_.text, none_.action);
  } else {
    empty_->set_text(texts_.no_match, texts_.searched.arg(head_->search()), tr("Clear the search"));
  }
  stack_->setCurrentIndex(shown == 0 || !readable_ ? 1 : 0);
}

}  // namespace kernelscape::views
