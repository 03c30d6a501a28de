#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measure/worker/landlock_rules.h"
#include "core/measure/worker/system_call_filter.h"

namespace kernelscape {

/** What this system has to confine foreign code with, beside limits on time and memory. */
struct ConfinementSupport {
  bool switched_off = false;  ///< by $KERNELSCAPE_CONFINEMENT: nothing is used
  bool system_calls = false;  ///< a filter of system calls
  int landlock_version = 0;   ///< 0: access to files can't be refused

  bool operator==(const ConfinementSupport&) const = default;
};

/** Of this system. $KERNELSCAPE_CONFINEMENT=off leaves nothing in use. */
ConfinementSupport confinement_support();

/** What a CPU's kernel can't do with this, for people: "use the network", "start processes", ... */
std::vector<std::string> refused_to_kernels(const ConfinementSupport& support);

/**
 * What a process is kept from before foreign code comes into it: made in advance, also before a fork. What
 * the system lacks is left out: that is no error.
 */
class Confinement {
 public:
  /** Of a C compiler: no network, and nothing is written but below `folder`. */
  static Confinement of_compiler(const std::string& folder);
  /**
   * Of a process that loads and runs kernels of a CPU: no network, no files but to read the system's own, no
   * processes started, none reached.
   */
  static Confinement of_kernel();
  /** The same for a kernel whose work is counted, once and apart from what is timed: performance counters may
   * be opened, with the right to that where the process has it. */
  static Confinement of_counted_kernel();
  /** Of a worker whose driver compiles or runs foreign code, for after the driver was opened: no network. */
  static Confinement of_driver();

  /** Confines the calling process for ever. Makes system calls only. */
  void apply();

 private:
  Confinement() = default;
  enum class Counting : bool { Refused, Allowed };
  static Confinement of_kernel(Counting counting);

  std::optional<SystemCallFilter> system_calls_;
  std::optional<LandlockRules> files_;
  bool without_capabilities_ = false;  ///< the rights of root, where the process has them
  bool keeps_counting_ = false;        ///< but for that to performance counters
};

}  // namespace kernelscape
