#include "ui/views/compare/study_dialog.h"

#include <fmt/format.h>

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/study/arm_settings.h"
#include "core/task/catalogue.h"
#include "core/tuner/tuner.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/compare/bundled_studies_menu.h"
#include "ui/views/compare/plan_panel.h"
#include "ui/views/compare/study_files.h"

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

/**
 * Returns a tuner's text in the syntax of parse_arm().
 * @param settings "population=50, elite=2" or separated by blanks
 */
QString tuner_text(const QString& tuner, const QString& batch, const QString& settings) {
  static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
  const QString first = batch.isEmpty() ? tuner : tuner + QLatin1Char('@') + batch;
  return (QStringList(first) + settings.split(between, Qt::SkipEmptyParts)).join(QLatin1Char(':'));
}

QLineEdit* make_line(const QString& name, const QString& text) {
  auto* line = new QLineEdit(text);
  line->setAccessibleName(name);
  return line;
}

QString text_of(const study::Task& task) {
  const std::string& text = task.task.empty() ? task.target : task.task;
  return QString::fromStdString(text);
}

}  // namespace

StudyDialog::StudyDialog(workspace::Workspace& workspace, QWidget* parent)
    : widgets::RequestDialog(tr("New study"), parent),
      workspace_(workspace),
      files_(new StudyFiles(*this)),
      name_(make_line(tr("Name of the study"), tr("my study"))),
      tuners_(new QTableWidget(0, tuner_columns)),
      task_filter_(make_line(tr("Search tasks"), {})),
      tasks_(new QListWidget),
      repeats_(new QSpinBox),
      trials_(new QSpinBox),
      minutes_(new QDoubleSpinBox),
      search_time_(new QComboBox),
      candidate_seconds_(new QDoubleSpinBox),
      baseline_(new QComboBox),
      paired_starts_(new QCheckBox(tr("Paired starts"))),
      controls_(new QCheckBox(tr("Add random controls"))),
      plan_(new PlanPanel) {
  auto* lists = new QHBoxLayout;
  lists->setSpacing(style::grid_pixels);
  lists->addWidget(make_tuners(), 4);
  lists->addWidget(make_tasks(), 3);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(style::grid_pixels);
  layout->addLayout(make_form());
  layout->addLayout(lists, 3);
  layout->addWidget(&message_line());
  layout->addWidget(plan_, 2);
  layout->addLayout(make_all_buttons());
  set_usual_size({960, 720});
  for (const tuner::Declaration& tuner : tuner::tuner_registry())
    add_tuner_row(QString::fromStdString(tuner.name), {}, {}, {},
                  tuner.name == tuner::sampling_tuner || tuner.name == tuner::default_tuner);
  connect_files();
  listen_to(workspace_.study_runner());
  check();
}

void StudyDialog::connect_files() {
  connect(files_, &StudyFiles::spaces_chosen, this, &StudyDialog::add_spaces);
  connect(files_, &StudyFiles::loaded, this, &StudyDialog::set_study);
  connect(files_, &StudyFiles::saved, this,
          [this](const QString& file) { notify(tr("Saved %1").arg(file)); });
  connect(files_, &StudyFiles::failed, this, [this](const QString& message) { show_problem(message); });
}

void StudyDialog::add_spaces(const QStringList& files) {
  for (const QString& file : files) {
    study::Task task;
    task.target = std::string(session::recorded_target_prefix) + file.toStdString();
    add_task_item(task, file, true);
  }
  check();
}

void StudyDialog::save() {
  const Result<study::Definition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  files_->save(*checked);
}

void StudyDialog::add_task_item(const study::Task& task, const QString& text, bool checked) {
  const QSignalBlocker quiet(tasks_);
  for (int row = 0; row < tasks_->count(); ++row) {
    QListWidgetItem* item = tasks_->item(row);
    if (item->data(Qt::UserRole).value<study::Task>() != task) continue;
    if (checked) item->setCheckState(Qt::Checked);
    return;
  }
  auto* item = new QListWidgetItem(text);
  item->setData(Qt::UserRole, QVariant::fromValue(task));
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  tasks_->addItem(item);
}

void StudyDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  load_known_tasks();
}

void StudyDialog::load_known_tasks() {
  tasks_job_.start(
      [database = workspace_.database()](const workspace::JobControl&) { return known_tasks(database); },
      [this](const std::vector<KnownTask>& known) {
        for (const KnownTask& task : known)
          add_task_item(task.task, QString::fromStdString(task.text), false);
        filter_tasks(task_filter_->text());
        check();
      });
}

