#include "core/store/sqlite.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/open_database.h"
#include "core/base/read_file.h"

namespace kernelscape::store::sqlite {
namespace {

/**
 * Returns an absolute path as a URI: special characters are escaped, and no part of the path is taken for a
 * host.
 */
std::string to_uri(const std::filesystem::path& path, bool immutable) {
  const std::string whole = path.string();
  std::string uri = "file:///";
  for (const char letter : whole.substr(std::min(whole.find_first_not_of('/'), whole.size()))) {
    if (letter == '%' || letter == '?' || letter == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(letter));
    } else {
      uri += letter;
    }
  }
  return immutable ? uri + "?immutable=1" : uri;
}

bool is_special(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status found = std::filesystem::status(path, unknown);
  return std::filesystem::exists(found) && !std::filesystem::is_regular_file(found);
}

/**
 * Refuses pipes and devices: SQLite would wait for a process that writes to a pipe, and a device cannot store
 * a database.
 */
Status check_files(const std::filesystem::path& path) {
  std::error_code unknown;
  // A folder has a separate error.
  if (is_special(path) && !std::filesystem::is_directory(path, unknown)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the database {} is not a regular file", path.string()),
                "name a file; save a database from a pipe to a file first");
  }
  // SQLite follows a link to the database.
  const std::filesystem::path followed = std::filesystem::weakly_canonical(path, unknown);
  for (const std::filesystem::path& database : {path, followed}) {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
      const std::string beside = database.string() + suffix;
      if (!is_special(beside)) continue;
      return fail(ErrorCode::Refused,
                  fmt::format("{}, a part of the database, is not a regular file", beside),
                  "Kernelscape never creates such files: remove it, or name another database with --db");
    }
  }
  return {};
}

/** Returns the last bytes of a file; empty if the file is missing or shorter. */
Result<std::string> end_of(const std::filesystem::path& path, std::size_t bytes) {
  Result<base::ReadableFile> file = base::ReadableFile::open(path);
  // SQLite cannot open the file either, and its error names the database.
  if (!file) return std::string();
  // If the file is shorter, the position is unchanged and the file is read from its beginning.
  lseek(file->descriptor(), -static_cast<off_t>(bytes), SEEK_END);
  const std::expected<std::string, int> end = file->read_text(bytes);
  if (!end) return base::cannot_read_file(path, end.error());
  return *end;
}

/**
 * Refuses a journal that names a super-journal. A journal that was left behind may name one at its end
 * (sqlite.org/fileformat.html, 4), and SQLite deletes the named file after the rollback: a forged journal
 * could name any file. Journals of this program never name one, because no database is attached.
 */
Status check_journal(const std::filesystem::path& path) {
  constexpr std::string_view magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::error_code unknown;
  // SQLite follows a link to the database.
  const std::filesystem::path followed = std::filesystem::weakly_canonical(path, unknown);
  for (const std::filesystem::path& database : {path, followed}) {
    const std::string journal = database.string() + "-journal";
    if (TRY(end_of(journal, magic.size())) != magic) continue;
    return fail(
        ErrorCode::Refused,
        fmt::format("{}, the journal of the database, names another file, which SQLite would delete",
                    journal),
        "Kernelscape never writes such journals: remove it, or get the database from a trusted source");
  }
  return {};
}

/**
 * Restricts SQLite for untrusted files: the schema may not run code, damaged pages are detected early, and
 * limits are far above the needs of this program's tables. These limits also bound the memory: SQLite's heap
 * limit would apply to the whole process, and could end a session that measures at the same time.
 */
void harden(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  constexpr int max_sql_bytes = 1'000'000;
  constexpr int max_columns = 200;
  constexpr int max_expression_depth = 100;
  constexpr int max_pattern_bytes = 100;  // of LIKE and GLOB, which no query of this program uses
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, max_sql_bytes);
  sqlite3_limit(database, SQLITE_LIMIT_COLUMN, max_columns);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, max_expression_depth);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, max_pattern_bytes);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

