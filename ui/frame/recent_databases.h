#pragma once

#include <QStringList>
#include <filesystem>

#include "core/base/result.h"

namespace kernelscape::frame {

/**
 * Checks that the window could open a database, before the open one is closed. The file must exist; an older
 * schema is upgraded. Errors: those of opening a database.
 */
Status check_database(const std::filesystem::path& database);

/**
 * Returns the list with `database` moved to or inserted at the front, without duplicates, limited to the last
 * few entries.
 */
QStringList with_recent_database(const QStringList& recent, const QString& database);

}  // namespace kernelscape::frame
