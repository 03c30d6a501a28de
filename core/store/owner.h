#pragma once

#include <cstdint>
#include <string>

namespace kernelscape {

/** A process that writes a session, runs a study or trains a predictor. */
struct Owner {
  std::int64_t process_id = 0;
  std::string boot_id;
  std::int64_t process_start = 0;  ///< clock ticks since boot, from the kernel: tells a reused process id

  /** The caller, with the id of this boot and its start time as /proc has it. */
  static Owner this_process();
  /** The process with this id on this boot of the machine started at this time and has not ended (no zombie).
   */
  bool alive() const;
  bool operator==(const Owner&) const = default;
};

}  // namespace kernelscape
