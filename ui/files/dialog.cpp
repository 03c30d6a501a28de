#include "ui/files/dialog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QMimeDatabase>

namespace kernelscape::files {
namespace {

/** Chooses icons by file names only: Qt's own provider reads files whose names are inconclusive. */
class NameIcons : public QObject, public QFileIconProvider {
 public:
  using QFileIconProvider::icon;
  using QObject::QObject;

  QIcon icon(const QFileInfo& file) const override { return icon(file.isDir() ? Folder : File); }

  QString type(const QFileInfo& file) const override {
    return QMimeDatabase().mimeTypeForFile(file, QMimeDatabase::MatchExtension).comment();
  }
};

/** Returns the folder in which the last dialog was closed. */
QString& last_folder() {
  static QString folder;
  return folder;
}

/** Returns an empty folder: a dialog lists its first folder before its icon provider can be set. */
QString folder_without_files() { return QStringLiteral("/proc/self/task"); }

/** Returns the folder for a new dialog; a folder that was removed meanwhile is not used. */
QString first_folder(const QString& title) {
  for (const QString& folder : {dialog_folders().value(title), last_folder()})
    if (!folder.isEmpty() && QFileInfo(folder).isDir()) return folder;
  return QDir::currentPath();
}

void begin_at(QFileDialog& dialog, const QString& path) {
  const QDir usual(first_folder(dialog.windowTitle()));
  const QFileInfo place(usual, path);
  const bool folder = place.isDir();
  const QString directory = folder ? place.absoluteFilePath() : place.absolutePath();
  dialog.setDirectory(QFileInfo(directory).isDir() ? directory : usual.absolutePath());
  if (!folder) dialog.selectFile(place.fileName());
}

}  // namespace

QFileDialog* make_file_dialog(QWidget* parent, const QString& title, const QString& path,
                              const QString& filter) {
  // A desktop's native dialog, such as that of GTK, runs in this process too and reads files as soon as it
  // is made.
  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  auto* dialog = new QFileDialog(parent, title, folder_without_files(), filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  // As a child of the dialog it is deleted after the list of files, whose thread asks for icons.
  dialog->setIconProvider(new NameIcons(dialog));
  begin_at(*dialog, path);
  QObject::connect(dialog, &QDialog::finished, dialog, [dialog, title] {
    last_folder() = dialog->directory().absolutePath();
    dialog_folders().insert(title, last_folder());
  });
  return dialog;
}

QMap<QString, QString>& dialog_folders() {
  static QMap<QString, QString> folders;
  return folders;
}

}  // namespace kernelscape::files