/**
 * Returns the maximum content of the file and its log for their space on disk: holes take no space. File
 * systems may compress data, and may count recent writes later.
 */
std::int64_t max_bytes_on_disk(const std::filesystem::path& path) {
  constexpr std::int64_t block_bytes = 512;  // unit of st_blocks, independent of the file system's block size
  constexpr std::int64_t max_packed = 16;
  constexpr std::int64_t min_bytes = 64 << 20;
  std::int64_t bytes = 0;
  bool is_file = false;
  for (const char* suffix : {"", "-wal"}) {
    struct stat file{};
    if (stat((path.string() + suffix).c_str(), &file) != 0) continue;
    bytes += std::int64_t{file.st_blocks} * block_bytes;
    is_file = true;
  }
  // A database in memory and an unlinked file have no holes.
  return is_file ? std::max(bytes * max_packed, min_bytes) : std::numeric_limits<std::int64_t>::max();
}

// The statements that end a transaction and a nested transaction.
std::string_view roll_back_sql(bool within) { return within ? "ROLLBACK TO part" : "ROLLBACK"; }
std::string_view end_sql(bool within) { return within ? "RELEASE part" : "COMMIT"; }

}  // namespace

Query::Query(sqlite3* database, sqlite3_stmt* statement, const Subject& subject, int code)
    : database_(database), statement_(statement), subject_(subject), code_(code) {}

Query::~Query() {
  if (statement_ == nullptr) return;  // the statement could not be prepared
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Query::check(int code) {
  if (code_ == SQLITE_OK && code != SQLITE_OK) code_ = code;
}

Query& Query::bind(std::int64_t value) {
  check(sqlite3_bind_int64(statement_, ++parameter_, value));
  return *this;
}

Query& Query::bind(double value) {
  check(sqlite3_bind_double(statement_, ++parameter_, value));
  return *this;
}

Query& Query::bind(std::string_view text) {
  // A null pointer would bind NULL.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_, ++parameter_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Query& Query::bind_blob(const void* data, std::size_t bytes) {
  check(bytes == 0 ? sqlite3_bind_zeroblob(statement_, ++parameter_, 0)
                   : sqlite3_bind_blob64(statement_, ++parameter_, data, bytes, SQLITE_STATIC));
  return *this;
}

Query& Query::bind_null() {
  check(sqlite3_bind_null(statement_, ++parameter_));
  return *this;
}

bool Query::next() {
  if (code_ != SQLITE_OK) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  return false;
}

Status Query::run() {
  next();
  Status result = status();
  sqlite3_reset(statement_);
  parameter_ = 0;
  return result;
}

Status Query::status() const {
  if (code_ == SQLITE_OK) return {};
  return std::unexpected(make_error(code_, sqlite3_errmsg(database_), subject_));
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Query::real(int column) const {
  if (is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_, column);
}

std::string Query::text(int column) const {
  const std::span<const std::byte> bytes = blob(column);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::span<const std::byte> Query::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int bytes = sqlite3_column_bytes(statement_, column);
  if (data == nullptr || bytes <= 0) return {};
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)};
}

std::int64_t Query::content_bytes(std::initializer_list<int> except) const {
  std::int64_t bytes = 0;
  for (int column = 0; column < sqlite3_column_count(statement_); ++column) {
    const int type = sqlite3_column_type(statement_, column);
    const bool counted = type == SQLITE_TEXT || type == SQLITE_BLOB;
    if (counted && std::ranges::find(except, column) == except.end()) bytes += std::ssize(blob(column));
  }
  return bytes;
}

bool HeldContent::take(std::int64_t bytes) {
  bytes_ += bytes;
  if (!max_bytes_) {
    const auto pages = database_.integer("PRAGMA page_count");
    const auto page_bytes = database_.integer("PRAGMA page_size");
    max_bytes_ = std::min(pages.value_or(0) * page_bytes.value_or(0), max_bytes_on_disk(database_.path()));
  }
  return bytes_ <= *max_bytes_;
}

