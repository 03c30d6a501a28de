#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape {

/** A counter that could not be had, and why. */
struct MissingCounter {
  std::string name;    ///< "cycles", "L1 misses", ...
  std::string reason;  ///< for people: what the system said of it
  std::string hint;    ///< the way out; empty: none

  bool operator==(const MissingCounter&) const = default;
};

/**
 * What the processor and the system counted while one kernel was called again and again, all threads
 * together, per call. A value that is missing has its reason in `missing`.
 */
struct CounterReading {
  std::optional<double> cycles;
  std::optional<double> instructions;
  std::optional<double> l1_misses;           ///< loads that L1 did not have
  std::optional<double> l2_misses;           ///< requests that L2 did not have
  std::optional<double> llc_misses;          ///< loads that the last cache did not have
  std::optional<double> stalled_cycles;      ///< in which nothing was finished for want of data
  std::optional<double> task_clock_seconds;  ///< processor time of all threads
  std::optional<double> context_switches;
  double seconds = 0;        ///< wall time of a call
  double calls = 0;          ///< that were counted
  double counted_share = 1;  ///< of the time the counters ran; below 1: they took turns, and were scaled
  std::int32_t threads = 1;
  std::vector<MissingCounter> missing;

  /** Cycles per second of processor time of a thread that ran: its clock; none without both. */
  std::optional<double> hertz() const;
  /** Instructions per cycle; none without both. */
  std::optional<double> instructions_per_cycle() const;
  bool operator==(const CounterReading&) const = default;
};

/** As the store keeps it with a trial; read back by counter_reading_from_json(). */
std::string counter_reading_to_json(const CounterReading& reading);
/** Corrupt: no such JSON, or a number that nobody counts. */
Result<CounterReading> counter_reading_from_json(std::string_view json);

}  // namespace kernelscape
