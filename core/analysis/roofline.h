#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/trial/counter_reading.h"
#include "core/trial/machine_ceilings.h"

namespace kernelscape::analysis {

/** The origin of a kernel's number of bytes. */
enum class TrafficOrigin : std::uint8_t {
  Estimated,  ///< estimated from its loop nest
  Counted     ///< counted by the processor
};

/** The bytes that one call of a kernel moves from and to a level. */
struct LevelBytes {
  std::optional<double> bytes;  ///< nullopt: not known
  bool stays_nearer = false;    ///< only a first call moves them: afterwards the kernel's data are in a cache
                                ///< nearer to the core
  TrafficOrigin origin = TrafficOrigin::Estimated;

  bool operator==(const LevelBytes&) const = default;
};

/** The numbers of a kernel that a roofline uses. */
struct RooflineKernel {
  double flops = 0;    ///< FLOPs of one call that must be computed, without those of padding
  double seconds = 0;  ///< time of one call
  base::PerLevel<LevelBytes> traffic{};
  trial::PeakKind peak = trial::PeakKind::MultiplyAdds;  ///< peak for the instructions that it uses

  double gflops() const;  ///< 0 without a time
};

/** A kernel in the roofline of one level. */
struct RooflinePoint {
  base::MemoryLevel level = base::MemoryLevel::Memory;
  double intensity = 0;       ///< flop per byte
  double gflops = 0;          ///< achieved performance
  double roof_gflops = 0;     ///< min(peak, intensity x bandwidth of the level)
  double share_of_level = 0;  ///< share of the level's bandwidth
  bool stays_nearer = false;  ///< the level is not used after the first call, so it cannot be the limit
  TrafficOrigin origin = TrafficOrigin::Estimated;

  bool operator==(const RooflinePoint&) const = default;
};

/** Whether a kernel is compute-bound or memory-bound, and by which level. */
struct RooflinePlace {
  std::vector<RooflinePoint> points;  ///< nearest level first, without levels that have no traffic or ceiling
  trial::PeakKind peak = trial::PeakKind::MultiplyAdds;  ///< the peak of share_of_peak
  double share_of_peak = 0;
  /** The level with the lowest roof at the kernel's intensity; nullopt: the peak is lower. */
  std::optional<base::MemoryLevel> bound;
  double share_of_bound = 0;         ///< share of the performance that `bound`, or the peak, allows
  std::string sentence;              ///< "compute: 84 % of the FMA peak at this intensity"
  std::vector<std::string> notices;  ///< a ceiling that the kernel exceeds, traffic that is an estimate

  bool operator==(const RooflinePlace&) const = default;
};

/**
 * Returns the place of a CPU kernel in the roofline. A ceiling that the kernel exceeds remains unchanged and
 * is reported in a notice. Returns Refused without a peak, a time or operations.
 */
Result<RooflinePlace> roofline_place(const trial::MachineCeilings& ceilings, const RooflineKernel& kernel);

/**
 * Returns the traffic of a kernel with the estimates of counted levels replaced by their counts: lines of 64
 * bytes per miss.
 */
base::PerLevel<LevelBytes> with_counted_traffic(base::PerLevel<LevelBytes> estimated,
                                                const trial::CounterReading& reading);

}  // namespace kernelscape::analysis
