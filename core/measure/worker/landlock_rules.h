#pragma once

#include <cstdint>
#include <string>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/** What a process may do to a file, or to all files below a folder. */
enum class FileAccess : std::uint8_t {
  Read,
  WriteDevice,  ///< to write to what is there, as to /dev/null
  Change        ///< to write, make, rename and remove what is below a folder
};

/**
 * Which files a process and all that it starts may use (Landlock): what no rule allows is refused. With that
 * go, where the system can do it, connections over TCP and signals to other processes. Made before a fork;
 * restrict_self() makes system calls only.
 */
class LandlockRules {
 public:
  /** @param reading whether reading is refused as well; else writing alone */
  explicit LandlockRules(bool reading);

  /** A path that is not there is no error. */
  void allow(const std::string& path, FileAccess access);

  /** For the calling thread and all that it starts, for ever; false where the system can't. */
  bool restrict_self() const;

  /** The version of Landlock that the system has; 0: none, or it is switched off. */
  static int system_version();

 private:
  UniqueFd rules_;
  std::uint64_t handled_ = 0;  ///< kinds of access that are refused without a rule
};

}  // namespace kernelscape
