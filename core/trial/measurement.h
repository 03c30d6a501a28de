#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelscape {

/** Table I of NoSE. The numbers are stored: never renumber. */
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

/** "NO_ERROR", "INSTANTIATION_ERROR", ... */
std::string_view to_string(ErrorCategory category);

/** What limits the blocks that a multiprocessor holds at once. The numbers are stored: never renumber. */
enum class OccupancyLimit : std::uint8_t {
  Unknown = 0,
  Threads = 1,
  Blocks = 2,
  Registers = 3,
  SharedMemory = 4
};
constexpr std::size_t occupancy_limit_count = 5;

/** "threads", "blocks", "registers", "shared_memory"; empty: unknown. */
std::string_view to_string(OccupancyLimit limit);

/** How many enumerators an enum of a measurement has: they count from 0. */
template <typename Enum>
inline constexpr std::size_t enumerator_count = 0;
template <>
inline constexpr std::size_t enumerator_count<ErrorCategory> = error_category_count;
template <>
inline constexpr std::size_t enumerator_count<OccupancyLimit> = occupancy_limit_count;

/** What a GPU kernel takes, as its compiler says. */
struct KernelResources {
  std::int32_t registers = 0;      ///< of a thread; 0: not known
  std::int64_t spilled_bytes = 0;  ///< spill stores and loads of a thread
  std::int64_t shared_bytes = 0;   ///< static shared memory of a block
  std::int32_t threads = 0;        ///< of a block
  double occupancy = 0;            ///< theoretical: resident threads / most resident threads; 0: not known
  OccupancyLimit limited_by = OccupancyLimit::Unknown;

  /** Whether not all that a thread needs fits its registers. */
  bool spills() const { return spilled_bytes > 0; }
  /** Whether a kernel can be so: nothing negative, an occupancy of at most 1, a limit that exists. */
  bool plausible() const;
  bool operator==(const KernelResources&) const = default;
};

/** What building, running and checking one candidate gave. Samples and work seconds are never negative. */
struct Measurement {
  ErrorCategory category = ErrorCategory::NoError;
  std::vector<double> samples_seconds;  ///< one per repeat: seconds per call of the kernel; empty on errors
  double build_seconds = 0;             ///< work seconds of its own build (instantiation included)
  double run_seconds = 0;               ///< work seconds of its own run: packing, checks, warm-up, repeats
  bool cut_short = false;               ///< given up after the first sample, far slower than the best
  std::uint32_t preempted_samples = 0;  ///< samples taken again: a thread lost time in them
  std::uint32_t samples_saved = 0;      ///< repeats that an adaptive evaluator did not need
  double worst_error = 0;               ///< largest |actual - expected| of the check
  std::string message;                  ///< empty without an error; at most 4 KiB
  double recorded_seconds = 0;          ///< an imported file's own objective; 0: the median ranks
  std::optional<KernelResources> resources{};  ///< of GPU kernels that were built
  std::string build_log{};  ///< what the GPU compiler said of a build that worked; at most 4 KiB
  std::string worker{};     ///< of a fleet, that told what came out; empty: this machine measured

  /** Built, and where it was to be run, run and found right. */
  bool valid() const { return category == ErrorCategory::NoError; }
  /** Counts what an adaptive evaluator left out. @param repeats that were to be taken */
  void count_saved(std::size_t repeats) {
    samples_saved = static_cast<std::uint32_t>(repeats - samples_seconds.size());
  }
  double median_seconds() const;   ///< of the samples; 0 without
  double ranking_seconds() const;  ///< what trials are compared by: the file's own objective, else the median
  bool operator==(const Measurement&) const = default;
};

}  // namespace kernelscape
