#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/measure/interruption.h"

namespace kernelscape {

/** Limits of a process that runs what we don't trust; 0: not limited. Core dumps are always off. */
struct ProcessLimits {
  double cpu_seconds = 0;
  std::uint64_t address_space_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t stack_bytes = 0;
};

/** For the process itself, between fork and exec too: makes system calls only. */
void apply_limits(const ProcessLimits& limits);

/** A process group of its own, killed when the thread that forked it ends. For a forked child. */
void join_own_group(pid_t parent);

/** A descriptor that becomes readable when a child of ours ends; invalid where the system has none to give.
 */
UniqueFd open_process(pid_t child);

/** Kills what a process that led a session of its own has started and left; not the process itself. Before it
 * is waited for: until then its number is nobody else's. */
void kill_session(pid_t leader);

enum class ChildEnd : std::uint8_t { Exited, Signalled, TimedOut, HungUp, Lost };

struct ChildOutcome {
  ChildEnd end = ChildEnd::Lost;
  int code = 0;        ///< exit status or signal
  std::string output;  ///< the head of what it wrote
};

/**
 * Waits for a child that leads its own group, and keeps the head of what it writes into `output`. At the
 * deadline, or when the peer of the socket `hang_up` is gone, the whole group is killed; what a child leaves
 * behind is killed too.
 */
ChildOutcome wait_for_child(pid_t child, int output, Deadline deadline, int hang_up);

}  // namespace kernelscape
