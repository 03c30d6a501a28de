#include "core/store/reading.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/base/open_database.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/store/schema.h"

namespace kernelscape::store {
namespace {

namespace fs = std::filesystem;

fs::path journal_of(const fs::path& path) { return path.string() + "-journal"; }

bool has_content(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(path, missing);
  return !missing && bytes > 0;
}

std::uintmax_t size_of(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(path, missing);
  return missing ? 0 : bytes;
}

/** Returns the size of the file with its log and its journal: the space that a copy needs. */
std::uintmax_t size_with_parts(const fs::path& path) {
  return size_of(path) + size_of(log_of(path)) + size_of(journal_of(path));
}

/**
 * Returns the error for missing space: neither a file size limit nor a full disk is a fault of the database.
 */
std::unexpected<Error> no_space(const fs::path& path, const base::TemporaryFolder& folder) {
  const std::uintmax_t bytes = size_with_parts(path);
  return fail(ErrorCode::Environment,
              fmt::format("the temporary folder {} has no space for a copy of the database {}, {} bytes",
                          fs::path(folder.path()).parent_path().string(), path.string(), bytes),
              "free space there, or set TMPDIR to another folder; a copy is needed because the database has "
              "an older schema, statistics of another tool, or a log that cannot be merged in its folder");
}

/**
 * Checks that a copy fits. A file with holes takes little space, but its copy takes the full size: the disk
 * must not be filled to find out that the copy does not fit. The folder may lie in memory.
 */
Status check_space(const fs::path& path, const base::TemporaryFolder& folder) {
  std::error_code unknown;
  const fs::space_info space = fs::space(folder.path(), unknown);
  if (unknown || space.capacity == 0) return {};
  std::uintmax_t available = space.available;
  struct statfs place{};
  if (statfs(folder.path().c_str(), &place) == 0 && place.f_type == TMPFS_MAGIC)
    available = std::min<std::uintmax_t>(available, base::available_memory_bytes());
  if (size_with_parts(path) > available) return no_space(path, folder);
  return {};
}

bool is_about_space(int code) { return code == SQLITE_FULL || code == SQLITE_IOERR; }

/** The location of a copy: a private folder and the file in it. */
struct CopyPlace {
  base::TemporaryFolder folder;
  fs::path file;

  static Result<CopyPlace> make() {
    auto folder = TRY(base::TemporaryFolder::make("copy"));
    fs::path file = fs::path(folder.path()) / "copy.db";
    return CopyPlace{std::move(folder), std::move(file)};
  }
};

Result<sqlite::Database> open_copy(const CopyPlace& place, const fs::path& path, const Options& options) {
  auto copy = TRY(sqlite::Database::open(place.file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false,
                                         options.busy_timeout));
  copy.stand_for(path);
  return copy;
}

/**
 * Merges the log of the copy, migrates its schema, removes statistics, and unlinks its files: only the open
 * file remains, and it is deleted when the process ends.
 */
Status finish_copy(sqlite::Database& copy, const CopyPlace& place, const fs::path& path) {
  // The journal is kept in memory, because a journal on disk would have to be found again at the file's path.
  Status done = copy.execute("PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY");
  if (done) done = migrate(copy, schema_migrations(), true);
  if (!done) return is_about_space(copy.failure()) ? no_space(path, place.folder) : done;
  TRY(copy.execute("PRAGMA query_only = ON"));
  place.folder.clear();
  return {};
}

/** Copies a database while other processes write: SQLite copies a snapshot. */
Result<OpenedToRead> copy_of(sqlite::Database& source, const fs::path& path, const Options& options) {
  const auto place = TRY(CopyPlace::make());
  TRY(check_space(path, place.folder));
  auto copy = TRY(open_copy(place, path, options));
  if (Status copied = source.copy_into(copy); !copied)
    return is_about_space(copy.failure()) ? no_space(path, place.folder) : std::unexpected(copied.error());
  TRY(finish_copy(copy, place, path));
  return OpenedToRead{nullptr, std::move(copy), true};
}

/** Returns the sizes and times that show whether a process wrote to the files. */
std::vector<std::pair<std::uintmax_t, fs::file_time_type>> marks_of(const std::vector<fs::path>& files) {
  std::vector<std::pair<std::uintmax_t, fs::file_time_type>> marks;
  for (const fs::path& file : files) {
    std::error_code missing;
    const fs::file_time_type time = fs::last_write_time(file, missing);
    marks.emplace_back(size_of(file), missing ? fs::file_time_type{} : time);
  }
  return marks;
}

/**
 * Copies a database whose log or journal SQLite cannot use in its folder: no process has it open for writing.
 */
Result<OpenedToRead> copy_of_files(const fs::path& path, const Options& options) {
  // Another connection of this process has locks on the file, which copying would release.
  if (base::database_use(path) != base::DatabaseUse::None)
    return std::unexpected(sqlite::make_error(SQLITE_BUSY, "", {path}));
  const auto place = TRY(CopyPlace::make());
  TRY(check_space(path, place.folder));
  const std::vector<fs::path> files{path, log_of(path), journal_of(path)};
  const auto before = marks_of(files);
  for (const fs::path& file : files) {
    if (file != path && !has_content(file)) continue;
    const fs::path target = place.file.string() + file.string().substr(path.string().size());
    std::error_code error;
    fs::copy_file(file, target, error);
    if (error.value() == ENOSPC || error.value() == EDQUOT || error.value() == EFBIG)
      return no_space(path, place.folder);
    if (error)
      return fail(ErrorCode::Environment, fmt::format("cannot copy {}: {}", file.string(), error.message()),
                  "check your rights to it, or name another database with --db");
    // The copy of a read-only file is read-only as well.
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write, error);
  }
  if (marks_of(files) != before) return std::unexpected(sqlite::make_error(SQLITE_BUSY, "", {path}));
  auto copy = TRY(open_copy(place, path, options));
  TRY(finish_copy(copy, place, path));
  return OpenedToRead{nullptr, std::move(copy), true};
}

/**
 * Opens a database in a read-only folder. If the shared memory of the log can neither be found nor created,
 * no process writes, and the file can be read without locks, unless a log or journal was left behind.
 */
Result<OpenedToRead> open_where_nobody_writes(const fs::path& path, const Options& options) {
  if (has_content(log_of(path)) || has_content(journal_of(path))) return copy_of_files(path, options);
  auto database = TRY(sqlite::Database::open(path, SQLITE_OPEN_READONLY, true, options.busy_timeout));
  const bool outdated = TRY(needs_migration(database, schema_migrations()));
  TRY(check_whole_pages(database));
  if (outdated) return copy_of(database, path, options);
  return OpenedToRead{nullptr, std::move(database)};
}

}  // namespace

