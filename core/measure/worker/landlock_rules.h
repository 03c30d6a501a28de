#pragma once

#include <cstdint>
#include <string>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/** The access of a process to a file, or to all files below a folder. */
enum class FileAccess : std::uint8_t {
  Read,
  WriteDevice,  ///< write to existing files, such as /dev/null
  Change        ///< write to a file; also make, rename and remove files below a folder, and control devices
};

/**
 * The files that a process and all its descendants may use (Landlock): access without a rule is refused.
 * Where the system supports it, TCP connections and signals to other processes are refused too. Make the
 * rules before a fork; restrict_self() makes system calls only.
 */
class LandlockRules {
 public:
  /**
   * @param reading true: reading is restricted as well; false: writing only
   * @param network true: TCP connections are allowed
   */
  explicit LandlockRules(bool reading, bool network = false);

  /** Allows access to a path. A path that does not exist is no error. */
  void allow(const std::string& path, FileAccess access);

  /**
   * Applies the rules permanently to the calling thread and all its descendants; returns false if the system
   * can't.
   */
  bool restrict_self() const;

  /** Returns the version of Landlock on this system; 0: not available, or switched off. */
  static int system_version();

 private:
  UniqueFd rules_;
  std::uint64_t handled_ = 0;  ///< kinds of access that are refused without a rule
};

}  // namespace kernelscape::measure
