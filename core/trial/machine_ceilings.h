#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/trial/peak_kind.h"

namespace kernelscape::trial {

/** The maximum bandwidth from one memory level to the registers, all threads together. */
struct LevelCeiling {
  base::MemoryLevel level = base::MemoryLevel::Memory;
  double bytes_per_second = 0;   ///< reading, best of several repetitions
  double working_set_bytes = 0;  ///< data that were read repeatedly, all threads together

  bool operator==(const LevelCeiling&) const = default;
};

/** The ceilings of a machine for a number of threads, measured once and stored. */
struct MachineCeilings {
  double peak_gflops = 0;  ///< independent f32 multiply-adds in registers; 0: not measured
  /// int8 dot products (u8 x i8 into i32), likewise; missing in earlier versions
  double byte_peak_gflops = 0;
  std::vector<LevelCeiling> levels;  ///< nearest first; without caches that the machine does not have
  int threads = 1;
  std::string measured_utc;          ///< empty: not known
  std::vector<std::string> notices;  ///< implausible values, for users

  /** Returns a peak in GFLOP/s; 0: not measured. */
  double peak(PeakKind kind) const { return kind == PeakKind::MultiplyAdds ? peak_gflops : byte_peak_gflops; }
  /** Returns the bandwidth of a level; nullopt if the level was not measured. */
  std::optional<double> bytes_per_second(base::MemoryLevel level) const;
  bool operator==(const MachineCeilings&) const = default;
};

/** Returns a bandwidth as text: "12.3 GB/s". */
std::string bandwidth_text(double bytes_per_second);

/**
 * Returns notices of implausible values: a level that is faster than the one before it, a peak or a level
 * without a number.
 */
std::vector<std::string> doubts_about(const MachineCeilings& ceilings);

/** Returns JSON text, as stored; read back by machine_ceilings_from_json(). */
std::string machine_ceilings_to_json(const MachineCeilings& ceilings);
/** Reads JSON. Corrupt: not this JSON, an unknown level, or a number that no machine has. */
Result<MachineCeilings> machine_ceilings_from_json(std::string_view json);

}  // namespace kernelscape::trial
