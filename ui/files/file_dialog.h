#pragma once

#include <QString>

class QFileDialog;
class QWidget;

namespace kernelscape {

/**
 * A dialog that asks for files, to be given its modes and to be opened; it is deleted when it is closed. It
 * opens no file of the folders that it shows: the locks on a database that this process has open would be
 * lost with the first other descriptor of it that is closed. All dialogs for files are made here.
 * @param path the folder to begin with, or a file's name or path, whose name is proposed then
 * @param filter "Databases (*.db);;All files (*)"; empty: all files
 */
QFileDialog* make_file_dialog(QWidget* parent, const QString& title, const QString& path = {},
                              const QString& filter = {});

}  // namespace kernelscape
