#pragma once

#include <filesystem>
#include <memory>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape::store {

/**
 * The empty write-ahead log that SQLite creates beside a database even for a connection that only reads. The
 * destructor removes the log after the database was closed, unless another process uses it by then. The
 * database file is not changed.
 */
class EmptyLog {
 public:
  explicit EmptyLog(std::filesystem::path database) : database_(std::move(database)) {}
  EmptyLog(const EmptyLog&) = delete;
  EmptyLog& operator=(const EmptyLog&) = delete;
  ~EmptyLog();

 private:
  std::filesystem::path database_;
};

/** A database that is open for reading only. */
struct OpenedToRead {
  std::unique_ptr<EmptyLog> log;  ///< the log that opening created; destroyed after `database`
  sqlite::Database database;
  bool snapshot = false;  ///< it is a temporary copy
};

/** Returns the path of a database's write-ahead log. The file may be missing. */
std::filesystem::path log_of(const std::filesystem::path& database);

/**
 * Opens an existing database without changing it. A database with an older schema, with statistics of another
 * tool, or with a log or journal that a killed writer left in a read-only folder is read from a temporary
 * copy. The copy is unlinked from its folder once it is open. Errors: as Store::open(); Environment if the
 * temporary folder has no space.
 */
Result<OpenedToRead> open_for_reading(const std::filesystem::path& path, const Options& options);

/**
 * Returns Corrupt if the last page of the file is incomplete. SQLite would read the missing bytes as zeros,
 * which would look like measurements.
 */
Status check_whole_pages(sqlite::Database& database);

/** Returns NotFound and names the files in the same folder that have similar names. */
Error no_database(const std::filesystem::path& path);

}  // namespace kernelscape::store
