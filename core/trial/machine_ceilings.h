#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory_level.h"
#include "core/base/result.h"
#include "core/trial/peak_kind.h"

namespace kernelscape {

/** What one level can bring to the registers at best, all threads together. */
struct LevelCeiling {
  MemoryLevel level = MemoryLevel::Memory;
  double bytes_per_second = 0;   ///< reading, best of several repetitions
  double working_set_bytes = 0;  ///< of all threads together, what was read again and again

  bool operator==(const LevelCeiling&) const = default;
};

/** The roofs of a machine for a number of threads: measured once and kept. */
struct MachineCeilings {
  double peak_gflops = 0;            ///< independent f32 multiply-adds in registers; 0: not measured
  double byte_peak_gflops = 0;       ///< u8 x i8 products added up in i32, likewise; earlier ones lack it
  std::vector<LevelCeiling> levels;  ///< nearest first; a cache that the machine lacks is missing
  int threads = 1;
  std::string measured_utc;          ///< empty: not known
  std::vector<std::string> notices;  ///< what is odd about them, for people

  /** 0: not measured. */
  double peak(PeakKind kind) const { return kind == PeakKind::MultiplyAdds ? peak_gflops : byte_peak_gflops; }
  /** None where the level was not measured. */
  std::optional<double> bytes_per_second(MemoryLevel level) const;
  bool operator==(const MachineCeilings&) const = default;
};

/** "12.3 GB/s". */
std::string bandwidth_text(double bytes_per_second);

/** What is implausible: a level that is faster than the one before it, a peak or a level without a number. */
std::vector<std::string> doubts_about(const MachineCeilings& ceilings);

/** As the store keeps it; read back by machine_ceilings_from_json(). */
std::string machine_ceilings_to_json(const MachineCeilings& ceilings);
/** Corrupt: no such JSON, an unknown level, or a number that no machine has. */
Result<MachineCeilings> machine_ceilings_from_json(std::string_view json);

}  // namespace kernelscape
