#pragma once

#include <QStringList>
#include <filesystem>

namespace kernelscape::gui_tests {

/**
 * Writes pictures that the documents show, each of a window of its own, and prints the name of each that was
 * written. The sessions and studies of the database are those that tests/gui/tour --documents makes.
 *
 * @param folder where the files go, as PNG with at most 256 colours
 * @param names of pictures without suffix: "tune"
 * @return the exit code: 0, 1 where a picture could not be taken, 2 where a name is unknown; standard error
 * says why
 */
int take_document_pictures(const std::filesystem::path& database, const QString& folder,
                           const QStringList& names);

}  // namespace kernelscape::gui_tests
