#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace kernelscape::store {

/**
 * Reads many rows of a session in several threads ahead of the caller, which gets them in order. Each thread
 * has a separate connection. Stepping through a million rows in SQLite takes longer than the caller needs to
 * process them. Rows are only ever added to a session, so the connections may see different states of the
 * database. Reading ends early at the first error or implausible row, without reporting it: the caller reads
 * the remaining rows with its own connection and finds the error.
 */
class RowsAhead {
 public:
  struct Rows {
    SessionId session = 0;
    bool of_gpu = false;         ///< the columns of GPU kernels are read as well
    bool has_checksums = false;  ///< all rows have checksums
    std::int64_t first = 0;      ///< first row, in order of arrival
    std::int64_t count = 0;
  };
  /** How the rows are divided among threads. */
  struct Shares {
    int readers = 0;                   ///< number of threads; 0: one per core, at most four
    std::int64_t rows_at_once = 8192;  ///< rows that a reader delivers at once
    std::int64_t min_rows = 64 << 10;  ///< minimum number of rows for which threads are started
  };

  /**
   * Starts to read ahead. Returns null if a single connection must do: few rows, an open transaction, a
   * database without a file, or not enough memory.
   */
  static std::unique_ptr<RowsAhead> begin(sqlite::Database& database, const Rows& rows, const Shares& shares);
  ~RowsAhead();
  RowsAhead(const RowsAhead&) = delete;
  RowsAhead& operator=(const RowsAhead&) = delete;

  /** Returns the next rows, valid until the next call; empty at the end. */
  std::span<const ArrivedRow> next();

 private:
  /** Rows that a thread reads and the caller then takes. Their memory is reused. */
  struct Part {
    std::vector<ArrivedRow> rows;
    std::size_t count = 0;
    bool ready = false;
  };

  RowsAhead(const Rows& rows, const Shares& shares) : rows_(rows), shares_(shares) {}

  /** The body of a reader thread: reads one part after another until no part is left or an error occurs. */
  void serve(sqlite::Database& database) noexcept;
  /** Waits and returns the place of the next part to read, or -1 at the end. */
  std::int64_t wait_for_place();
  bool read(sqlite::Database& database, std::int64_t place, Part& part) const;
  std::int64_t rows_in(std::int64_t place) const;
  std::int64_t part_count() const { return (rows_.count + shares_.rows_at_once - 1) / shares_.rows_at_once; }
  Part& part_at(std::int64_t place) { return parts_[static_cast<std::size_t>(place) % parts_.size()]; }

  Rows rows_;
  Shares shares_;
  std::vector<sqlite::Database> connections_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Part> parts_;      ///< a ring buffer; parts that are ready are not overwritten
  std::int64_t next_read_ = 0;   ///< place of the next part that a thread reads
  std::int64_t next_taken_ = 0;  ///< place after the parts that the caller has taken
  std::int64_t end_ = 0;         ///< parts from this place on are not read
  std::vector<std::jthread> threads_;
};

}  // namespace kernelscape::store
