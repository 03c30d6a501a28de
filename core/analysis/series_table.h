#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape::analysis {

/**
 * A number per trial under one name, by the trial's number; NaN if the trial has none. Immutable; copies
 * share their values.
 */
class SeriesColumn {
 public:
  /** Returns the name that the tuner reports: "predicted_mean", "lengthscale tile_oc[3]". */
  const std::string& name() const { return name_; }
  /** Returns the value of a trial, or NaN if it has none. */
  double at(std::int64_t trial) const;
  /** Returns one past the last trial that has a value, or 0 if none has. */
  std::int64_t end() const { return end_; }
  /** Returns the number of trials that have a value. */
  std::int64_t count() const { return count_; }

 private:
  friend class SeriesTable;
  struct Chunk;
  using ChunkList = std::vector<std::shared_ptr<Chunk>>;

  Chunk* find_chunk(std::int64_t index) const;

  std::string name_;
  std::shared_ptr<const ChunkList> chunks_;  ///< by index; chunks without a value are left out
  std::int64_t end_ = 0;
  std::int64_t count_ = 0;
};

/**
 * The series that a session's tuner had reported at one point in time. Immutable; may be read from any
 * thread.
 */
class SeriesSnapshot {
 public:
  /** Returns the columns, ordered by name. */
  const std::vector<SeriesColumn>& columns() const;
  /** Returns the column of this name, or null if there is none. */
  const SeriesColumn* find(std::string_view name) const;
  bool empty() const { return columns().empty(); }  ///< no series was reported
  /** Returns the number of values in all columns. */
  std::int64_t value_count() const;
  /** Returns one past the last trial that has a value in any column. */
  std::int64_t end() const;

 private:
  friend class SeriesTable;
  std::shared_ptr<const std::vector<SeriesColumn>> columns_;
};

/**
 * The writable form of series: columns in chunks of constant size, which snapshots share, so that a new
 * snapshot costs O(new values). One thread writes; snapshots are passed to other threads like any value, by a
 * lock or a queue. A million values take about 8 MB.
 */
class SeriesTable {
 public:
  /** Further names are left out, since that many names are data rather than series. */
  static constexpr std::size_t max_columns = 64;

  /**
   * Sets a value, in any order. A value that is set again replaces the old one in later snapshots. Ignores
   * NaN and negative trials.
   */
  void set(std::int64_t trial, std::string_view name, double value);
  SeriesSnapshot snapshot() const;  ///< all values set so far; later changes do not affect it

 private:
  SeriesColumn* column_of(std::string_view name);
  static SeriesColumn::Chunk& writable_chunk(SeriesColumn& column, std::int64_t trial);

  std::vector<SeriesColumn> columns_;  ///< by name
};

}  // namespace kernelscape::analysis
