#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape {

// POSIX drops all locks of a process on a file when any descriptor of that file is closed in it: those of
// SQLite on an open database too, and another process could then write at the same time. So what this process
// has open as a database is not opened once more but by SQLite, which knows of this.

/** What this process has a file open as. */
enum class DatabaseUse : std::uint8_t {
  None,      ///< not open, or no database
  Database,  ///< a database
  Beside     ///< the log, the index of the log or the journal of one
};

/** Of a file under any of its names, told by its device and inode; it is not opened. */
DatabaseUse database_use(const struct stat& file);
/** The same of where the path leads; None where nothing is. */
DatabaseUse database_use(const std::filesystem::path& path);

/** Refused, naming the path, where it leads to an open database or to what lies beside one. */
Status check_no_open_database(const std::filesystem::path& path);
/** The same of a file that was found already. @param path what the error names */
Status check_no_open_database(const std::filesystem::path& path, const struct stat& file);

/** Whether a file with these first bytes is a database or what lies beside one. */
bool begins_as_database(std::string_view head);

}  // namespace kernelscape