EmptyLog::~EmptyLog() {
  if (has_content(log_of(database_))) return;
  // The last connection that may write removes the log when it closes: SQLite detects the last one.
  auto database =
      sqlite::Database::open(database_, SQLITE_OPEN_READWRITE, false, std::chrono::milliseconds(0));
  if (database) static_cast<void>(database->integer("PRAGMA user_version"));
}

fs::path log_of(const fs::path& database) { return database.string() + "-wal"; }

Status check_whole_pages(sqlite::Database& database) {
  const auto page_bytes = TRY(database.integer("PRAGMA page_size"));
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(database.path(), missing);
  const bool whole = missing || bytes % static_cast<std::uintmax_t>(page_bytes) == 0;
  // An interrupted checkpoint is repeated from the log.
  if (whole || has_content(log_of(database.path()))) return {};
  return std::unexpected(
      sqlite::make_error(SQLITE_CORRUPT, "its last page is incomplete", database.subject()));
}

Result<OpenedToRead> open_for_reading(const fs::path& path, const Options& options) {
  std::error_code unknown;
  const bool had_log = fs::exists(log_of(path), unknown);
  auto database = TRY(sqlite::Database::open(path, SQLITE_OPEN_READONLY, false, options.busy_timeout));
  OpenedToRead opened{nullptr, std::move(database)};
  const Result<bool> outdated = needs_migration(opened.database, schema_migrations());
  if (!had_log && fs::exists(log_of(path), unknown)) opened.log = std::make_unique<EmptyLog>(path);
  if (!outdated) {
    const int code = opened.database.failure();
    const bool cannot_be_used = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
    if (!cannot_be_used) return std::unexpected(outdated.error());
    // Everything that is open from now on belongs to other connections.
    opened.database = {};
    return open_where_nobody_writes(path, options);
  }
  TRY(check_whole_pages(opened.database));
  if (*outdated) return copy_of(opened.database, path, options);
  return opened;
}

Error no_database(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  constexpr std::size_t max_names = 1000;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < max_names;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    const bool belongs_to_one =
        name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with("-journal");
    if (entry->is_regular_file(ignored) && !belongs_to_one) names.push_back(name);
  }
  const std::vector<std::string> near = base::nearest_names(path.filename().string(), names);
  const std::string hint =
      near.empty()
          ? "check the path; `kernelscape tune TASK` and `kernelscape import FILE` create a database"
          : fmt::format(
                "did you mean {}? `kernelscape tune TASK` and `kernelscape import FILE` create a new one",
                base::join(near, ", "));
  return {ErrorCode::NotFound, fmt::format("there is no database {}", path.string()), hint};
}

}  // namespace kernelscape::store
