#pragma once

#include <QObject>
#include <QStringList>

#include "ui/workspace/file_import.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::frame {

/**
 * Opens files: asks the user for them, without blocking, or takes files that were dropped on the window.
 * Imports what can be imported, and reports all other files by signals.
 */
class FileOpener : public QObject {
  Q_OBJECT

 public:
  /** @param window parent of the dialogs, and owner of this object */
  FileOpener(workspace::Workspace& workspace, workspace::FileImport& imports, QWidget& window);

  /** Asks for a database. */
  void ask_for_database();
  /** Asks for logs, caches, recorded spaces and predictors to import. */
  void ask_for_imports();
  /** Asks for files of all kinds. */
  void ask_for_files();
  /** Asks for a project of the user's own kernel. */
  void ask_for_project();
  /** Asks for a folder, and writes an example project into it, which is then opened. */
  void ask_for_new_project();
  /**
   * Opens databases, networks and projects of the user's own kernels; imports all other files. Warns of files
   * that cannot be opened together.
   */
  void take(const QStringList& paths);

 signals:
  /** A database is to be opened instead of the current one. */
  void database_chosen(const QString& path);
  /** A project is to be shown in the form for a new run. */
  void project_chosen(const QString& path);
  /** A network is to be shown in the form for a new study of a network. */
  void network_chosen(const QString& path);

 private:
  void make_new_project(const QString& folder);

  workspace::Workspace& workspace_;
  workspace::FileImport& imports_;
  QWidget& window_;
};

}  // namespace kernelscape::frame
