#include "core/store/store.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "core/store/connection.h"
#include "core/store/schema.h"

namespace kernelscape {
namespace {

namespace fs = std::filesystem;

/** The change to WAL does not wait for other connections by itself. */
Status enter_wal_mode(sqlite::Database& database, std::chrono::milliseconds busy_timeout) {
  constexpr std::chrono::milliseconds pause{10};
  const auto deadline = std::chrono::steady_clock::now() + busy_timeout;
  for (;;) {
    Status entered = database.execute("PRAGMA journal_mode = WAL");
    if (entered || database.failure() != SQLITE_BUSY || std::chrono::steady_clock::now() >= deadline)
      return entered;
    std::this_thread::sleep_for(pause);
  }
}

Status make_folder(const fs::path& path) {
  if (!path.has_parent_path()) return {};
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) return {};
  return fail(ErrorCode::Environment,
              fmt::format("cannot make the folder of the database {}: {}", path.string(), error.message()),
              "name another database with --db");
}

fs::path log_of(const fs::path& path) { return path.string() + "-wal"; }

bool has_content(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(path, missing);
  return !missing && bytes > 0;
}

/** SQLite takes the missing end of a last page for zeros, which would be read as measurements. */
Status check_whole_pages(sqlite::Database& database) {
  const auto page_bytes = TRY(database.integer("PRAGMA page_size"));
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(database.path(), missing);
  const bool whole = missing || bytes % static_cast<std::uintmax_t>(page_bytes) == 0;
  // A checkpoint that was cut off is done again from the log.
  if (whole || has_content(log_of(database.path()))) return {};
  return std::unexpected(sqlite::make_error(SQLITE_CORRUPT, "its end is missing", database.path()));
}

Result<sqlite::Database> open_for_writing(const fs::path& path, const StoreOptions& options) {
  TRY(make_folder(path));
  auto database = TRY(
      sqlite::Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false, options.busy_timeout));
  if (sqlite3_db_readonly(database.handle(), "main") == 1) {
    return std::unexpected(sqlite::make_error(SQLITE_READONLY, "it cannot be written", path));
  }
  // Until it is known to be ours, nothing in the file may change: the journal's mode comes last.
  TRY(migrate(database, schema_migrations(), true));
  TRY(enter_wal_mode(database, options.busy_timeout));
  return database;
}

Result<sqlite::Database> open_for_reading(const fs::path& path, const StoreOptions& options, bool immutable) {
  auto database = TRY(sqlite::Database::open(path, SQLITE_OPEN_READONLY, immutable, options.busy_timeout));
  if (Status known = migrate(database, schema_migrations(), false); !known) {
    const bool no_shared_memory =
        database.failure() == SQLITE_CANTOPEN || database.failure() == SQLITE_READONLY;
    if (immutable || !no_shared_memory) return std::unexpected(known.error());
    // Where the log's shared memory can neither be found nor made, nobody writes, and the file alone can be
    // read, unless a log was left behind.
    const fs::path log = log_of(path);
    if (has_content(log)) {
      return fail(
          ErrorCode::Refused,
          fmt::format("the database {} lies in a read-only folder with a log, {}, that was not merged",
                      path.string(), log.string()),
          "copy both files to a folder that can be written and open the copy");
    }
    return open_for_reading(path, options, true);
  }
  return database;
}

/** Whether an older version of this program wrote the file, and it may be written. */
bool can_be_updated(const fs::path& path, const StoreOptions& options) {
  if (access(path.c_str(), W_OK) != 0) return false;
  auto database = sqlite::Database::open(path, SQLITE_OPEN_READONLY, false, options.busy_timeout);
  if (!database) return false;
  const auto application = database->integer("PRAGMA application_id");
  const auto version = database->integer("PRAGMA user_version");
  return application && version && *application == application_id && *version > 0 &&
         *version < std::ssize(schema_migrations());
}

fs::path home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* user = getpwuid(getuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : ".";
}

}  // namespace

Result<sqlite::Transaction> Store::Connection::begin(bool durable) {
  if (durable != synchronous_full) {
    // A short log is written over and over, which syncs faster than one that grows; without a sync at every
    // commit, it is the merging of the log that counts.
    const std::string settings = durable ? "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000"
                                         : "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000";
    TRY(database.execute(settings));
    synchronous_full = durable;
  }
  return sqlite::Transaction::begin(database);
}

Result<sqlite::Transaction> Store::Connection::begin_session(SessionId id) {
  auto known = real_measurements.find(id);
  if (known == real_measurements.end()) {
    sqlite::Query query = database.query("SELECT real_measurements FROM session WHERE id = ?");
    query.bind(id);
    if (!query.next()) {
      Status read = query.status();
      return std::unexpected(read ? no_session(id) : read.error());
    }
    known = real_measurements.emplace(id, query.integer(0) != 0).first;
  }
  return begin(known->second);
}

Error Store::Connection::no_session(SessionId id) const {
  return {ErrorCode::NotFound, fmt::format("the database {} has no session {}", database.path().string(), id),
          "kernelscape sessions lists those it has"};
}

Error Store::Connection::no_study(StudyId id) const {
  return {ErrorCode::NotFound, fmt::format("the database {} has no study {}", database.path().string(), id),
          "it may have been deleted"};
}

Error Store::Connection::damaged(std::string_view what) const {
  return sqlite::make_error(SQLITE_CORRUPT, what, database.path());
}

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const fs::path& Store::path() const { return connection_->database.path(); }

Result<Store> Store::open(const fs::path& path, OpenMode mode, const StoreOptions& options) {
  std::error_code ignored;
  if (mode == OpenMode::ReadOnly && !fs::exists(path, ignored)) {
    return fail(ErrorCode::NotFound, fmt::format("there is no database {}", path.string()),
                "kernelscape tune makes it; --db names another one");
  }
  // Who only wants to look need not know that versions of the schema exist.
  if (mode == OpenMode::ReadOnly && can_be_updated(path, options)) TRY(open_for_writing(path, options));
  auto database = TRY(mode == OpenMode::ReadOnly ? open_for_reading(path, options, false)
                                                 : open_for_writing(path, options));
  TRY(check_whole_pages(database));
  TRY(database.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL"));
  return Store(std::make_unique<Connection>(std::move(database)));
}

fs::path Store::default_path() {
  const char* data_home = std::getenv("XDG_DATA_HOME");
  // Relative ones are to be ignored, says the XDG Base Directory Specification.
  const bool usable = data_home != nullptr && fs::path(data_home).is_absolute();
  const fs::path folder = usable ? fs::path(data_home) : home_folder() / ".local" / "share";
  return folder / "kernelscape" / "kernelscape.db";
}

}  // namespace kernelscape
