#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

/**
 * A thin layer over SQLite's C interface: handles that close themselves, cached statements, and errors as
 * values that name the database, the reason and the way out.
 */
namespace kernelscape::sqlite {

/** What errors tell of a database. */
struct Subject {
  std::filesystem::path path;   ///< as it was opened
  bool has_own_schema = false;  ///< the schema was read, and all of it is this program's
};

/** @param code SQLite's extended result code. @param detail SQLite's own words. */
Error make_error(int code, std::string_view detail, const Subject& subject);

struct StatementCloser {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, StatementCloser>;

/**
 * One execution of a cached statement. The first error sticks: later calls do nothing, and status() tells.
 * Texts and blobs are bound without a copy and have to live until the next step or reset.
 */
class Query {
 public:
  Query(sqlite3* database, sqlite3_stmt* statement, const Subject& subject, int code);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /** Parameters in order of appearance. */
  Query& bind(std::int64_t value);
  Query& bind(double value);                              ///< SQLite has no NaN: it becomes NULL
  Query& bind(std::string_view text);                     ///< UTF-8; an empty text is not NULL
  Query& bind_blob(const void* data, std::size_t bytes);  ///< raw bytes as they lie in memory
  Query& bind_null();                                     ///< leaves a parameter without a value

  /** True while there is a row; false at the end and on errors. */
  bool next();
  /** Runs a statement without rows; it can be bound and run again. */
  Status run();
  /** The first error of this execution; success where there was none. */
  Status status() const;

  /** Columns of the current row, from 0. */
  bool is_null(int column) const;
  std::int64_t integer(int column) const;             ///< 0 for NULL
  double real(int column) const;                      ///< NaN for NULL
  std::string text(int column) const;                 ///< a copy; empty for NULL
  std::span<const std::byte> blob(int column) const;  ///< valid until the next step or reset; empty for NULL
  /** Of all texts and blobs of the current row. @param except columns that are left out */
  std::int64_t content_bytes(std::initializer_list<int> except = {}) const;

 private:
  void check(int code);

  sqlite3* database_;
  sqlite3_stmt* statement_;
  const Subject& subject_;
  int code_;
  int parameter_ = 0;
};

class Database {
 public:
  /**
   * Neither a pipe nor a device is opened, as the database or beside it: InvalidArgument, Refused.
   * @param flags of sqlite3_open_v2. @param immutable the file lies where nobody can write: take no locks
   */
  static Result<Database> open(const std::filesystem::path& path, int flags, bool immutable,
                               std::chrono::milliseconds busy_timeout);

  /** An empty one without a file. @param name what errors name */
  static Result<Database> open_in_memory(const std::filesystem::path& name);

  /** Prepared once; `sql` is a literal. Only one query of a text is alive at a time. */
  Query query(std::string_view sql);
  /** Any number of statements without parameters, not cached. */
  Status execute(const std::string& sql);
  /** The first column of the first row. */
  Result<std::int64_t> integer(std::string_view sql);
  /**
   * One more connection to the same file, to read in another thread. NotFound where there is none: in memory,
   * a copy that is gone from its folder, or a file that was moved or replaced.
   */
  Result<Database> second_reader() const;
  /** Replaces what `target` holds by a copy, as of one moment, while others write. */
  Status copy_into(Database& target);

  /** Whether a transaction is open. */
  bool in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }
  /** SQLite's primary result code of the last call that failed. */
  int failure() const { return sqlite3_extended_errcode(handle()) & 0xff; }
  /** Rows that the last statement changed. */
  std::int64_t changes() const { return sqlite3_changes64(handle()); }
  /** Rowid of the last successful INSERT. */
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle()); }

  sqlite3* handle() const { return handle_.get(); }  ///< for calls that have no wrapper; stays this object's
  const std::filesystem::path& path() const { return subject_->path; }  ///< as it was opened
  const Subject& subject() const { return *subject_; }                  ///< what errors call it
  /** Errors may let other tools loose on it. */
  void note_own_schema() { subject_->has_own_schema = true; }
  /** From now on errors name another file, which this is a copy of. No query may be alive. */
  void stand_for(const std::filesystem::path& path);

 private:
  static Result<Database> open_uri(const std::string& uri, int flags, const std::filesystem::path& path,
                                   std::chrono::milliseconds busy_timeout);

  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };

  std::unique_ptr<Subject> subject_;  // its address stays when the database is moved
  std::unique_ptr<sqlite3, Closer> handle_;
  std::map<std::string_view, StatementHandle> statements_;
};

/**
 * What the rows of a query hold together. Those of a sound database share nothing; forged ones may all lead
 * to the same pages, and what is kept of them would be many times the file; holes in
 * the file make no room. Texts that rows share by a join are not to be counted.
 */
class HeldContent {
 public:
  explicit HeldContent(Database& database) : database_(database) {}
  /** Whether so much can be there, too. Called while the query is at a row. */
  bool take(std::int64_t bytes);

 private:
  Database& database_;
  std::int64_t bytes_ = 0;
  std::optional<std::int64_t> most_bytes_;  ///< of the moment that the query sees
};

/**
 * Rolls back unless it was committed. It takes the write lock at once, so that it never has to start over.
 * Within another one it is a part of that: rolled back alone, and kept only with the other.
 */
class Transaction {
 public:
  /** BEGIN IMMEDIATE: waits up to the busy time-out for the write lock, then fails. */
  static Result<Transaction> begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  /** Ends the transaction; where it fails, the destructor rolls all of it back. */
  Status commit();

 private:
  Transaction(Database& database, bool within) : database_(&database), within_(within) {}
  Database* database_;  ///< null once it ended
  bool within_;         ///< within another one
};

}  // namespace kernelscape::sqlite
