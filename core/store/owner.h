#pragma once

#include <cstdint>
#include <string>

namespace kernelscape::store {

/** A process that writes a session, runs a study or trains a predictor. */
struct Owner {
  std::int64_t process_id = 0;
  std::string boot_id;
  std::int64_t process_start = 0;  ///< clock ticks since boot, from the kernel: distinguishes processes that
                                   ///< reused a process id

  /** Returns the calling process, with the id of the current boot and the start time from /proc. */
  static Owner this_process();
  /**
   * Returns true if the process with this id was started at this time during the current boot of this machine
   * and has not ended. A zombie counts as ended.
   */
  bool alive() const;
  bool operator==(const Owner&) const = default;
};

}  // namespace kernelscape::store
