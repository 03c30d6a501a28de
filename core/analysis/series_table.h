#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/**
 * A number per trial under one name, by the trial's number; NaN where it has none. Immutable; copies share
 * their values.
 */
class SeriesColumn {
 public:
  /** As the tuner reports it: "predicted_mean", "lengthscale tile_oc[3]". */
  const std::string& name() const { return name_; }
  /** NaN: the trial has none. */
  double at(std::int64_t trial) const;
  /** One past the last trial that has a value; 0: none has. */
  std::int64_t end() const { return end_; }
  /** Trials that have a value. */
  std::int64_t count() const { return count_; }

 private:
  friend class SeriesTable;
  struct Chunk;
  using ChunkList = std::vector<std::shared_ptr<Chunk>>;

  Chunk* find_chunk(std::int64_t index) const;

  std::string name_;
  std::shared_ptr<const ChunkList> chunks_;  ///< by their place; those without a value are left out
  std::int64_t end_ = 0;
  std::int64_t count_ = 0;
};

/** The series that a session's tuner reported, at one moment. Immutable; any thread may read it. */
class SeriesSnapshot {
 public:
  /** By name. */
  const std::vector<SeriesColumn>& columns() const;
  /** Null: there is none of this name. */
  const SeriesColumn* find(std::string_view name) const;
  bool empty() const { return columns().empty(); }  ///< no series was reported
  /** Over all columns. */
  std::int64_t value_count() const;
  /** One past the last trial that has a value in any column. */
  std::int64_t end() const;

 private:
  friend class SeriesTable;
  std::shared_ptr<const std::vector<SeriesColumn>> columns_;
};

/**
 * The writer's side: columns in chunks of constant size, which snapshots share, so that a new one costs O(new
 * values). One thread writes; snapshots are handed to others as values are, by a lock or a queue. A million
 * values take about 8 MB.
 */
class SeriesTable {
 public:
  /** More names than this are left out: they would be no series but data. */
  static constexpr std::size_t most_columns = 64;

  /**
   * Values come in any order; one that is set again replaces the old one, in later snapshots. NaN and
   * negative trials are left out.
   */
  void set(std::int64_t trial, std::string_view name, double value);
  SeriesSnapshot snapshot() const;  ///< all values set so far; later ones do not change it

 private:
  SeriesColumn* column_of(std::string_view name);
  static SeriesColumn::Chunk& writable_chunk(SeriesColumn& column, std::int64_t trial);

  std::vector<SeriesColumn> columns_;  ///< by name
};

}  // namespace kernelscape
