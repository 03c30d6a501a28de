#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::trial {

/** A counter that is not available, and the reason. */
struct MissingCounter {
  std::string name;    ///< "cycles", "L1 misses", ...
  std::string reason;  ///< reason given by the system, for users
  std::string hint;    ///< what to do; empty: none

  bool operator==(const MissingCounter&) const = default;
};

/** The samples that found a thread at one instruction. */
struct InstructionSamples {
  std::int32_t instruction = 0;  ///< number in the kernel's function, from 0 in the order of the assembly
  std::int32_t source_line = 0;  ///< line of the kernel's source, from 1; 0: not known
  std::int64_t samples = 0;

  bool operator==(const InstructionSamples&) const = default;
};

/**
 * Samples of where the threads of a kernel were at regular intervals of its calls: an instruction's share of
 * the samples is its share of the time. The instruction numbers are those of one build; the source lines are
 * valid for every compiler.
 */
struct CodeSamples {
  std::string event;                             ///< "processor cycles", "processor time"
  std::int32_t instruction_count = 0;            ///< instructions of the kernel's function
  std::vector<InstructionSamples> instructions;  ///< ascending; instructions without samples are left out
  std::int64_t outside = 0;  ///< samples outside of the function: waiting, called functions, the calls
  std::int64_t lost = 0;     ///< samples for which there was no room
  /// of the function's instructions, see machine_code::instructions_hash(); empty: not known
  std::string code_hash = {};

  /** Returns the number of all samples but the lost ones. */
  std::int64_t total() const;
  bool operator==(const CodeSamples&) const = default;
};

/**
 * The counts of the processor and the system during repeated calls of one kernel, summed over all threads,
 * per call. The reason for each missing value is in `missing`.
 */
struct CounterReading {
  std::optional<double> cycles;
  std::optional<double> instructions;
  std::optional<double> l1_misses;   ///< loads that missed L1
  std::optional<double> l2_misses;   ///< requests that missed L2
  std::optional<double> llc_misses;  ///< loads that missed the last-level cache
  std::optional<double> tlb_misses;  ///< loads whose page was not in the processor's table of pages
  /// cycles in which no instruction finished because of missing data
  std::optional<double> stalled_cycles;
  std::optional<double> task_clock_seconds;  ///< processor time of all threads
  std::optional<double> context_switches;
  double seconds = 0;  ///< wall time of a call
  double calls = 0;    ///< number of counted calls
  /// share of the time in which the counters ran; below 1: the counters were multiplexed and the values
  /// scaled
  double counted_share = 1;
  std::int32_t threads = 1;
  std::vector<MissingCounter> missing;
  /// samples taken in further calls; nullopt: not taken, and if that was tried, `missing` has the reason
  std::optional<CodeSamples> samples;

  /**
   * Returns the clock frequency: cycles per second of processor time of a running thread; nullopt if one of
   * the two is missing.
   */
  std::optional<double> hertz() const;
  /** Returns the instructions per cycle; nullopt if one of the two is missing. */
  std::optional<double> instructions_per_cycle() const;
  bool operator==(const CounterReading&) const = default;
};

/** Returns JSON text, as stored with a trial; read back by counter_reading_from_json(). */
std::string counter_reading_to_json(const CounterReading& reading);
/** Reads JSON. Corrupt: not this JSON, or an impossible number. */
Result<CounterReading> counter_reading_from_json(std::string_view json);

}  // namespace kernelscape::trial
