#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace kernelscape::base {

// POSIX drops all locks of a process on a file when the process closes any descriptor of that file, SQLite's
// locks on an open database included; another process could then write at the same time. So a file that this
// process has open as a database is opened again only by SQLite, which handles this.

/** The role in which this process has a file open. */
enum class DatabaseUse : std::uint8_t {
  None,      ///< not open, or not a database
  Database,  ///< a database
  Beside     ///< the -wal, -shm or -journal file of a database
};

/**
 * Returns the use of a file under any of its names, identified by device and inode. The file is not opened.
 */
DatabaseUse database_use(const struct stat& file);
/** Returns the use of the file at a path; None if there is no file. */
DatabaseUse database_use(const std::filesystem::path& path);

/**
 * Returns Refused, naming the path, if it leads to an open database or one of its -wal, -shm and -journal
 * files.
 */
Status check_no_open_database(const std::filesystem::path& path);
/** Checks a file whose status is known already. @param path the path that the error names */
Status check_no_open_database(const std::filesystem::path& path, const struct stat& file);

/**
 * Returns true if a file with these first bytes is a database or one of its -wal, -shm and -journal files.
 */
bool begins_as_database(std::string_view head);

}  // namespace kernelscape::base
