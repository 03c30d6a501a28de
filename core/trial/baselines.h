#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/space/configuration.h"
#include "core/trial/confirmation.h"
#include "core/trial/peak_kind.h"
#include "core/trial/speed_track.h"
#include "core/trial/vendor_result.h"

namespace kernelscape::trial {

/**
 * The maximum performance of a device: a CPU with as many threads as a kernel gets, a GPU with all of its
 * threads.
 */
struct MachineLimits {
  double peak_gflops = 0;                 ///< independent f32 multiply-adds in registers; 0: not measured
  double bandwidth_bytes_per_second = 0;  ///< of repeated reads of a working set of `working_set_bytes`
  double working_set_bytes = 0;
  double byte_peak_gflops = 0;  ///< int8 dot products (u8 x i8 into i32) in registers; 0: not measured

  /** Returns a peak in GFLOP/s; 0: not measured. */
  double peak(PeakKind kind) const { return kind == PeakKind::MultiplyAdds ? peak_gflops : byte_peak_gflops; }
  bool operator==(const MachineLimits&) const = default;
};

/** Returns the larger of each limit; the working set is that of `known`, unless `known` was not measured. */
MachineLimits larger_limits(const MachineLimits& known, const MachineLimits& other);

/**
 * The first valid configuration in index order: the template's result without tuning. If the search for it
 * ended early, it is the first known valid configuration, and Baselines::first_valid_reason says so.
 */
struct FirstValid {
  space::Configuration configuration;
  std::vector<double> samples_seconds;

  bool operator==(const FirstValid&) const = default;
};

/**
 * The best trial of a session by its own samples, with the machine's speed, see best_measured(). Stored when
 * a run of the session ends, so that lists of sessions need not read all trials.
 */
struct StoredMeasuredBest {
  std::int64_t trials = 0;  ///< number of trials of the session that it is the best of
  std::int64_t trial = -1;  ///< number
  std::int64_t row = 0;     ///< by order of arrival
  Speed machine{};          ///< of the machine while the trial was measured
  ProbeSeconds usual{};     ///< times of the probe at the machine's usual speed

  bool operator==(const StoredMeasuredBest&) const = default;
};

/**
 * The baselines of the best trials, stored in the session's status: the vendor's library, measured before the
 * first trial and again interleaved with the best at the end, and the limits of the machine.
 */
struct Baselines {
  VendorResult vendor;
  /** When this library replaced another one, whose samples the confirmations before have; empty: never. */
  std::string vendor_since_utc = {};
  std::optional<FirstValid> first_valid;
  std::string first_valid_reason;  ///< why there is none, or why it may not be the first
  MachineLimits limits;
  /** The machine's speed during the session's confirmations; confirmations without an entry: not known. */
  std::vector<ConfirmationSpeed> confirmation_speeds = {};
  std::optional<StoredMeasuredBest> measured_best = {};  ///< of sessions with readings of the speed

  bool operator==(const Baselines&) const = default;
};

/** Returns the text of SessionStatus::vendor_json; exact, read back by baselines_from_json(). */
std::string baselines_to_json(const Baselines& baselines);
/**
 * Reads baselines from JSON; an empty text stands for none yet. Corrupt: no JSON object. Samples that are not
 * positive numbers are dropped.
 */
Result<Baselines> baselines_from_json(std::string_view json);

}  // namespace kernelscape::trial
