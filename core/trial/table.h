#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trial/machine_speed.h"
#include "core/trial/objective.h"
#include "core/trial/speed_track.h"
#include "core/trial/trial.h"

namespace kernelscape::trial {

/** One row of the trial table: the data that charts and tables need. Samples and texts stay in the store. */
struct Row {
  std::int64_t number = 0;
  std::int32_t batch = 0;
  std::int32_t position = 0;
  ErrorCategory category = ErrorCategory::NoError;
  bool cut_short = false;
  ObjectiveKind objective = ObjectiveKind::Median;  ///< the statistic of the samples that median_seconds is
  std::uint16_t sample_count = 0;
  std::uint16_t samples_saved = 0;   ///< repeats that the adaptive evaluator did not need
  double median_seconds = 0;         ///< the objective, see Measurement::ranking_seconds(); 0 on errors
  double sample_median_seconds = 0;  ///< differs from median_seconds if `objective` is not Median
  double first_quartile_seconds = 0;
  double third_quartile_seconds = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double finished_seconds = 0;
  std::int64_t message = 0;                       ///< id in the store; 0: none
  std::optional<KernelResources> resources = {};  ///< resources of GPU kernels that were built
  std::int64_t build_log = 0;                     ///< id of its text, a message in the store; 0: none
  /// of a fleet: its number among the session's workers, from 1; 0: this machine measured
  std::uint16_t worker = 0;
  ProbeSeconds probe_before{};  ///< times of the speed probe before the run; 0: not measured
  ProbeSeconds probe_after{};
  double interrupted_share = 0;  ///< see Measurement
  double uninterrupted_seconds = 0;
  Speed machine{};  ///< derived, see Snapshot::with_speeds(); unknown in rows that were just read
};

/**
 * Sets the number of samples, at most 65,535, and their quartiles by linear interpolation; 0 without samples.
 */
void set_samples(Row& row, std::vector<double> samples);

/**
 * Replaces the median by an imported file's own objective; quartiles and sample count remain those of the
 * samples.
 */
void set_objective(Row& row, double objective_seconds, std::span<const double> samples);

/**
 * Makes the row of a trial. Quartiles are interpolated linearly; they are zero on errors and for a kernel
 * that was only built. More than 65,535 samples, taken or saved, are counted as 65,535.
 * @param message id of its message in the store; 0: none
 * @param build_log id of its build log in the store; 0: none
 * @param worker its number among the session's workers; 0: none
 */
Row make_row(const Trial& trial, std::int64_t message, std::int64_t build_log = 0, std::uint16_t worker = 0);

/**
 * An immutable view of the first `size()` trials. Copies share append-only chunks with the table that made
 * them, so a new snapshot costs O(1) and a reader never sees a row change. Readable from any thread, also
 * while the table grows or after it is destroyed. An index outside [0, size()) is a programming error and
 * throws std::out_of_range.
 */
class Snapshot {
 public:
  Snapshot() = default;
  std::int64_t size() const { return size_; }  ///< number of trials; 0 for a default-constructed snapshot
  /** Returns a row, copied from the columns. @param trial by order of arrival */
  Row row(std::int64_t trial) const;
  /** Returns all value indices of a trial; `knob_index` is cheaper for a single one. */
  space::Configuration configuration(std::int64_t trial) const;
  std::size_t knob_count() const { return knobs_; }  ///< number of indices per configuration
  /**
   * Returns a snapshot of the same trials whose rows have the machine's speed. @param speeds by order of
   * arrival, see SessionSpeeds; rows beyond them have none
   */
  Snapshot with_speeds(std::shared_ptr<const std::vector<Speed>> speeds) const;
  /** Returns the knob's value index in a trial's configuration, without copying the others. */
  std::uint32_t knob_index(std::int64_t trial, std::size_t knob) const;
  /**
   * Returns a trial's value of a metric, or NaN if it has none. @param metric position in the session's list
   * of metrics
   */
  double metric(std::int64_t trial, std::size_t metric) const;

 private:
  friend class Table;
  struct Chunk;
  using ChunkList = std::vector<std::shared_ptr<Chunk>>;

  const Chunk& chunk_of(std::int64_t trial) const;

  std::shared_ptr<const ChunkList> chunks_;
  std::shared_ptr<const std::vector<Speed>> speeds_;  ///< null: not known
  std::int64_t size_ = 0;
  std::size_t knobs_ = 0;
};

/**
 * The writable table: columns in chunks of constant size. One thread appends; any thread may take a snapshot
 * meanwhile. A million trials of ten knobs take about 120 MB; chunks with GPU kernels, or with times of the
 * speed probe, take a third more. A metric of a million trials adds 8 MB; chunks without metrics have no
 * columns for them.
 */
class Table {
 public:
  explicit Table(std::size_t knob_count);
  ~Table();
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;

  /**
   * Appends a row. Trials arrive with ascending numbers in any batch order; the row's index is the order of
   * arrival. A configuration with another number of knobs is a programming error and throws
   * std::invalid_argument.
   * @param metrics values by position in the session's list of metrics; NaN, or beyond the end: none
   */
  void append(const Row& row, const space::Configuration& configuration,
              std::span<const double> metrics = {});
  /** Returns a snapshot of all rows appended so far, in O(1). Callable from any thread. */
  Snapshot snapshot() const;
  std::int64_t size() const;  ///< number of rows appended so far
  /// bytes of all chunks and their list, including those shared with snapshots
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernelscape::trial
