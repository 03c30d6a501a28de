#include "ui/frame/file_opener.h"

#include <QFileDialog>
#include <QFileInfo>

#include "core/exchange/importer.h"
#include "ui/files/dialog.h"
#include "ui/workspace/new_project_files.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame {
namespace {

/** Opens a file dialog without blocking. */
QFileDialog* ask_for_file(const QString& title, const QString& filter, QWidget* parent) {
  QFileDialog* dialog = files::make_file_dialog(parent, title, {}, filter);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->open();
  return dialog;
}

/** Returns the patterns of importable files: "*.json *.json.gz ...". */
QString importable_patterns() {
  QStringList patterns;
  for (const std::string& ending : exchange::importable_endings())
    patterns.append(QLatin1Char('*') + QString::fromStdString(ending));
  patterns.append(QStringLiteral("*.kspred"));
  return patterns.join(QLatin1Char(' '));
}

}  // namespace

FileOpener::FileOpener(workspace::Workspace& workspace, workspace::FileImport& imports, QWidget& window)
    : QObject(&window), workspace_(workspace), imports_(imports), window_(window) {}

void FileOpener::ask_for_database() {
  QFileDialog* dialog = ask_for_file(tr("Open database"), tr("Databases (*.db);;All files (*)"), &window_);
  connect(dialog, &QFileDialog::fileSelected, this, &FileOpener::database_chosen);
}

void FileOpener::ask_for_imports() {
  QFileDialog* dialog = ask_for_file(
      tr("Import"),
      tr("Logs, caches, recorded spaces and predictors (%1);;All files (*)").arg(importable_patterns()),
      &window_);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &FileOpener::take);
}

void FileOpener::ask_for_files() {
  QFileDialog* dialog = ask_for_file(tr("Open or import"), tr("All files (*)"), &window_);
  dialog->setFileMode(QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &FileOpener::take);
}

void FileOpener::ask_for_project() {
  QFileDialog* dialog =
      ask_for_file(tr("Open a project of your own kernel"), tr("Projects (*.json);;All files (*)"), &window_);
  // The form reports a file that is not a project, with the reason.
  connect(dialog, &QFileDialog::fileSelected, this, &FileOpener::project_chosen);
}

void FileOpener::ask_for_new_project() {
  QFileDialog* dialog = files::make_file_dialog(&window_, tr("Choose a folder for the new project"));
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &FileOpener::make_new_project);
  dialog->open();
}

void FileOpener::make_new_project(const QString& folder) {
  const Result<std::filesystem::path> project = workspace::write_new_project(folder.toStdString());
  if (!project) return workspace_.notices().fail(project.error());
  const QString path = QString::fromStdString(project->string());
  workspace_.notices().inform(
      tr("%1 was written. The README.md in its folder explains what to change.").arg(path));
  emit project_chosen(path);
}

void FileOpener::take(const QStringList& paths) {
  QStringList imports;
  QStringList databases;
  QStringList projects;
  QStringList networks;
  for (const QString& path : paths)
    (workspace::is_database_file(path)  ? databases
     : workspace::is_network_file(path) ? networks
     : workspace::is_project_file(path) ? projects
                                        : imports)
        .append(path);
  if (!imports.isEmpty()) imports_.start(imports);
  if (!networks.isEmpty()) emit network_chosen(networks.front());
  if (networks.size() > 1)
    workspace_.notices().warn(
        tr("The form holds one network. %1 was opened. Drop each other network separately.")
            .arg(QFileInfo(networks.front()).fileName()));
  if (!projects.isEmpty()) emit project_chosen(projects.front());
  if (projects.size() > 1)
    workspace_.notices().warn(
        tr("The form holds one task. %1 was opened. Drop each other project separately.")
            .arg(QFileInfo(projects.front()).fileName()));
  if (databases.isEmpty()) return;
  if (imports.isEmpty() && projects.isEmpty() && networks.isEmpty() && databases.size() == 1) {
    emit database_chosen(databases.front());
    return;
  }
  workspace_.notices().warn(tr("A database cannot be opened together with other files. Drop %1 separately.")
                                .arg(databases.front()));
}

}  // namespace kernelscape::frame