/**
 * Moves these tasks to the top, in the order of the study, because the seeds of runs depend on a task's
 * position.
 */
void StudyDialog::lift_tasks(const std::vector<study::Task>& tasks) {
  for (int place = 0; place < std::ssize(tasks); ++place) {
    int row = place;
    while (tasks_->item(row)->data(Qt::UserRole).value<study::Task>() !=
           tasks[static_cast<std::size_t>(place)])
      ++row;
    if (row != place) tasks_->insertItem(place, tasks_->takeItem(row));
  }
  tasks_->scrollToTop();
}

/**
 * Restores properties of loaded arms: their order, on which seeds and colours depend, their names, and
 * properties without a column.
 */
void StudyDialog::keep_loaded_arms(std::vector<study::Arm>& arms) const {
  std::vector<bool> kept(rest_.arms.size());
  std::vector<std::pair<std::size_t, study::Arm>> placed;
  for (study::Arm& arm : arms) {
    std::size_t place = 0;
    for (; place < rest_.arms.size(); ++place) {
      const study::Arm& known = rest_.arms[place];
      if (!kept[place] && !known.control && known.tuner == arm.tuner && known.batch == arm.batch &&
          known.settings == arm.settings && known.measuring == arm.measuring)
        break;
    }
    if (place < rest_.arms.size()) {
      kept[place] = true;
      arm = rest_.arms[place];
    }
    placed.emplace_back(place, std::move(arm));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, study::Arm>::first);
  arms.clear();
  for (auto& [place, arm] : placed) arms.push_back(std::move(arm));
}

/** Filters the list of tasks. Checked tasks stay visible. */
void StudyDialog::filter_tasks(const QString& words) {
  for (int row = 0; row < tasks_->count(); ++row) {
    QListWidgetItem* item = tasks_->item(row);
    item->setHidden(item->checkState() != Qt::Checked &&
                    !item->text().contains(words.trimmed(), Qt::CaseInsensitive));
  }
}

Result<study::Arm> StudyDialog::arm_of_row(int row) const {
  const QString text =
      tuner_text(tuners_->item(row, tuner_column)->text(), tuners_->item(row, batch_column)->text().trimmed(),
                 tuners_->item(row, settings_column)->text());
  study::Arm arm = TRY(study::parse_arm(text.toStdString()));
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(arm.tuner));
  TRY(tuner::parse_settings(*tuner, arm.settings));
  const trial::MeasureOptions measuring = TRY(
      study::parse_measuring(tuners_->item(row, measuring_column)->text().toStdString(), rest_.measuring));
  if (measuring == rest_.measuring) return arm;
  arm.measuring = measuring;
  // The name must distinguish the arm from one that is measured with the study's options.
  arm.name = fmt::format("{} ({})", arm.tuner, study::arm_text(rest_, arm));
  return arm;
}

Result<study::Definition> StudyDialog::study() const {
  study::Definition study = rest_;
  study.name = name_->text().trimmed().toStdString();
  study.arms.clear();
  for (int row = 0; row < tuners_->rowCount(); ++row) {
    if (tuners_->item(row, tuner_column)->checkState() != Qt::Checked) continue;
    study.arms.push_back(TRY(arm_of_row(row)));
  }
  keep_loaded_arms(study.arms);
  study.tasks.clear();
  for (int row = 0; row < tasks_->count(); ++row)
    if (tasks_->item(row)->checkState() == Qt::Checked)
      study.tasks.push_back(tasks_->item(row)->data(Qt::UserRole).value<study::Task>());
  study.repeats = repeats_->value();
  study.paired_starts = paired_starts_->isChecked();
  study.controls = controls_->isChecked();
  study.budget.trials = trials_->value();
  study.budget.minutes = minutes_->value();
  study.search_time = search_time();
  study.seed = TRY(seed());
  study.baseline = baseline_->currentText().toStdString();
  const bool known = std::ranges::find(study.arms, study.baseline, &study::Arm::name) != study.arms.end();
  if (!known) study.baseline.clear();
  TRY(study::check_study(study));
  return study;
}

