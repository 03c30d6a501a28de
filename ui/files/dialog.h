#pragma once

#include <QMap>
#include <QString>

class QFileDialog;
class QWidget;

namespace kernelscape::files {

/**
 * Makes a file dialog; the caller sets its mode and opens it. The dialog is deleted when it is closed. It
 * opens no file of the folders that it shows: the locks on a database that this process has open would be
 * lost as soon as another descriptor of the file is closed. All file dialogs are made by this function.
 * A dialog begins in the folder where the user last left a dialog of the same title, else any dialog.
 * @param path initial folder, or a file's name or path; its name is then the proposed name
 * @param filter "Databases (*.db);;All files (*)"; empty: all files
 */
QFileDialog* make_file_dialog(QWidget* parent, const QString& title, const QString& path = {},
                              const QString& filter = {});

/** Returns the folders in which dialogs were left, by their title; the window stores them as a preference. */
QMap<QString, QString>& dialog_folders();

}  // namespace kernelscape::files
