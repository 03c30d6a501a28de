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

namespace kernelscape {

/**
 * Reads many rows of a session in several threads, each with a connection of its own, ahead of who takes them
 * in their order: stepping through a million rows in SQLite takes longer than all that is done with them.
 * Rows are only ever added to a session, so that the connections need not see the same moment.
 *
 * It ends early wherever anything is not as it should be, and tells nothing of it: who reads the rest with
 * the one connection finds out.
 */
class RowsAhead {
 public:
  struct Rows {
    SessionId session = 0;
    bool of_gpu = false;         ///< their columns are read, too
    bool has_checksums = false;  ///< each row has
    std::int64_t first = 0;      ///< by order of arrival
    std::int64_t count = 0;
  };
  /** How it is divided. */
  struct Shares {
    int readers = 0;                     ///< 0: as many as there are cores, four at most
    std::int64_t rows_at_once = 8192;    ///< that a reader hands over
    std::int64_t least_rows = 64 << 10;  ///< fewer are not worth the threads
  };

  /** Null where one connection has to do: few rows, an open transaction, no file, no memory. */
  static std::unique_ptr<RowsAhead> begin(sqlite::Database& database, const Rows& rows, const Shares& shares);
  ~RowsAhead();
  RowsAhead(const RowsAhead&) = delete;
  RowsAhead& operator=(const RowsAhead&) = delete;

  /** The next ones, valid until the next call; empty at the end. */
  std::span<const Store::ArrivedRow> next();

 private:
  /** Read by one thread, then taken: its memory is used again. */
  struct Part {
    std::vector<Store::ArrivedRow> rows;
    std::size_t count = 0;
    bool ready = false;
  };

  RowsAhead(const Rows& rows, const Shares& shares) : rows_(rows), shares_(shares) {}

  /** A thread's: parts, one after the other, until there is none or it fails. */
  void serve(sqlite::Database& database) noexcept;
  /** The place of a part to be read; -1 at the end. */
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
  std::vector<Part> parts_;      ///< a ring; what is ready is not written
  std::int64_t next_read_ = 0;   ///< place of the next part that a thread takes
  std::int64_t next_taken_ = 0;  ///< place of the part after those that were handed out
  std::int64_t end_ = 0;         ///< parts from this place on are not read
  std::vector<std::jthread> threads_;
};

}  // namespace kernelscape
