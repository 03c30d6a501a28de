#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measure/worker/landlock_rules.h"
#include "core/measure/worker/system_call_filter.h"

namespace kernelscape::measure {

/** The means of this system to confine foreign code, in addition to limits on time and memory. */
struct ConfinementSupport {
  bool switched_off = false;  ///< by $KERNELSCAPE_CONFINEMENT: no confinement is used
  bool system_calls = false;  ///< a filter of system calls
  int landlock_version = 0;   ///< 0: access to files can't be restricted

  bool operator==(const ConfinementSupport&) const = default;
};

/** Returns the support of this system. With $KERNELSCAPE_CONFINEMENT=off, no confinement is used. */
ConfinementSupport confinement_support();

/**
 * Returns the actions that are refused to a CPU kernel with this support, as texts for the user: "use the
 * network", "start processes", ...
 */
std::vector<std::string> refused_to_kernels(const ConfinementSupport& support);

/** What a program may do in addition to reading the system's files and changing those of its folder. */
struct ProgramAccess {
  bool network = false;
  std::vector<std::string> read{};   ///< absolute paths of files and folders
  std::vector<std::string> write{};  ///< likewise; they may also be read
};

/**
 * Restrictions that a process applies to itself before it loads foreign code. They are prepared in advance,
 * before a fork too. A restriction that the system lacks is left out without an error.
 */
class Confinement {
 public:
  /** Confines a C compiler: no network, and no writing except below `folder`. */
  static Confinement of_compiler(const std::string& folder);
  /**
   * Confines a user's program and all processes that it starts: no network, no files except reading those of
   * the system and changing those below `folder`, unless `allowed` names more; no reaching of other
   * processes.
   */
  static Confinement of_program(const std::string& folder, const ProgramAccess& allowed);
  /**
   * Confines a process that loads and runs CPU kernels: no network, no files except reading those of the
   * system, no starting of processes, no access to other processes.
   */
  static Confinement of_kernel();
  /**
   * Confines a kernel whose events are counted, separately from timed runs: as of_kernel(), but performance
   * counters may be opened, with the capability for that if the process has it.
   */
  static Confinement of_counted_kernel();
  /**
   * Confines a worker whose driver compiles or runs foreign code, after the driver was opened: no network.
   */
  static Confinement of_driver();

  /** Confines the calling process permanently. Makes system calls only. */
  void apply();

 private:
  Confinement() = default;
  enum class Counting : bool { Refused, Allowed };
  static Confinement of_kernel(Counting counting);

  std::optional<SystemCallFilter> system_calls_;
  std::optional<LandlockRules> files_;
  bool without_capabilities_ = false;  ///< drops the capabilities of root if the process has them
  bool keeps_counting_ = false;        ///< but keeps the capability for performance counters
};

}  // namespace kernelscape::measure
