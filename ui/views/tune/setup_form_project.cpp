#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

#include "core/base/visible_text.h"
#include "core/project/host_language.h"
#include "core/project/kernel_project.h"
#include "core/project/trust.h"
#include "core/session/project_preparation.h"
#include "ui/views/tune/setup_form.h"
#include "ui/widgets/form_fields.h"

namespace kernelscape::views {
namespace {

constexpr qsizetype shown_hash_digits = 12;

/** Returns true if the task's name may be a project file; its contents are checked later. */
bool may_name_project(const std::string& task) {
  return task.ends_with(".json") || task.starts_with(session::project_task_prefix);
}

/** Returns the text that the field shows until the project has been read. */
QString short_task(const std::string& task) {
  if (task.starts_with(session::project_task_prefix))
    return SetupForm::tr("project of session %1")
        .arg(QString::fromStdString(task.substr(session::project_task_prefix.size())));
  return QFileInfo(QString::fromStdString(task)).completeBaseName();
}

}  // namespace

QString SetupForm::task_help() {
  return tr(
      "A name of the catalogue, a JSON file of a task or of a project, or a task written out:\n"
      "conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1\nmatmul 512x1024 1024x4096");
}

QString SetupForm::limits_help() {
  return tr(
      "Never propose configurations over the device limits; otherwise each of them costs an instantiation "
      "error. Until you choose, the tuner's default applies: heron and the tuners it is compared with "
      "enforce the limits");
}

/** Returns "C, stencil.c: stencil; content 0123456789ab, trusted": what would be compiled. */
QString SetupForm::project_note() const {
  const project::KernelProject& project = *check_.project;
  const bool trusted = project::is_trusted(check_.project_hash);
  if (project.program)
    return tr("A program: %1\nContent %2…, %3")
        .arg(QString::fromStdString(
                 base::one_line(project::command_lines(project.program->run.commands).front())),
             QString::fromStdString(check_.project_hash).left(shown_hash_digits),
             trusted ? tr("trusted") : tr("not trusted yet: Start asks"));
  return tr("Your own kernel in %1: %2 of %3\nContent %4…, %5")
      .arg(QString::fromStdString(project::language_of(project)),
           QString::fromStdString(base::one_line(project.kernel_name)),
           QString::fromStdString(base::one_line(project.source_name)),
           QString::fromStdString(check_.project_hash).left(shown_hash_digits),
           trusted ? tr("trusted") : tr("not trusted yet: Start asks"));
}

/** Returns the task as a request names it. */
std::string SetupForm::named_task() const {
  const bool named = !project_task_.empty() && task_->currentText() == shown_project_;
  return named ? project_task_ : task_->currentText().trimmed().toStdString();
}

/** Makes the rows that only a user's own kernel has; they are hidden until a project is chosen. */
void SetupForm::make_project_rows(QFormLayout& form) {
  project_notices_ = widgets::make_note(this, &style::Colours::warning);
  see_project_ = new QPushButton(tr("Source and space"), this);
  see_project_->setAccessibleName(tr("Show source and space of the project side by side"));
  see_project_->setToolTip(see_project_->accessibleName());
  outside_files_ = new QCheckBox(tr("Files outside its folder may be read"), this);
  outside_files_->setToolTip(
      tr("Otherwise the files that the project names are read only if they are in the project's folder, "
         "after links are resolved"));
  form.addRow(project_notices_);
  form.addRow(outside_files_);
  form.addRow(see_project_);
  for (QWidget* widget : std::initializer_list<QWidget*>{project_notices_, see_project_, outside_files_})
    widget->hide();
  connect(see_project_, &QPushButton::clicked, this, &SetupForm::project_requested);
  connect(outside_files_, &QCheckBox::toggled, this, &SetupForm::schedule_check);
}

/** Sets the task. A project is shown by its name, because its path would be cut. */
void SetupForm::set_task(const std::string& task) {
  project_task_ = may_name_project(task) ? task : std::string();
  shown_project_ = project_task_.empty() ? QString() : short_task(task);
  task_->setEditText(project_task_.empty() ? QString::fromStdString(task) : shown_project_);
  task_->setToolTip(project_task_.empty() ? task_help() : QString::fromStdString(task));
}

/** Takes the typed or chosen text as the task. */
void SetupForm::take_edited_task() {
  project_task_.clear();
  shown_project_.clear();
  task_->setToolTip(task_help());
  schedule_check();
}

/** Shows the project, if the task is one; templates do not apply to it. */
void SetupForm::show_project() {
  const bool project = check_.project != nullptr;
  // The field names another task now, set by the user or by the program.
  if (task_->currentText() != shown_project_) project_task_.clear();
  if (!project_task_.empty()) {
    // The path of a task file is shown as it was given.
    const QString shown = project       ? QString::fromStdString(base::one_line(check_.project->name))
                          : check_.task ? QString::fromStdString(project_task_)
                                        : shown_project_;
    const QSignalBlocker quiet(task_);
    shown_project_ = shown;
    if (task_->currentText() != shown) task_->setEditText(shown);
    if (!project && check_.task) project_task_.clear();
  }
  QStringList notices;
  for (const std::string& notice : check_.project_notices)
    notices << QString::fromStdString(base::visible_text(notice));
  project_notices_->setText(notices.join(QLatin1Char('\n')));
  project_notices_->setVisible(!notices.isEmpty());
  see_project_->setVisible(project);
  outside_files_->setVisible(project || !project_task_.empty());
  const QString no_template =
      project ? tr("A project of your own kernel has a source in place of a template") : QString();
  widgets::allow_field(*template_, no_template);
  template_->setPlaceholderText(project ? tr("none") : QString());
  respect_limits_->setEnabled(!project);
  respect_limits_->setToolTip(project ? tr("A configuration that the device rejects costs an instantiation "
                                           "error: declare a project's limits as conditions")
                                      : limits_help());
  allow_options();
}

}  // namespace kernelscape::views
