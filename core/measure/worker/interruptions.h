#pragma once

#include <cstdint>
#include <vector>

#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** Regions of a CPU kernel's samples are about this long, so that an interruption stands out from the calls.
 */
inline constexpr double watched_region_seconds = 1e-3;

/**
 * Notices when a processor was taken away from a kernel while it was timed, as a hypervisor, a stopped
 * process or a quota of processor time do. The system reports none of these to the process; what remains is
 * the wall clock. A region of calls was interrupted if it took at least 5 ms more than at the speed of the
 * trial's fastest region, and at least twice as long. A kernel whose calls take longer than its interruptions
 * hides them.
 */
class Interruptions {
 public:
  /** Adds a region. The first ones may be warm-up calls, which belong to no sample. */
  void add_region(std::int64_t calls, double seconds);
  /** Begins the next sample, with the regions that follow. */
  void begin_sample();
  /** Returns true if the sample was interrupted so far. */
  bool interrupted() const { return sample_lost_seconds_ > 0; }
  /** Ends the sample. @param counts false: the sample will be repeated */
  void end_sample(bool counts);
  /** Writes the share of interruptions and the median without them, if there were any, into a measurement. */
  void report(trial::Measurement& measurement) const;

 private:
  double fastest_call_seconds_ = 0;  ///< 0: no region yet
  double seconds_ = 0;               ///< of all samples
  double lost_seconds_ = 0;
  double sample_seconds_ = 0;
  double sample_lost_seconds_ = 0;
  std::int64_t sample_calls_ = 0;
  std::vector<double> uninterrupted_seconds_;  ///< seconds per call of the samples that count
};

}  // namespace kernelscape::measure
