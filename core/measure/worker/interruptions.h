#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trial/measurement.h"

namespace kernelscape::measure {

/** Regions of a CPU kernel's samples are about this long, so that an interruption stands out from the calls.
 */
inline constexpr double watched_region_seconds = 1e-3;

/** Consecutive calls of a kernel that were timed together. */
struct TimedRegion {
  std::int64_t calls = 0;
  double seconds = 0;
  std::optional<double> processor_seconds{};  ///< CPU time of all threads meanwhile; nullopt: not known
};

/**
 * Notices when a processor was taken away from a kernel while it was timed, as a hypervisor, a stopped
 * process or a quota of processor time do. The system reports none of these to the process; what remains is
 * the comparison with the trial's fastest region. A region of calls was interrupted
 * - if it took at least 5 ms more than at the speed of the fastest one, and at least twice as long;
 * - or, for calls that are longer than their interruptions, if it took at least 10 ms more, and the kernel's
 *   threads did not work for longer: their CPU time grew by at most half of the additional time. A kernel
 *   that is slower for another reason uses its processors all the time.
 * As the fastest region may come last, earlier samples are judged again at the end.
 */
class Interruptions {
 public:
  /** Adds a region. The first ones may be warm-up calls, which belong to no sample. */
  void add_region(const TimedRegion& region);
  /** Begins the next sample, with the regions that follow. */
  void begin_sample();
  /** Returns true if the latest sample was interrupted, by the fastest region so far. */
  bool interrupted() const;
  /** Ends the sample. @param counts false: the sample will be repeated */
  void end_sample(bool counts);
  /**
   * Returns the first of the samples that count which was interrupted, by the fastest region so far; nullopt:
   * none was.
   */
  std::optional<std::size_t> first_interrupted() const;
  /** Says that a sample does not count, since it will be repeated. @param sample of those that count */
  void discount(std::size_t sample);
  /** Writes the share of interruptions and the median without them, if there were any, into a measurement. */
  void report(trial::Measurement& measurement) const;

 private:
  using Sample = std::vector<TimedRegion>;

  double lost_seconds(const TimedRegion& region) const;
  double lost_seconds(const Sample& sample) const;

  TimedRegion fastest_;  ///< by the time of a call; without calls: no region yet
  std::vector<Sample> samples_;
  std::vector<std::size_t> counted_;  ///< positions in `samples_`
  bool in_sample_ = false;
};

}  // namespace kernelscape::measure
