#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/store/batches.h"
#include "core/store/collections.h"
#include "core/store/confirmations.h"
#include "core/store/interruptions.h"
#include "core/store/machines.h"
#include "core/store/notices.h"
#include "core/store/predictors.h"
#include "core/store/recordings.h"
#include "core/store/series.h"
#include "core/store/sessions.h"
#include "core/store/studies.h"
#include "core/store/trials.h"

namespace kernelscape::store {

enum class OpenMode {
  ReadWrite,  ///< creates the file and its folder if they are missing
  Existing,   ///< for writing as well, but the file must exist
  ReadOnly    ///< the file must exist, and is not changed; works in read-only folders and file systems
};

struct Options {
  std::chrono::milliseconds busy_timeout{10'000};  ///< how long to wait for another process's lock
};

/**
 * The SQLite database that stores all sessions, studies and predictors: WAL, busy time-out, foreign keys. A
 * Store opens the database; its repositories read and write one subject each.
 *
 * Older schema versions are migrated; a newer schema and the database of another program are refused. Any
 * number of processes may use one database; a session has one owner. A Store is used by one thread at a time;
 * each thread, and each forked process, opens a separate Store.
 *
 * Every error names the database's path and a remedy: read-only, full disk, locked, truncated, not a
 * database, newer schema.
 */
class Store {
 public:
  /**
   * Opens the database and, unless it is opened read-only, migrates its schema. A read-only store reads a
   * database with an older schema, or with a log left on a read-only file system, from a temporary copy that
   * is a snapshot of this moment. Errors: Refused: a newer schema, the database of another program; NotFound:
   * the file is missing, with similar names; InvalidArgument: a folder, a pipe, a device; Environment: no
   * space for a copy.
   */
  static Result<Store> open(const std::filesystem::path& path, OpenMode mode = OpenMode::ReadWrite,
                            const Options& options = {});
  /**
   * Returns a read-only store without a file, with the content of a database that does not exist yet. @param
   * path the path that error messages name
   */
  static Result<Store> nothing_yet(const std::filesystem::path& path);
  /**
   * Returns $XDG_DATA_HOME/kernelscape/kernelscape.db, or ~/.local/share/kernelscape/kernelscape.db if
   * XDG_DATA_HOME is not set.
   */
  static std::filesystem::path default_path();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& path() const;  ///< of the database file
  /** Returns true if later changes of the database file are not seen: open it again to see them. */
  bool is_snapshot() const;

  /**
   * Combines all writes during the life of this object into one transaction: other connections see either all
   * of them after commit() or none. If the object is destroyed without commit(), or the process dies, nothing
   * is stored. Other writers wait meanwhile.
   */
  class Transaction {
   public:
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    /** Commits all writes, durably. */
    Status commit();

   private:
    friend class Store;
    struct State;
    explicit Transaction(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /**
   * Begins a transaction. Waits for other writers, as every call does. Ids that were assigned in a
   * transaction without commit() are invalid.
   */
  Result<Transaction> begin();

  // The repositories, one per subject; Repository says how long a reference is valid.

  /** Returns the repository of sessions. */
  Sessions& sessions() { return repositories_->sessions; }
  const Sessions& sessions() const { return repositories_->sessions; }  ///< for reading only
  /** Returns the repository of trials. */
  Trials& trials() { return repositories_->trials; }
  const Trials& trials() const { return repositories_->trials; }  ///< for reading only
  /** Returns the repository of batches that tuners proposed. */
  Batches& batches() { return repositories_->batches; }
  const Batches& batches() const { return repositories_->batches; }  ///< for reading only
  /** Returns the repository of numbers that tuners reported for trials. */
  Series& series() { return repositories_->series; }
  const Series& series() const { return repositories_->series; }  ///< for reading only
  /** Returns the repository of confirmations of the best trials. */
  Confirmations& confirmations() { return repositories_->confirmations; }
  const Confirmations& confirmations() const { return repositories_->confirmations; }  ///< for reading only
  /** Returns the repository of pauses and interruptions of sessions. */
  Interruptions& interruptions() { return repositories_->interruptions; }
  const Interruptions& interruptions() const { return repositories_->interruptions; }  ///< for reading only
  /** Returns the repository of notices of sessions. */
  Notices& notices() { return repositories_->notices; }
  const Notices& notices() const { return repositories_->notices; }  ///< for reading only
  /** Returns the repository of recorded spaces. */
  Recordings& recordings() { return repositories_->recordings; }
  const Recordings& recordings() const { return repositories_->recordings; }  ///< for reading only
  /** Returns the repository of studies and their runs. */
  Studies& studies() { return repositories_->studies; }
  const Studies& studies() const { return repositories_->studies; }  ///< for reading only
  /** Returns the repository of collections of sessions. */
  Collections& collections() { return repositories_->collections; }
  const Collections& collections() const { return repositories_->collections; }  ///< for reading only
  /** Returns the repository of predictors and their training. */
  Predictors& predictors() { return repositories_->predictors; }
  const Predictors& predictors() const { return repositories_->predictors; }  ///< for reading only
  /** Returns the repository of measurements of machines. */
  Machines& machines() { return repositories_->machines; }
  const Machines& machines() const { return repositories_->machines; }  ///< for reading only

 private:
  struct Repositories {
    explicit Repositories(Connection& connection);
    Sessions sessions;
    Trials trials;
    Batches batches;
    Series series;
    Confirmations confirmations;
    Interruptions interruptions;
    Notices notices;
    Recordings recordings;
    Studies studies;
    Collections collections;
    Predictors predictors;
    Machines machines;
  };

  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Repositories> repositories_;  ///< keep their addresses when the store is moved
};

}  // namespace kernelscape::store
