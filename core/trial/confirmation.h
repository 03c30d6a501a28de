#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trial/machine_speed.h"
#include "core/trial/peak_kind.h"

namespace kernelscape::trial {

/**
 * A repeated measurement of one of the best trials at the end of a session, interleaved with the others of
 * the same time. The reported result is taken from these measurements, see best_result().
 */
struct Confirmation {
  std::int64_t trial = 0;  ///< number; -1: the vendor baseline
  std::string measured_utc;
  std::vector<double> samples_seconds;

  bool operator==(const Confirmation&) const = default;
};

/** What is known of the machine while the confirmations of one time were measured. */
struct ConfirmationSpeed {
  std::string measured_utc;     ///< as in the confirmations
  ProbeSeconds probe{};         ///< mean of the speed probes around their rounds
  bool slow = false;            ///< the machine was in a slow phase that did not end in time
  double peak_gflops = 0;       ///< f32 peak, measured in the same rounds; 0: not measured
  double byte_peak_gflops = 0;  ///< int8 peak, likewise
  /** Mean speed relative to the usual one; 0: not stored, by earlier versions. */
  double machine_share = 0;
  bool loaded = false;  ///< other programs used the machine, and its usual speed is not known

  /** Returns a peak in GFLOP/s; 0: not measured. */
  double peak(PeakKind kind) const { return kind == PeakKind::MultiplyAdds ? peak_gflops : byte_peak_gflops; }
  bool operator==(const ConfirmationSpeed&) const = default;
};

}  // namespace kernelscape::trial
