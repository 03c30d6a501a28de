#pragma once

#include <QStringList>
#include <filesystem>

#include "core/base/result.h"

namespace kernelscape {

/** Whether the window could show it: asked before the open one is left. The file must exist; an old one is
 * brought up to date. Errors: as opening it. */
Status check_database(const std::filesystem::path& database);

/** `database` before the others, each once, the last few of them. */
QStringList with_recent_database(const QStringList& recent, const QString& database);

}  // namespace kernelscape
