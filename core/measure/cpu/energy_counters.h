#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * The energy counters of the processor (RAPL): those of its packages and, where the system has them, of the
 * memory. They count what the whole machine consumes, including idle processors and other programs. The files
 * stay open, so that a process without the right to open them can read them after a fork.
 */
class EnergyCounters {
 public:
  /** Microjoules by counter; empty if the counters cannot be read. */
  using Reading = std::vector<std::uint64_t>;

  /** Opens the counters. @param root folder of the counters; another one in tests */
  static EnergyCounters open(const std::filesystem::path& root = "/sys/class/powercap");

  bool available() const { return !counters_.empty(); }  ///< there are counters that can be read
  const std::string& problem() const {
    return problem_;
  }  ///< why there are none, as a sentence; empty: there are
  std::vector<std::string> names() const;  ///< "package-0", "dram"
  std::vector<int> descriptors() const;    ///< of the open files, ascending

  /** Reads all counters. Makes system calls only. */
  Reading read() const;
  /**
   * Returns the joules between two readings; a counter that started again from 0 once in between is accounted
   * for. Returns NaN if one of the readings is empty.
   */
  double joules(const Reading& before, const Reading& after) const;

 private:
  struct Counter {
    std::string name;
    std::uint64_t range = 0;  ///< largest value in microjoules, after which the counter starts again from 0
    UniqueFd file;
  };

  std::vector<Counter> counters_;
  std::string problem_;
};

}  // namespace kernelscape::measure
