#include "ui/views/tune/task_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

#include "core/base/visible_text.h"
#include "core/project/host_language.h"
#include "core/project/kernel_project.h"
#include "core/project/trust.h"
#include "core/session/project_preparation.h"
#include "ui/style/numbers.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr auto first_task = "resnet18/C6";
constexpr qsizetype shown_hash_digits = 12;

/** Returns true if the task's name may be a project file; its contents are checked later. */
bool may_name_project(const std::string& task) {
  return task.ends_with(".json") || task.starts_with(session::project_task_prefix);
}

/** Returns the text that the field shows until the project has been read. */
QString short_task(const std::string& task) {
  if (task.starts_with(session::project_task_prefix))
    return TaskFields::tr("project of session %1")
        .arg(QString::fromStdString(task.substr(session::project_task_prefix.size())));
  return QFileInfo(QString::fromStdString(task)).completeBaseName();
}

QString task_help() {
  return TaskFields::tr(
      "A name of the catalogue, a JSON file of a task or of a project, or a task written out:\n"
      "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1\nmatmul 512x1024 1024x4096");
}

/** Returns "231.2 MFLOP, 1.4 MB": the minimum work and memory traffic of a task. */
QString task_note(const task::Task& task) {
  QString text = QString::fromStdString(task.text);
  if (task.flops() > 0)
    text += QStringLiteral("\n") + style::format_quantity(task.flops(), QStringLiteral("FLOP"));
  return text;
}

/** Returns "C, stencil.c: stencil; content 0123456789ab, trusted": what would be compiled. */
QString project_note(const project::KernelProject& project, const std::string& hash) {
  const QString trust =
      project::is_trusted(hash) ? TaskFields::tr("trusted") : TaskFields::tr("not trusted yet: Start asks");
  const QString digits = QString::fromStdString(hash).left(shown_hash_digits);
  if (project.program)
    return TaskFields::tr("A program: %1\nContent %2…, %3")
        .arg(QString::fromStdString(
                 base::one_line(project::command_lines(project.program->run.commands).front())),
             digits, trust);
  return TaskFields::tr("Your own kernel in %1: %2 of %3\nContent %4…, %5")
      .arg(QString::fromStdString(project::language_of(project)),
           QString::fromStdString(base::one_line(project.kernel_name)),
           QString::fromStdString(base::one_line(project.source_name)), digits, trust);
}

}  // namespace

TaskFields::TaskFields(QFormLayout& rows, QWidget* parent) : QObject(parent) {
  make_task_rows(rows, parent);
  make_project_rows(rows, parent);
}

void TaskFields::make_task_rows(QFormLayout& rows, QWidget* parent) {
  task_ = new QComboBox(parent);
  task_->setEditable(true);
  task_->setInsertPolicy(QComboBox::NoInsert);
  task_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  task_->setMinimumContentsLength(16);
  task_->setAccessibleName(tr("Task: a name of the catalogue, a file, or a task written out"));
  task_->setToolTip(task_help());
  task_->setEditText(QString::fromLatin1(first_task));
  task_->completer()->setFilterMode(Qt::MatchContains);
  task_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  task_text_ = widgets::make_note(parent);
  rows.addRow(tr("Task"), task_);
  rows.addRow(task_text_);
  connect(task_, &QComboBox::editTextChanged, this, &TaskFields::changed);
  connect(task_->lineEdit(), &QLineEdit::textEdited, this, &TaskFields::take_edited_task);
  connect(task_, &QComboBox::activated, this, &TaskFields::take_edited_task);
}

/** Makes the rows that only a user's own kernel has; they are hidden until a project is chosen. */
void TaskFields::make_project_rows(QFormLayout& rows, QWidget* parent) {
  project_notices_ = widgets::make_note(parent, &style::Colours::warning);
  see_project_ = new QPushButton(tr("Source and space"), parent);
  see_project_->setAccessibleName(tr("Show source and space of the project side by side"));
  see_project_->setToolTip(see_project_->accessibleName());
  outside_files_ = new QCheckBox(tr("Files outside its folder may be read"), parent);
  outside_files_->setToolTip(
      tr("Otherwise the files that the project names are read only if they are in the project's folder, "
         "after links are resolved"));
  rows.addRow(project_notices_);
  rows.addRow(outside_files_);
  rows.addRow(see_project_);
  for (QWidget* widget : std::initializer_list<QWidget*>{project_notices_, see_project_, outside_files_})
    widget->hide();
  connect(see_project_, &QPushButton::clicked, this, &TaskFields::project_requested);
  connect(outside_files_, &QCheckBox::toggled, this, &TaskFields::changed);
}

void TaskFields::write(session::TuningRequest& request) const {
  const bool named = names_project() && task_->currentText() == shown_project_;
  request.task = named ? project_task_ : task_->currentText().trimmed().toStdString();
  request.outside_files = outside_files_->isChecked() && request.task.ends_with(".json");
}

void TaskFields::read(const session::TuningRequest& request) {
  const QString task = QString::fromStdString(request.task);
  project_task_ = may_name_project(request.task) ? request.task : std::string();
  shown_project_ = names_project() ? short_task(request.task) : QString();
  task_->setEditText(names_project() ? shown_project_ : task);
  task_->setToolTip(names_project() ? task : task_help());
  outside_files_->setChecked(request.outside_files);
}

void TaskFields::offer(const task::Catalogue& catalogue) {
  const QSignalBlocker quiet(task_);
  const QString typed = task_->currentText();
  for (const task::Task& task : catalogue.tasks()) {
    task_->addItem(QString::fromStdString(task.name));
    task_->setItemData(task_->count() - 1, QString::fromStdString(task.text), Qt::ToolTipRole);
  }
  task_->setCurrentIndex(-1);
  task_->setEditText(typed);
}

void TaskFields::set_enabled(bool enabled) { task_->setEnabled(enabled); }

void TaskFields::focus() {
  task_->setFocus(Qt::ShortcutFocusReason);
  task_->lineEdit()->selectAll();
}

/** Takes the typed or chosen text as the task. */
void TaskFields::take_edited_task() {
  project_task_.clear();
  shown_project_.clear();
  task_->setToolTip(task_help());
  emit changed();
}

void TaskFields::show_check(const FormCheck& check) {
  task_text_->setText(check.project ? project_note(*check.project, check.project_hash)
                      : check.task  ? task_note(*check.task)
                                    : QString());
  task_text_->setVisible(check.task.has_value());
  show_name(check);
  show_project(check);
}

/** Shows the name of the project in place of its file. */
void TaskFields::show_name(const FormCheck& check) {
  // The field names another task now, set by the user or by the program.
  if (task_->currentText() != shown_project_) project_task_.clear();
  if (!names_project()) return;
  // The path of a task file is shown as it was given.
  const QString shown = check.project ? QString::fromStdString(base::one_line(check.project->name))
                        : check.task  ? QString::fromStdString(project_task_)
                                      : shown_project_;
  const QSignalBlocker quiet(task_);
  shown_project_ = shown;
  if (task_->currentText() != shown) task_->setEditText(shown);
  if (!check.project && check.task) project_task_.clear();
}

void TaskFields::show_project(const FormCheck& check) {
  QStringList notices;
  for (const std::string& notice : check.project_notices)
    notices << QString::fromStdString(base::visible_text(notice));
  project_notices_->setText(notices.join(QLatin1Char('\n')));
  project_notices_->setVisible(!notices.isEmpty());
  see_project_->setVisible(check.project != nullptr);
  outside_files_->setVisible(check.project != nullptr || names_project());
}

}  // namespace kernelscape::views
