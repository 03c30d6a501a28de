#include "ui/views/library/studies_page.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolBar>
#include <QVBoxLayout>
#include <chrono>

#include "ui/style/icons.h"
#include "ui/style/numbers.h"
#include "ui/views/library/action_bar.h"
#include "ui/views/library/empty_state.h"
#include "ui/views/library/library_table.h"
#include "ui/views/trials/themed_label.h"

namespace kernelscape {
namespace {

constexpr int grid = 8;
constexpr std::chrono::seconds refresh_interval{2};

QString searched_text(const StudySummary& study) {
  return QString::fromStdString(study.record.name + '\n' + study.annotation.note + '\n') +
         study_state_text(study);
}

std::vector<std::string> tags_from(const QString& text) {
  std::vector<std::string> tags;
  for (const QString& tag : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    if (const QString trimmed = tag.simplified(); !trimmed.isEmpty()) tags.push_back(trimmed.toStdString());
  }
  return tags;
}

}  // namespace

StudiesPage::StudiesPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      filter_([this](int row) { return searched_text(model_.study(row)); }, StudyModel::SortRole),
      tool_bar_(new QToolBar),
      search_(new QLineEdit),
      count_(new ThemedLabel(TextSize::Normal, &Colours::muted_text)),
      stack_(new QStackedWidget),
      table_(new LibraryTable(tr("Studies"))),
      empty_(new EmptyState),
      undo_bar_(new ActionBar(tr("Deleted studies"))) {
  setAccessibleName(tr("Studies"));
  search_->setPlaceholderText(tr("Search name, note, state"));
  search_->setAccessibleName(tr("Search studies"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  search_->setMinimumWidth(30 * grid);
  tool_bar_->setAccessibleName(tr("Actions on the selected studies"));
  tool_bar_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tool_bar_->setIconSize({2 * grid, 2 * grid});
  filter_.setSourceModel(&model_);
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(StudyModel::IdColumn, Qt::DescendingOrder);
  stack_->addWidget(table_);
  stack_->addWidget(empty_);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(grid, grid, grid, grid);
  top->setSpacing(grid);
  top->addWidget(search_, 1);
  top->addWidget(count_);
  top->addWidget(tool_bar_, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(stack_, 1);
  layout->addWidget(undo_bar_);

  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_.set_search(text);
    update_shown();
  });
  connect(table_, &LibraryTable::rows_selected, this, &StudiesPage::selection_changed);
  connect(table_, &LibraryTable::row_opened, this, [this](int row) {
    emit study_opened(model_.study(filter_.mapToSource(filter_.index(row, 0)).row()).record.id);
  });
  connect(&model_, &StudyModel::edited, this, &StudiesPage::write_edit);
  connect(empty_, &EmptyState::action_triggered, this, [this] {
    if (!filter_.searching()) return emit compare_requested();
    search_->clear();
  });
  connect(undo_bar_, &ActionBar::action_triggered, this, &StudiesPage::undo_delete);
  connect(&workspace_.study_runner(), &StudyRunner::ended, this, &StudiesPage::load);
  refresh_.setInterval(refresh_interval);
  connect(&refresh_, &QTimer::timeout, this, &StudiesPage::load);
  update_shown();
}

void StudiesPage::set_actions(const QList<QAction*>& actions) {
  tool_bar_->addActions(actions);
  table_->set_actions(actions);
}

void StudiesPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load();
  refresh_.start();
}

void StudiesPage::hideEvent(QHideEvent* event) {
  refresh_.stop();
  QWidget::hideEvent(event);
}

void StudiesPage::load() {
  if (job_.busy() || !isVisible()) return;
  job_.start(
      [database = workspace_.database()](const JobControl&) -> Result<std::vector<StudySummary>> {
        const Result<Store> store = Store::open(database, OpenMode::ReadOnly);
        if (!store) return std::unexpected(store.error());
        return store->studies();
      },
      [this](const Result<std::vector<StudySummary>>& studies) {
        if (!studies) return;  // the list of sessions has told it already
        model_.set_studies(*studies);
        update_shown();
        emit selection_changed();
      });
}

void StudiesPage::write_edit(StudyId id, int column, const QString& text) {
  workspace_.write([&](Store& store) {
    if (column == StudyModel::NameColumn) return store.set_study_name(id, text.simplified().toStdString());
    if (column == StudyModel::NoteColumn) return store.set_study_note(id, text.toStdString());
    return store.set_study_tags(id, tags_from(text));
  });
  load();
}

void StudiesPage::update_shown() {
  const int all = model_.rowCount();
  const int shown = filter_.rowCount();
  count_->setText(filter_.searching() ? tr("%1 of %2").arg(format_count(shown), format_count(all))
                  : all == 1          ? tr("1 study")
                                      : tr("%1 studies").arg(format_count(all)));
  if (all == 0) {
    empty_->set_text(tr("No study yet"),
                     tr("A study runs several tuners on several tasks, more than once, and compares them. "
                        "Some come with the program."),
                     tr("Go to Compare"));
  } else {
    empty_->set_text(tr("No study matches"),
                     tr("No name, note or state has all the words of \u201c%1\u201d.").arg(search_->text()),
                     tr("Clear the search"));
  }
  stack_->setCurrentIndex(shown == 0 ? 1 : 0);
}

std::vector<StudySummary> StudiesPage::selected() const {
  std::vector<StudySummary> studies;
  for (const int row : table_->selected_rows())
    studies.push_back(model_.study(filter_.mapToSource(filter_.index(row, 0)).row()));
  return studies;
}

void StudiesPage::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void StudiesPage::edit_selected() {
  const std::vector<int> rows = table_->selected_rows();
  if (rows.size() != 1) return;
  const QModelIndex current = filter_.index(rows.front(), table_->currentIndex().column());
  const bool editable = current.isValid() && current.flags().testFlag(Qt::ItemIsEditable);
  table_->edit(editable ? current : filter_.index(rows.front(), StudyModel::NameColumn));
}

void StudiesPage::delete_selected() {
  std::size_t count = 0;
  for (const StudySummary& study : selected()) {
    const StudyId id = study.record.id;
    if (!workspace_.write([id](Store& store) { return store.trash_study(id); })) continue;
    deleted_.push_back(id);
    ++count;
  }
  if (count == 0) return;
  undo_bar_->tell(count == 1 ? tr("Deleted study %1").arg(deleted_.back())
                             : tr("Deleted %1 studies").arg(format_count(static_cast<std::int64_t>(count))),
                  tr("Undo"));
  load();
}

void StudiesPage::undo_delete() {
  if (deleted_.empty()) return;
  const StudyId id = deleted_.back();
  if (!workspace_.write([id](Store& store) { return store.restore_trashed_study(id); })) return;
  deleted_.pop_back();
  undo_bar_->tell(tr("Brought study %1 back").arg(id), deleted_.empty() ? QString() : tr("Undo"));
  load();
}

}  // namespace kernelscape
