#include "core/store/store.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "core/store/connection.h"
#include "core/store/reading.h"
#include "core/store/schema.h"

namespace kernelscape::store {
namespace {

namespace fs = std::filesystem;

/** Changes the journal mode to WAL. SQLite does not wait for other connections when it changes the mode. */
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
              fmt::format("cannot create the folder of the database {}: {}", path.string(), error.message()),
              "name another database with --db");
}

Result<sqlite::Database> open_for_writing(const fs::path& path, bool create, const Options& options) {
  if (create) TRY(make_folder(path));
  auto database = TRY(sqlite::Database::open(path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0),
                                             false, options.busy_timeout));
  if (sqlite3_db_readonly(database.handle(), "main") == 1) {
    return std::unexpected(sqlite::make_error(SQLITE_READONLY, "it cannot be written", database.subject()));
  }
  // The file must not change until it is known to be a database of this program: the journal mode is changed
  // last.
  TRY(migrate(database, schema_migrations(), true));
  TRY(enter_wal_mode(database, options.busy_timeout));
  return database;
}

fs::path home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* user = getpwuid(getuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : ".";
}

}  // namespace

struct Store::Transaction::State {
  Connection& connection;
  sqlite::Transaction transaction;
  bool committed = false;
};

Store::Transaction::Transaction(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Transaction::Transaction(Transaction&&) noexcept = default;

Store::Transaction::~Transaction() {
  if (!state_ || state_->committed) return;
  // Ids of a transaction that was rolled back are assigned again.
  state_->connection.recordings.clear();
  state_->connection.real_measurements.clear();
}

Status Store::Transaction::commit() {
  TRY(state_->transaction.commit());
  state_->committed = true;
  return {};
}

Result<Store::Transaction> Store::begin() {
  sqlite::Transaction transaction = TRY(connection_->begin(true));
  return Transaction(std::make_unique<Transaction::State>(*connection_, std::move(transaction)));
}

Store::Repositories::Repositories(Connection& connection)
    : sessions(connection),
      trials(connection),
      batches(connection),
      series(connection),
      confirmations(connection),
      interruptions(connection),
      notices(connection),
      recordings(connection),
      studies(connection),
      collections(connection),
      predictors(connection),
      machines(connection) {}

Store::Store(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)), repositories_(std::make_unique<Repositories>(*connection_)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const fs::path& Store::path() const { return connection_->database.path(); }

bool Store::is_snapshot() const { return connection_->snapshot; }

Result<Store> Store::open(const fs::path& path, OpenMode mode, const Options& options) {
  std::error_code unknown;
  const bool missing = fs::status(path, unknown).type() == fs::file_type::not_found;
  if (mode != OpenMode::ReadWrite && missing) return std::unexpected(no_database(path));
  std::unique_ptr<Connection> connection;
  if (mode == OpenMode::ReadOnly) {
    connection = std::make_unique<Connection>(TRY(open_for_reading(path, options)));
  } else {
    auto database = TRY(open_for_writing(path, mode == OpenMode::ReadWrite, options));
    TRY(check_whole_pages(database));
    connection = std::make_unique<Connection>(std::move(database));
  }
  TRY(connection->database.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL"));
  return Store(std::move(connection));
}

Result<Store> Store::nothing_yet(const fs::path& path) {
  auto database = TRY(sqlite::Database::open_in_memory(path));
  TRY(migrate(database, schema_migrations(), true));
  TRY(database.execute("PRAGMA query_only = ON"));
  auto connection = std::make_unique<Connection>(std::move(database));
  connection->snapshot = true;
  return Store(std::move(connection));
}

fs::path Store::default_path() {
  const char* data_home = std::getenv("XDG_DATA_HOME");
  // Relative paths must be ignored according to the XDG Base Directory Specification.
  const bool usable = data_home != nullptr && fs::path(data_home).is_absolute();
  const fs::path folder = usable ? fs::path(data_home) : home_folder() / ".local" / "share";
  return folder / "kernelscape" / "kernelscape.db";
}

}  // namespace kernelscape::store
