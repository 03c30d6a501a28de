#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/trial/trial.h"

namespace kernelscape {

/** One row of the trial table: what charts and tables need. Samples and message texts stay in the store. */
struct TrialRow {
  std::int64_t number = 0;
  std::int32_t batch = 0;
  std::int32_t position = 0;
  ErrorCategory category = ErrorCategory::NoError;
  bool cut_short = false;
  std::uint16_t sample_count = 0;
  double median_seconds = 0;  ///< 0 on errors
  double first_quartile_seconds = 0;
  double third_quartile_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double finished_seconds = 0;
  std::int64_t message = 0;  ///< id in the store; 0: none
};

/** @param message id of its message in the store */
TrialRow make_row(const Trial& trial, std::int64_t message);

/**
 * An immutable view of the first `size()` trials. Copies share append-only chunks with the table that made them, so
 * a new snapshot costs O(1) and a reader never sees a row change.
 */
class TrialSnapshot {
 public:
  TrialSnapshot() = default;
  std::int64_t size() const { return size_; }
  TrialRow row(std::int64_t trial) const;
  Configuration configuration(std::int64_t trial) const;
  std::size_t knob_count() const { return knobs_; }
  std::uint32_t knob_index(std::int64_t trial, std::size_t knob) const;

 private:
  friend class TrialTable;
  struct Chunk;
  std::shared_ptr<const std::vector<std::shared_ptr<const Chunk>>> chunks_;
  std::int64_t size_ = 0;
  std::size_t knobs_ = 0;
};

/** The writer's side: columns in chunks. One thread appends; snapshots may be read by any thread. */
class TrialTable {
 public:
  explicit TrialTable(std::size_t knob_count);
  ~TrialTable();
  TrialTable(TrialTable&&) noexcept;
  TrialTable& operator=(TrialTable&&) noexcept;

  /** Trials arrive with ascending numbers in any batch order; the row's index is the order of arrival. */
  void append(const TrialRow& row, const Configuration& configuration);
  TrialSnapshot snapshot() const;
  std::int64_t size() const;
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernelscape
