#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/measure/interruption.h"

namespace kernelscape::measure {

/** Limits of a process that runs untrusted code; 0: not limited. Core dumps are always off. */
struct ProcessLimits {
  double cpu_seconds = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t stack_bytes = 0;
};

/**
 * Applies limits to the calling process. Makes system calls only, so that it can be called between fork and
 * exec.
 */
void apply_limits(const ProcessLimits& limits);

/** Moves a forked child into its own process group and has it killed when the thread that forked it ends. */
void join_own_group(pid_t parent);

/**
 * Returns a descriptor that becomes readable when a child of this process ends; invalid if the system does
 * not provide one.
 */
UniqueFd open_process(pid_t child);

/**
 * Kills the processes that the leader of a session has started and left, but not the leader itself. Call it
 * before waiting for the leader: until then no other process can get its number.
 */
void kill_session(pid_t leader);

enum class ChildEnd : std::uint8_t { Exited, Signalled, TimedOut, HungUp, Lost };

struct ChildOutcome {
  ChildEnd end = ChildEnd::Lost;
  int code = 0;                         ///< exit status or signal
  std::string output;                   ///< the head of the child's output
  double end_seconds = 0;               ///< of the steady clock, when its end was noticed
  std::uint64_t peak_memory_bytes = 0;  ///< largest resident set of the child and of children it waited for
};

/** A pipe into which a child prints, read while the child runs. */
struct PrintedPipe {
  int descriptor = -1;        ///< the end to read
  std::size_t max_bytes = 0;  ///< a child that prints as many bytes is killed
  std::string text{};         ///< what was printed

  bool full() const { return text.size() >= max_bytes; }  ///< the child printed too much
};

/**
 * Waits for a child that leads its own group, keeps the head of what it writes into `output`, and all that it
 * writes into the pipes `printed`. At the deadline, or when the peer of the socket `hang_up` closes, or when
 * a pipe is full, the whole group is killed; processes that the child leaves behind are killed too.
 */
ChildOutcome wait_for_child(pid_t child, int output, Deadline deadline, int hang_up,
                            std::span<PrintedPipe> printed = {});

}  // namespace kernelscape::measure
