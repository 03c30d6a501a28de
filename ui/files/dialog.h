#pragma once

#include <QString>

class QFileDialog;
class QWidget;

namespace kernelscape::files {

/**
 * Makes a file dialog; the caller sets its mode and opens it. The dialog is deleted when it is closed. It
 * opens no file of the folders that it shows: the locks on a database that this process has open would be
 * lost as soon as another descriptor of the file is closed. All file dialogs are made by this function.
 * @param path initial folder, or a file's name or path; its name is then the proposed name
 * @param filter "Databases (*.db);;All files (*)"; empty: all files
 */
QFileDialog* make_file_dialog(QWidget* parent, const QString& title, const QString& path = {},
                              const QString& filter = {});

}  // namespace kernelscape::files