Result<Database> Database::open_uri(const std::string& uri, int flags, const std::filesystem::path& path,
                                    std::chrono::milliseconds busy_timeout) {
  Database database;
  database.subject_ = std::make_unique<Subject>(Subject{path});
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      uri.c_str(), &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  database.handle_.reset(handle);
  if (code != SQLITE_OK) {
    return std::unexpected(
        make_error(code, handle ? sqlite3_errmsg(handle) : "out of memory", database.subject()));
  }
  harden(handle);
  sqlite3_busy_timeout(handle, static_cast<int>(busy_timeout.count()));
  return database;
}

Result<Database> Database::open(const std::filesystem::path& path, int flags, bool immutable,
                                std::chrono::milliseconds busy_timeout) {
  TRY(check_files(path));
  TRY(check_journal(path));
  // SQLite would open the file as another database, and release the locks on it when it closes the file.
  if (base::database_use(path) == base::DatabaseUse::Beside) TRY(base::check_no_open_database(path));
  return open_uri(to_uri(TRY(base::absolute_path(path)), immutable), flags, path, busy_timeout);
}

Result<Database> Database::open_in_memory(const std::filesystem::path& name) {
  return open_uri(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name, std::chrono::milliseconds(0));
}

Result<Database> Database::second_reader() const {
  const char* file = sqlite3_db_filename(handle(), "main");
  if (file == nullptr || *file == '\0')
    return fail(ErrorCode::NotFound, fmt::format("{} has no file", path().string()));
  const bool immutable = sqlite3_uri_boolean(file, "immutable", 0) != 0;
  // Connections that open at the same time wait for each other while the index of the log is created.
  Database reader = TRY(open(file, SQLITE_OPEN_READONLY, immutable, std::chrono::seconds(1)));
  int moved = 0;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code == SQLITE_OK && moved == 0) return reader;
  return fail(ErrorCode::NotFound, fmt::format("{} was replaced by another file", path().string()));
}

Query Database::query(std::string_view sql) {
  StatementHandle& statement = statements_[sql];
  int code = SQLITE_OK;
  if (!statement) {
    sqlite3_stmt* prepared = nullptr;
    code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                              &prepared, nullptr);
    statement.reset(prepared);
  }
  return Query(handle(), statement.get(), *subject_, code);
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return std::unexpected(make_error(code, sqlite3_errmsg(handle()), *subject_));
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  Query result = query(sql);
  const std::int64_t value = result.next() ? result.integer(0) : 0;
  TRY(result.status());
  return value;
}

Status Database::copy_into(Database& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", handle(), "main");
  // All pages in one step: a writer between two steps would restart the copy.
  constexpr int all_pages = -1;
  if (backup != nullptr) sqlite3_backup_step(backup, all_pages);
  const int code =
      backup != nullptr ? sqlite3_backup_finish(backup) : sqlite3_extended_errcode(target.handle());
  if (code == SQLITE_OK) return {};
  return std::unexpected(make_error(code, sqlite3_errstr(code), *subject_));
}

void Database::stand_for(const std::filesystem::path& path) {
  subject_ = std::make_unique<Subject>(Subject{path});
}

Result<Transaction> Transaction::begin(Database& database) {
  const bool within = database.in_transaction();
  // The statement is prepared now, because a rollback must not allocate memory.
  TRY(database.query(roll_back_sql(within)).status());
  TRY(database.query(end_sql(within)).status());
  TRY(database.query(within ? "SAVEPOINT part" : "BEGIN IMMEDIATE").run());
  return Transaction(database, within);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), within_(other.within_) {}

Transaction::~Transaction() {
  // SQLite rolls back automatically if the disk is full; a second attempt would fail and hide the reason.
  if (database_ == nullptr || !database_->in_transaction()) return;
  std::ignore = database_->query(roll_back_sql(within_)).next();
  if (within_) std::ignore = database_->query(end_sql(within_)).next();
}

Status Transaction::commit() {
  Status committed = database_->query(end_sql(within_)).run();
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace kernelscape::store::sqlite
