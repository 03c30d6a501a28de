#pragma once

#include <filesystem>
#include <memory>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape {

/**
 * The empty log that SQLite makes beside a database even for who only reads it: removed with this object,
 * after the database was closed, unless somebody uses it by then. The database file is not touched.
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

/** A database that is only looked at. */
struct OpenedToRead {
  std::unique_ptr<EmptyLog> log;  ///< that this made; destroyed after `database`
  sqlite::Database database;
};

/** The write-ahead log of a database, which may be missing. */
std::filesystem::path log_of(const std::filesystem::path& database);

/**
 * Opens an existing database without changing it. An older schema, statistics of a tool, or a log or journal
 * that a killed writer left where nobody can write, is read in a temporary copy, which is gone from its
 * folder once it is open. Errors: as Store::open(); Environment where the temporary folder has no space.
 */
Result<OpenedToRead> open_for_reading(const std::filesystem::path& path, const StoreOptions& options);

/** SQLite takes the missing end of a last page for zeros, which would be read as measurements: Corrupt. */
Status check_whole_pages(sqlite::Database& database);

/** NotFound, naming the files in the same folder whose names are near. */
Error no_database(const std::filesystem::path& path);

}  // namespace kernelscape
