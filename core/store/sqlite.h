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
 * values that name the database, the reason and the remedy.
 */
namespace kernelscape::store::sqlite {

/** The facts about a database that error messages use. */
struct Subject {
  std::filesystem::path path;   ///< as passed to open()
  bool has_own_schema = false;  ///< the schema was read, and this program created all of it
};

/**
 * Returns the error for a failed call of SQLite. @param code SQLite's extended result code. @param detail
 * SQLite's error text
 */
Error make_error(int code, std::string_view detail, const Subject& subject);

struct StatementCloser {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, StatementCloser>;

/**
 * One execution of a cached statement. The first error is kept: later calls do nothing, and status() returns
 * the error. Texts and blobs are bound without a copy and must stay valid until the next step or reset.
 */
class Query {
 public:
  Query(sqlite3* database, sqlite3_stmt* statement, const Subject& subject, int code);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /** Binds the next parameter, in order of appearance. */
  Query& bind(std::int64_t value);
  Query& bind(double value);                              ///< SQLite has no NaN: NaN becomes NULL
  Query& bind(std::string_view text);                     ///< UTF-8; an empty text is not NULL
  Query& bind_blob(const void* data, std::size_t bytes);  ///< raw bytes in memory order
  Query& bind_null();                                     ///< leaves a parameter without a value

  /** Advances to the next row. Returns false at the end and on errors. */
  bool next();
  /** Runs a statement that returns no rows. The statement can be bound and run again. */
  Status run();
  /** Returns the first error of this execution, or success. */
  Status status() const;

  /** Columns of the current row are numbered from 0. */
  bool is_null(int column) const;
  std::int64_t integer(int column) const;             ///< 0 for NULL
  double real(int column) const;                      ///< NaN for NULL
  std::string text(int column) const;                 ///< a copy; empty for NULL
  std::span<const std::byte> blob(int column) const;  ///< valid until the next step or reset; empty for NULL
  /**
   * Returns the number of bytes of all texts and blobs of the current row. @param except columns that are not
   * counted
   */
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
   * Opens a database. Returns InvalidArgument if the path is a pipe or a device, and Refused if a pipe or
   * device lies beside the database under the name of its log or journal. @param flags flags of
   * sqlite3_open_v2. @param immutable the file is in a place where no process can write: take no locks
   */
  static Result<Database> open(const std::filesystem::path& path, int flags, bool immutable,
                               std::chrono::milliseconds busy_timeout);

  /** Opens an empty database without a file. @param name the path that error messages name */
  static Result<Database> open_in_memory(const std::filesystem::path& name);

  /**
   * Returns a query whose statement is prepared once. `sql` is a literal. At most one query with the same
   * text may be alive at a time.
   */
  Query query(std::string_view sql);
  /** Executes any number of statements without parameters. They are not cached. */
  Status execute(const std::string& sql);
  /** Returns the first column of the first row. */
  Result<std::int64_t> integer(std::string_view sql);
  /**
   * Opens another connection to the same file, for reading in another thread. Returns NotFound if this is
   * impossible: the database is in memory, is an unlinked copy, or its file was moved or replaced.
   */
  Result<Database> second_reader() const;
  /**
   * Replaces the content of `target` by a consistent snapshot of this database, while other processes may
   * write.
   */
  Status copy_into(Database& target);

  /** Returns true if a transaction is open. */
  bool in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }
  /** Returns SQLite's primary result code of the last call that failed. */
  int failure() const { return sqlite3_extended_errcode(handle()) & 0xff; }
  /** Returns the number of rows that the last statement changed. */
  std::int64_t changes() const { return sqlite3_changes64(handle()); }
  /** Returns the rowid of the last successful INSERT. */
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle()); }

  sqlite3* handle() const { return handle_.get(); }  ///< for calls that have no wrapper; owned by this object
  const std::filesystem::path& path() const { return subject_->path; }  ///< as passed to open()
  const Subject& subject() const { return *subject_; }                  ///< the facts that error messages use
  /**
   * Notes that this program created the whole schema. Error messages may then suggest other tools to repair
   * the database.
   */
  void note_own_schema() { subject_->has_own_schema = true; }
  /** Makes error messages name another file, of which this database is a copy. No query may be alive. */
  void stand_for(const std::filesystem::path& path);

 private:
  static Result<Database> open_uri(const std::string& uri, int flags, const std::filesystem::path& path,
                                   std::chrono::milliseconds busy_timeout);

  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };

  std::unique_ptr<Subject> subject_;  // keeps its address when the database is moved
  std::unique_ptr<sqlite3, Closer> handle_;
  std::map<std::string_view, StatementHandle> statements_;
};

/**
 * Sums up the content of the rows of a query. Rows of a sound database share no content. Rows of a forged
 * database may all refer to the same pages, so that keeping the rows would need many times the size of the
 * file; holes in a sparse file do not count as content. Do not count texts that rows share by a join.
 */
class HeldContent {
 public:
  explicit HeldContent(Database& database) : database_(database) {}
  /**
   * Adds `bytes` and returns false if the file cannot hold so much content. Call it while the query is at a
   * row.
   */
  bool take(std::int64_t bytes);

 private:
  Database& database_;
  std::int64_t bytes_ = 0;
  std::optional<std::int64_t> max_bytes_;  ///< upper limit, from the snapshot that the query sees
};

/**
 * A write transaction that rolls back unless it was committed. It takes the write lock immediately, so that
 * it never has to be restarted. A nested transaction is a part of the outer transaction: it can be rolled
 * back alone, but is kept only if the outer one is committed.
 */
class Transaction {
 public:
  /** Executes BEGIN IMMEDIATE, which waits up to the busy time-out for the write lock and then fails. */
  static Result<Transaction> begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  /** Ends the transaction. If this fails, the destructor rolls the transaction back. */
  Status commit();

 private:
  Transaction(Database& database, bool within) : database_(&database), within_(within) {}
  Database* database_;  ///< null after the transaction ended
  bool within_;         ///< nested in another transaction
};

}  // namespace kernelscape::store::sqlite
