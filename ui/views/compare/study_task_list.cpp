#include "ui/views/compare/study_task_list.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "core/task/catalogue.h"
#include "ui/style/theme.h"

Q_DECLARE_METATYPE(kernelscape::study::Task)

namespace kernelscape::views {
namespace {

/** A task that can be chosen, with its text. */
struct KnownTask {
  study::Task task;
  std::string text;
};

/**
 * Returns the tasks to choose from. Recorded spaces come first, those of the database before the bundled
 * ones, because they need no machine.
 */
std::vector<KnownTask> known_tasks(const std::filesystem::path& database) {
  std::vector<KnownTask> known;
  if (const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly)) {
    if (const auto sessions = store->sessions().list()) {
      for (const store::SessionSummary& session : *sessions) {
        if (session.record.kind != store::SessionKind::Recorded) continue;
        const std::string id = std::to_string(session.record.id);
        const std::string& name = session.record.name;
        // Listed by its name if the name is unambiguous, because runs are labelled with it.
        const bool unique = std::ranges::count(*sessions, name, [](const store::SessionSummary& other) {
                              return other.record.name;
                            }) == 1;
        const bool named = unique && !name.empty() && name.find_first_of("/.") == std::string::npos;
        study::Task task;
        task.target = std::string(session::recorded_target_prefix) + (named ? name : id);
        known.push_back({task, "recorded: " + (name.empty() ? session.record.task_name : name) + " #" + id});
      }
    }
  }
  for (const std::filesystem::path& file : study::bundled_recordings()) {
    study::Task task;
    task.target = std::string(session::recorded_target_prefix) + file.string();
    known.push_back({task, "bundled recording: " + file.stem().string()});
  }
  if (const Result<task::Catalogue> catalogue = task::Catalogue::load_default()) {
    for (const task::Task& entry : catalogue->tasks()) {
      study::Task task;
      task.task = entry.name;
      known.push_back({task, entry.name});
    }
  }
  return known;
}

QString text_of(const study::Task& task) {
  const std::string& text = task.task.empty() ? task.target : task.task;
  return QString::fromStdString(text);
}

study::Task task_of(const QListWidgetItem& item) { return item.data(Qt::UserRole).value<study::Task>(); }

}  // namespace

StudyTaskList::StudyTaskList(QWidget* parent)
    : QGroupBox(parent), filter_(new QLineEdit), list_(new QListWidget) {
  setTitle(tr("Tasks"));
  setFlat(true);
  list_->setAccessibleName(tr("Tasks"));
  filter_->setAccessibleName(tr("Search tasks"));
  filter_->setPlaceholderText(tr("Search tasks"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, &StudyTaskList::filter);
  connect(list_, &QListWidget::itemChanged, this, &StudyTaskList::changed);
  auto* files = new QPushButton(tr("Add recorded spaces from files..."));
  connect(files, &QPushButton::clicked, this, &StudyTaskList::spaces_requested);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, style::grid_pixels, 0, 0);
  layout->addWidget(filter_);
  layout->addWidget(list_, 1);
  layout->addWidget(files);
}

void StudyTaskList::load_known(const std::filesystem::path& database) {
  job_.start([database](const workspace::JobControl&) { return known_tasks(database); },
             [this](const std::vector<KnownTask>& known) {
               for (const KnownTask& task : known) add(task.task, QString::fromStdString(task.text), false);
               filter();
               emit changed();
             });
}

void StudyTaskList::add_spaces(const QStringList& files) {
  for (const QString& file : files) {
    study::Task task;
    task.target = std::string(session::recorded_target_prefix) + file.toStdString();
    add(task, file, true);
  }
}

void StudyTaskList::add(const study::Task& task, const QString& text, bool checked) {
  const QSignalBlocker quiet(list_);
  for (int row = 0; row < list_->count(); ++row) {
    if (task_of(*list_->item(row)) != task) continue;
    if (checked) list_->item(row)->setCheckState(Qt::Checked);
    return;
  }
  auto* item = new QListWidgetItem(text);
  item->setData(Qt::UserRole, QVariant::fromValue(task));
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  list_->addItem(item);
}

void StudyTaskList::lift(const std::vector<study::Task>& tasks) {
  for (int place = 0; place < std::ssize(tasks); ++place) {
    int row = place;
    while (task_of(*list_->item(row)) != tasks[static_cast<std::size_t>(place)]) ++row;
    if (row != place) list_->insertItem(place, list_->takeItem(row));
  }
  list_->scrollToTop();
}

/** Shows the tasks that contain the searched text. Checked tasks stay visible. */
void StudyTaskList::filter() {
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    item->setHidden(item->checkState() != Qt::Checked &&
                    !item->text().contains(filter_->text().trimmed(), Qt::CaseInsensitive));
  }
}

std::vector<study::Task> StudyTaskList::chosen() const {
  std::vector<study::Task> tasks;
  for (int row = 0; row < list_->count(); ++row)
    if (list_->item(row)->checkState() == Qt::Checked) tasks.push_back(task_of(*list_->item(row)));
  return tasks;
}

void StudyTaskList::set_chosen(const std::vector<study::Task>& tasks) {
  {
    const QSignalBlocker quiet(list_);
    for (int row = 0; row < list_->count(); ++row) list_->item(row)->setCheckState(Qt::Unchecked);
  }
  for (const study::Task& task : tasks) add(task, text_of(task), true);
  lift(tasks);
}

}  // namespace kernelscape::views
