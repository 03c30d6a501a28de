#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kernelscape::trial {

/**
 * A named quantity of a trial beside its time: energy, size of the code, a number that the user's program
 * printed. A session's trials have the same metrics in the same order, as far as each was measured.
 */
struct Metric {
  std::string name;  ///< as the user wrote it, or one of ours: "energy", "code_size"
  std::string unit;  ///< as the user wrote it: "J", "bytes"; empty: none
  double value = 0;  ///< finite

  bool operator==(const Metric&) const = default;
};

/** The name and the unit of a metric, which a session stores once for all trials. */
struct MetricName {
  std::string name;
  std::string unit;  ///< empty: none

  bool operator==(const MetricName&) const = default;
};

constexpr std::size_t max_metrics = 1000;            ///< maximum number of metrics of a session
constexpr std::size_t max_metric_name_bytes = 1024;  ///< maximum length of a name, and of a unit

inline constexpr const char* energy_metric = "energy";        ///< joules per call
inline constexpr const char* code_size_metric = "code_size";  ///< bytes of the kernel's machine code

/**
 * Returns true if a trial can have these metrics: at most max_metrics with distinct names that are not empty,
 * with finite values.
 */
bool plausible_metrics(std::span<const Metric> metrics);

}  // namespace kernelscape::trial