void StudyDialog::set_study(const study::Definition& study) {
  rest_ = study;
  const QSignalBlocker quiet_tuners(tuners_);
  for (int row = 0; row < tuners_->rowCount(); ++row)
    tuners_->item(row, tuner_column)->setCheckState(Qt::Unchecked);
  for (const study::Arm& arm : study.arms) {
    if (arm.control) continue;  // controls are added again automatically
    const QString tuner = QString::fromStdString(arm.tuner);
    const QString batch =
        arm.batch == 0 ? QString() : QString::fromStdString(study::arm_batch_text(arm.batch));
    QStringList settings;
    for (const auto& [name, value] : arm.settings)
      settings.append(QString::fromStdString(fmt::format("{}={}", name, value)));
    const QString measuring = QString::fromStdString(
        study::measuring_text(arm.measuring.value_or(study.measuring), study.measuring));
    int free_row = -1;
    for (int row = 0; row < tuners_->rowCount() && free_row < 0; ++row)
      if (tuners_->item(row, tuner_column)->text() == tuner &&
          tuners_->item(row, tuner_column)->checkState() == Qt::Unchecked)
        free_row = row;
    if (free_row < 0) {
      add_tuner_row(tuner, settings.join(QStringLiteral(", ")), measuring, batch, true);
    } else {
      tuners_->item(free_row, tuner_column)->setCheckState(Qt::Checked);
      tuners_->item(free_row, settings_column)->setText(settings.join(QStringLiteral(", ")));
      tuners_->item(free_row, measuring_column)->setText(measuring);
      tuners_->item(free_row, batch_column)->setText(batch);
    }
  }
  {
    const QSignalBlocker quiet(tasks_);
    for (int row = 0; row < tasks_->count(); ++row) tasks_->item(row)->setCheckState(Qt::Unchecked);
  }
  for (const study::Task& task : study.tasks) add_task_item(task, text_of(task), true);
  lift_tasks(study.tasks);
  name_->setText(QString::fromStdString(study.name));
  repeats_->setValue(study.repeats);
  paired_starts_->setChecked(study.paired_starts);
  controls_->setChecked(study.controls);
  trials_->setValue(static_cast<int>(std::min<std::int64_t>(study.budget.trials, trials_->maximum())));
  minutes_->setValue(study.budget.minutes);
  set_search_time(study.search_time);
  seed_line().setText(QString::number(study.seed));
  check();
  if (!study.baseline.empty()) baseline_->setCurrentText(QString::fromStdString(study.baseline));
}

QString StudyDialog::plan_text() const { return plan_->text(); }

void StudyDialog::judge(const study::Definition& study) {
  plan_job_.start(
      [study, reader = recorded_tasks_, database = workspace_.database()](const workspace::JobControl&) {
        const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
        return study::plan_study(study, *reader, store ? &*store : nullptr);
      },
      [this](const study::StudyPlan& plan) { plan_->set_plan(plan); });
}

void StudyDialog::check() {
  const Result<study::Definition> checked = study();
  start_button().setEnabled(checked.has_value() && !awaiting());
  if (!checked) {
    plan_job_.cancel();
    plan_->clear();
    return show_problem(QString::fromStdString(describe(checked.error())));
  }
  judge(*checked);
  const QString chosen = baseline_->currentText();
  baseline_->clear();
  for (const study::Arm& arm : checked->arms) baseline_->addItem(QString::fromStdString(arm.name));
  baseline_->setCurrentIndex(std::max(0, baseline_->findText(chosen)));
  const auto real = std::ranges::count_if(checked->tasks, [](const study::Task& t) { return !t.recorded(); });
  study::Definition planned = *checked;
  study::add_controls(planned);
  const std::size_t controls = planned.arms.size() - checked->arms.size();
  const auto runs_per_task = static_cast<qint64>(planned.arms.size()) * checked->repeats;
  const qint64 runs = runs_per_task * std::ssize(checked->tasks);
  const QString tuners =
      controls == 0 ? tr("%1 tuners").arg(planned.arms.size())
                    : tr("%1 tuners (%2 of them random controls)").arg(planned.arms.size()).arg(controls);
  QString text = tr("%1 runs: %2 x %3 tasks x %4 repeats.")
                     .arg(style::format_count(runs), tuners)
                     .arg(checked->tasks.size())
                     .arg(checked->repeats);
  if (real == 0) {
    text += tr(" Replays only: they take seconds.");
  } else {
    text += tr(" Those measured on this machine take roughly %1.")
                .arg(style::format_duration(measuring_seconds(*checked)));
  }
  notify(text);
}

void StudyDialog::start() {
  Result<study::Definition> checked = study();
  if (!checked) return show_problem(QString::fromStdString(describe(checked.error())));
  start_button().setEnabled(false);
  notify(tr("Looking up tasks and templates ..."));
  await(workspace_.study_runner().start(std::move(*checked)));
}

}  // namespace kernelscape::views
