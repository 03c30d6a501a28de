#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trial/objective.h"
#include "core/trial/trial.h"

namespace kernelscape {

/** One row of the trial table: what charts and tables need. Samples and texts stay in the store. */
struct TrialRow {
  std::int64_t number = 0;
  std::int32_t batch = 0;
  std::int32_t position = 0;
  ErrorCategory category = ErrorCategory::NoError;
  bool cut_short = false;
  ObjectiveKind objective = ObjectiveKind::Median;  ///< what median_seconds is of the samples
  std::uint16_t sample_count = 0;
  std::uint16_t samples_saved = 0;   ///< repeats that the adaptive evaluator did not need
  double median_seconds = 0;         ///< the objective, see Measurement::ranking_seconds(); 0 on errors
  double sample_median_seconds = 0;  ///< differs from median_seconds where the kind does
  double first_quartile_seconds = 0;
  double third_quartile_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double finished_seconds = 0;
  std::int64_t message = 0;                       ///< id in the store; 0: none
  std::optional<KernelResources> resources = {};  ///< of GPU kernels that were built
  std::int64_t build_log = 0;                     ///< id of its text, a message in the store; 0: none
  std::uint16_t worker = 0;  ///< of a fleet: its place among the session's, from 1; 0: this machine measured
};

/** Sets how many there are, at most 65,535, and their quartiles by linear interpolation; 0 without samples.
 */
void set_samples(TrialRow& row, std::vector<double> samples);

/** Replaces the median by an imported file's own objective; quartiles and sample count stay those of the
 * samples. */
void set_objective(TrialRow& row, double objective_seconds, std::span<const double> samples);

/**
 * Quartiles by linear interpolation; all zero on errors and of a kernel that was built alone. More than
 * 65,535 samples, taken or saved, are counted as 65,535.
 * @param message id of its message in the store; 0: none
 * @param build_log the same of its build log @param worker its place among the session's; 0: none
 */
TrialRow make_row(const Trial& trial, std::int64_t message, std::int64_t build_log = 0,
                  std::uint16_t worker = 0);

/**
 * An immutable view of the first `size()` trials. Copies share append-only chunks with the table that made
 * them, so a new snapshot costs O(1) and a reader never sees a row change. Any thread may read it, also while
 * the table grows or after it is gone. An index outside [0, size()) is a programming error and throws
 * std::out_of_range.
 */
class TrialSnapshot {
 public:
  TrialSnapshot() = default;
  std::int64_t size() const { return size_; }  ///< trials; 0 for a snapshot of nothing
  /** Copied out of the columns. @param trial by order of arrival */
  TrialRow row(std::int64_t trial) const;
  /** All value indices of a trial; `knob_index` is cheaper for one. */
  Configuration configuration(std::int64_t trial) const;
  std::size_t knob_count() const { return knobs_; }  ///< indices per configuration
  /** The knob's value index in a trial's configuration, without a copy of the others. */
  std::uint32_t knob_index(std::int64_t trial, std::size_t knob) const;

 private:
  friend class TrialTable;
  struct Chunk;
  using ChunkList = std::vector<std::shared_ptr<Chunk>>;

  const Chunk& chunk_of(std::int64_t trial) const;

  std::shared_ptr<const ChunkList> chunks_;
  std::int64_t size_ = 0;
  std::size_t knobs_ = 0;
};

/**
 * The writer's side: columns in chunks of constant size. One thread appends; any thread may take a snapshot
 * meanwhile. A million trials of ten knobs take about 120 MB; chunks with GPU kernels take a third more.
 */
class TrialTable {
 public:
  explicit TrialTable(std::size_t knob_count);
  ~TrialTable();
  TrialTable(TrialTable&&) noexcept;
  TrialTable& operator=(TrialTable&&) noexcept;

  /**
   * Trials arrive with ascending numbers in any batch order; the row's index is the order of arrival.
   * A configuration with another number of knobs is a programming error and throws std::invalid_argument.
   */
  void append(const TrialRow& row, const Configuration& configuration);
  /** All rows appended so far, in O(1). Any thread. */
  TrialSnapshot snapshot() const;
  std::int64_t size() const;         ///< rows appended so far
  std::size_t memory_bytes() const;  ///< all chunks and their list, those that snapshots share included

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernelscape
