#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trial/machine_speed.h"
#include "core/trial/metric.h"

namespace kernelscape::trial {

/** The error categories of NoSE, Table I. The numbers are stored: never renumber. */
enum class ErrorCategory : std::uint8_t {
  NoError = 0,
  InstantiationError = 1,
  CompileHost = 2,
  CompileDevice = 3,
  RuntimeDevice = 4,
  WrongAnswer = 5,
  BuildTimeout = 6,
  RunTimeout = 7,
  UnknownError = 8
};
constexpr std::size_t error_category_count = 9;

/** Returns the stored name: "NO_ERROR", "INSTANTIATION_ERROR", ... */
std::string_view to_string(ErrorCategory category);

/**
 * The resource that limits the number of resident blocks of a multiprocessor. The numbers are stored: never
 * renumber.
 */
enum class OccupancyLimit : std::uint8_t {
  Unknown = 0,
  Threads = 1,
  Blocks = 2,
  Registers = 3,
  SharedMemory = 4
};
constexpr std::size_t occupancy_limit_count = 5;

/** Returns "threads", "blocks", "registers" or "shared_memory"; empty if unknown. */
std::string_view to_string(OccupancyLimit limit);

/** The number of enumerators of an enum of a measurement; they count from 0. */
template <typename Enum>
inline constexpr std::size_t enumerator_count = 0;
template <>
inline constexpr std::size_t enumerator_count<ErrorCategory> = error_category_count;
template <>
inline constexpr std::size_t enumerator_count<OccupancyLimit> = occupancy_limit_count;

/** The resources of a GPU kernel, as reported by its compiler. */
struct KernelResources {
  std::int32_t registers = 0;      ///< of a thread; 0: not known
  std::int64_t spilled_bytes = 0;  ///< spill stores and loads of a thread
  std::int64_t shared_bytes = 0;   ///< static shared memory of a block
  std::int32_t threads = 0;        ///< of a block
  double occupancy = 0;            ///< theoretical: resident threads / maximum resident threads; 0: not known
  OccupancyLimit limited_by = OccupancyLimit::Unknown;

  /** Returns true if a thread's values do not all fit into its registers. */
  bool spills() const { return spilled_bytes > 0; }
  /**
   * Returns true if a kernel can have these values: nothing negative, an occupancy of at most 1, a limit that
   * exists.
   */
  bool plausible() const;
  bool operator==(const KernelResources&) const = default;
};

/** The result of building, running and checking one candidate. Times are never negative. */
struct Measurement {
  ErrorCategory category = ErrorCategory::NoError;
  std::vector<double> samples_seconds;  ///< one per repeat: seconds per call of the kernel; empty on errors
  double build_seconds = 0;             ///< time that its own build took, including instantiation
  double run_seconds = 0;               ///< time that its own run took: packing, checks, warm-up, repeats
  bool cut_short = false;               ///< ended after the first sample, far slower than the best
  std::uint32_t preempted_samples = 0;  ///< samples that were repeated because they were interrupted
  std::uint32_t samples_saved = 0;      ///< repeats that an adaptive evaluator did not need
  double worst_error = 0;               ///< largest |actual - expected| of the check
  std::string message;                  ///< empty without an error; at most 4 KiB
  double recorded_seconds = 0;          ///< an imported file's own objective; 0: the median ranks
  std::optional<KernelResources> resources{};  ///< resources of GPU kernels that were built
  std::string build_log{};  ///< output of the GPU compiler for a successful build; at most 4 KiB
  std::string worker{};     ///< worker of a fleet that reported the result; empty: this machine measured
  // Times of the speed probe around the run, see ProbeSeconds; 0: not measured.
  double compute_probe_before_seconds = 0;
  double memory_probe_before_seconds = 0;
  double compute_probe_after_seconds = 0;
  double memory_probe_after_seconds = 0;
  // Of interruptions of the timed calls, see measure::Interruptions; 0: there were none, or nobody watched.
  double interrupted_share = 0;      ///< of the time of all samples, including those that were repeated
  double uninterrupted_seconds = 0;  ///< median of the samples without their interruptions
  std::vector<Metric> metrics{};     ///< quantities beside the time; empty: none were measured

  /**
   * Returns true if the candidate was built and, unless it was only to be built, run with a correct result.
   */
  bool valid() const { return category == ErrorCategory::NoError; }
  /** Sets the number of repeats that an adaptive evaluator saved. @param repeats planned number of repeats */
  void count_saved(std::size_t repeats) {
    samples_saved = static_cast<std::uint32_t>(repeats - samples_seconds.size());
  }
  /** Returns the times of the speed probe before the run. */
  ProbeSeconds probe_before() const { return {compute_probe_before_seconds, memory_probe_before_seconds}; }
  /** Returns the times of the speed probe after the run. */
  ProbeSeconds probe_after() const { return {compute_probe_after_seconds, memory_probe_after_seconds}; }
  /** Adds a metric unless there is one of this name: a user's own number comes before ours. */
  void add_metric(Metric metric);
  double median_seconds() const;  ///< median of the samples; 0 without samples
  /// the time by which trials are ranked: the file's own objective, otherwise the median
  double ranking_seconds() const;
  bool operator==(const Measurement&) const = default;
};

}  // namespace kernelscape::trial
