#pragma once

#include <array>
#include <cstdint>
#include <span>
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

/** What building, running and checking one candidate gave. Samples and work seconds are never negative. */
struct Measurement {
  ErrorCategory category = ErrorCategory::NoError;
  std::vector<double> samples_seconds;  ///< one per repeat: seconds per call of the kernel; empty on errors
  double build_seconds = 0;             ///< work seconds of its own build (instantiation included)
  double run_seconds = 0;               ///< work seconds of its own run: packing, checks, warm-up, repeats
  bool cut_short = false;               ///< given up after the first sample, far slower than the best
  std::uint32_t preempted_samples = 0;  ///< samples taken again because the worker was preempted
  std::uint32_t samples_saved = 0;      ///< repeats that an adaptive evaluator did not need
  double worst_error = 0;               ///< largest |actual - expected| of the check
  std::string message;                  ///< empty without an error; at most 4 KiB
  double recorded_seconds = 0;          ///< an imported file's own objective; 0: the median ranks

  bool valid() const { return category == ErrorCategory::NoError; }
  double median_seconds() const;   ///< of the samples; 0 without
  double ranking_seconds() const;  ///< what trials are compared by: the file's own objective, else the median
  bool operator==(const Measurement&) const = default;
};

/** Quantile by linear interpolation; 0 for an empty list. */
double quantile(std::vector<double> values, double q);

/** The same of values in ascending order. */
double sorted_quantile(std::span<const double> values, double q);

}  // namespace kernelscape
