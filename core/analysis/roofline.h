#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/trial/counter_reading.h"
#include "core/trial/machine_ceilings.h"

namespace kernelscape {

/** Where a kernel's bytes come from. */
enum class TrafficOrigin : std::uint8_t {
  Estimated,  ///< from its loop nest
  Counted     ///< by the processor
};

/** What one call of a kernel moves from and to a level. */
struct LevelBytes {
  std::optional<double> bytes;  ///< none: not known
  bool stays_nearer = false;    ///< only a first call moves them: the kernel's data stay in a nearer cache
  TrafficOrigin origin = TrafficOrigin::Estimated;

  bool operator==(const LevelBytes&) const = default;
};

/** A kernel as a roofline sees it. */
struct RooflineKernel {
  double flops = 0;    ///< of one call that have to be computed: not those with padding
  double seconds = 0;  ///< of one call
  PerLevel<LevelBytes> traffic{};
  PeakKind peak = PeakKind::MultiplyAdds;  ///< of what it computes with

  double gflops() const;  ///< 0 where nothing was timed
};

/** A kernel's place under the roof of one level. */
struct RooflinePoint {
  MemoryLevel level = MemoryLevel::Memory;
  double intensity = 0;       ///< flop per byte
  double gflops = 0;          ///< what it reached
  double roof_gflops = 0;     ///< min(peak, intensity x what the level brings)
  double share_of_level = 0;  ///< of the bytes per second that the level can bring
  bool stays_nearer = false;  ///< the level is not asked after the first call: it can't be the limit
  TrafficOrigin origin = TrafficOrigin::Estimated;

  bool operator==(const RooflinePoint&) const = default;
};

/** The answer to "compute or memory". */
struct RooflinePlace {
  std::vector<RooflinePoint> points;  ///< nearest level first; levels without traffic or ceiling are missing
  PeakKind peak = PeakKind::MultiplyAdds;  ///< whose share is told
  double share_of_peak = 0;
  /** The level whose roof is the lowest over the kernel; none: the peak is. */
  std::optional<MemoryLevel> bound;
  double share_of_bound = 0;         ///< of what `bound`, or the peak, allows
  std::string sentence;              ///< "compute: 84 % of the FMA peak at this intensity"
  std::vector<std::string> notices;  ///< a ceiling that the kernel beats, traffic that is an estimate

  bool operator==(const RooflinePlace&) const = default;
};

/**
 * Where a kernel on a CPU stands. A ceiling that it beats is not raised: a notice says so.
 * Refused: no peak, no time or no operations.
 */
Result<RooflinePlace> roofline_place(const MachineCeilings& ceilings, const RooflineKernel& kernel);

/** The traffic of a kernel with the levels that were counted in place of their estimates: lines of 64 bytes
 * per miss. */
PerLevel<LevelBytes> with_counted_traffic(PerLevel<LevelBytes> estimated, const CounterReading& reading);

}  // namespace kernelscape
