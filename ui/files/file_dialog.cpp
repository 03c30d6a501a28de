#include "ui/files/file_dialog.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QMimeDatabase>

namespace kernelscape {
namespace {

/** Goes by names: Qt's own looks into the files whose names say nothing. */
class NameIcons : public QObject, public QFileIconProvider {
 public:
  using QFileIconProvider::icon;
  using QObject::QObject;

  QIcon icon(const QFileInfo& file) const override { return icon(file.isDir() ? Folder : File); }

  QString type(const QFileInfo& file) const override {
    return QMimeDatabase().mimeTypeForFile(file, QMimeDatabase::MatchExtension).comment();
  }
};

/** Where the last dialog was left. */
QString& last_folder() {
  static QString folder;
  return folder;
}

/** A dialog lists its first folder before it can be told which icons to take. */
QString folder_without_files() { return QStringLiteral("/proc/self/task"); }

void begin_at(QFileDialog& dialog, const QString& path) {
  const QDir usual(last_folder().isEmpty() ? QDir::currentPath() : last_folder());
  const QFileInfo place(usual, path);
  const bool folder = place.isDir();
  const QString directory = folder ? place.absoluteFilePath() : place.absolutePath();
  dialog.setDirectory(QFileInfo(directory).isDir() ? directory : usual.absolutePath());
  if (!folder) dialog.selectFile(place.fileName());
}

}  // namespace

QFileDialog* make_file_dialog(QWidget* parent, const QString& title, const QString& path,
                              const QString& filter) {
  // That of a desktop, such as GTK's, is in this process too and looks into files; it begins to when it is
  // made.
  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  auto* dialog = new QFileDialog(parent, title, folder_without_files(), filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  // Of the dialog's children it goes after the list of files, whose thread asks for icons.
  dialog->setIconProvider(new NameIcons(dialog));
  begin_at(*dialog, path);
  QObject::connect(dialog, &QDialog::finished, dialog,
                   [dialog] { last_folder() = dialog->directory().absolutePath(); });
  return dialog;
}

}  // namespace kernelscape
