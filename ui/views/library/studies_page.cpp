#include "ui/views/library/studies_page.h"

#include <QVBoxLayout>
#include <chrono>

#include "ui/style/numbers.h"
#include "ui/views/library/searched_table.h"
#include "ui/widgets/action_bar.h"
#include "ui/workspace/study_runner.h"

namespace kernelscape::views {
namespace {

constexpr std::chrono::seconds refresh_interval{2};

QString searched_study_text(const store::StudySummary& study) {
  return QString::fromStdString(study.record.name + '\n' + study.annotation.note + '\n') +
         models::study_state_text(study);
}

std::vector<std::string> tags_from(const QString& text) {
  std::vector<std::string> tags;
  for (const QString& tag : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    if (const QString trimmed = tag.simplified(); !trimmed.isEmpty()) tags.push_back(trimmed.toStdString());
  }
  return tags;
}

}  // namespace

StudiesPage::StudiesPage(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      table_(new SearchedTable(
          model_, [this](int row) { return searched_study_text(model_.study(row)); },
          models::StudyModel::SortRole,
          {.name = tr("Studies"),
           .rows = tr("studies"),
           .search_hint = tr("Search name, note, state"),
           .no_match = tr("No study matches"),
           .searched = tr("No name, note or state has all the words of \u201c%1\u201d.")},
          models::StudyModel::IdColumn, Qt::DescendingOrder)),
      undo_bar_(new widgets::ActionBar(tr("Deleted studies"))) {
  setAccessibleName(tr("Studies"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(table_, 1);
  layout->addWidget(undo_bar_);

  connect(table_, &SearchedTable::rows_selected, this, &StudiesPage::selection_changed);
  connect(table_, &SearchedTable::row_opened, this,
          [this](int row) { emit study_opened(model_.study(row)); });
  connect(table_, &SearchedTable::action_triggered, this, &StudiesPage::compare_requested);
  connect(&model_, &models::StudyModel::edited, this, &StudiesPage::write_edit);
  connect(undo_bar_, &widgets::ActionBar::action_triggered, this, &StudiesPage::undo_delete);
  connect(&workspace_.study_runner(), &workspace::StudyRunner::ended, this, &StudiesPage::load);
  refresh_.setInterval(refresh_interval);
  connect(&refresh_, &QTimer::timeout, this, &StudiesPage::load);
  update_shown();
}

void StudiesPage::set_actions(const QList<QAction*>& actions) { table_->set_actions(actions, actions); }

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
      [database =
           workspace_.database()](const workspace::JobControl&) -> Result<std::vector<store::StudySummary>> {
        const store::Store store = TRY(store::Store::open(database, store::OpenMode::ReadOnly));
        std::vector<store::StudySummary> studies = TRY(store.studies().all());
        std::erase_if(studies,
                      [](const store::StudySummary& study) { return store::is_collection(study.record); });
        return studies;
      },
      [this](const Result<std::vector<store::StudySummary>>& studies) {
        if (!studies) return;  // the list of sessions has reported the error already
        model_.set_studies(*studies);
        update_shown();
        emit selection_changed();
      });
}

void StudiesPage::write_edit(store::StudyId id, int column, const QString& text) {
  workspace_.write([&](store::Store& store) {
    if (column == models::StudyModel::NameColumn)
      return store.studies().set_name(id, text.simplified().toStdString());
    if (column == models::StudyModel::NoteColumn) return store.studies().set_note(id, text.toStdString());
    return store.studies().set_tags(id, tags_from(text));
  });
  load();
}

void StudiesPage::update_shown() {
  const int all = model_.rowCount();
  table_->show_rows(all == 1 ? tr("1 study") : tr("%1 studies").arg(style::format_count(all)),
                    {tr("No study yet"),
                     tr("A study runs several tuners on several tasks, more than once, and compares them. "
                        "Some studies are built in."),
                     tr("Go to Compare")});
}

std::vector<store::StudySummary> StudiesPage::selected() const {
  std::vector<store::StudySummary> studies;
  for (const int row : table_->selected_rows()) studies.push_back(model_.study(row));
  return studies;
}

void StudiesPage::focus_search() { table_->focus_search(); }

void StudiesPage::edit_selected() { table_->edit_selected(models::StudyModel::NameColumn); }

void StudiesPage::delete_selected() {
  std::size_t count = 0;
  for (const store::StudySummary& study : selected()) {
    const store::StudyId id = study.record.id;
    if (!workspace_.write([id](store::Store& store) { return store.studies().trash(id); })) continue;
    deleted_.push_back(id);
    ++count;
  }
  if (count == 0) return;
  undo_bar_->notify(count == 1
                        ? tr("Deleted study %1").arg(deleted_.back())
                        : tr("Deleted %1 studies").arg(style::format_count(static_cast<std::int64_t>(count))),
                    tr("Undo"));
  load();
}

void StudiesPage::undo_delete() {
  if (deleted_.empty()) return;
  const store::StudyId id = deleted_.back();
  if (!workspace_.write([id](store::Store& store) { return store.studies().restore(id); })) return;
  deleted_.pop_back();
  undo_bar_->notify(tr("Restored study %1").arg(id), deleted_.empty() ? QString() : tr("Undo"));
  load();
}

}  // namespace kernelscape::views
