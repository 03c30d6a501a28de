#pragma once

#include <chrono>
#include <functional>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

using Deadline = std::chrono::steady_clock::time_point;

/** Now plus this many seconds; centuries are cut to a year. */
Deadline deadline_after(double seconds);

/** Wall seconds by the steady clock. */
double seconds_since(std::chrono::steady_clock::time_point start);

/** For poll(): milliseconds to the deadline, rounded up; 0 once it has passed. */
int poll_milliseconds(Deadline deadline);

/**
 * What can end a wait early: a descriptor that becomes readable, or a question that is asked a few times per
 * second (waking up disturbs a timing, so a descriptor is the better one).
 */
struct Interruption {
  int descriptor = -1;
  std::function<bool()> requested;

  /** Never longer than the question may wait. */
  int limit_poll(int milliseconds) const;
  /** Whether the descriptor is readable or the question says yes; does not wait. */
  bool now() const;
};

/** A switch that ends waits, from any thread. */
class InterruptionSwitch {
 public:
  InterruptionSwitch();
  /** Ends all waits on interruption() until reset(); thread-safe. */
  void trigger() const;
  /** Waits are not ended any more. */
  void reset() const;
  /** Valid while the switch lives. */
  Interruption interruption() const { return {.descriptor = event_.get(), .requested = {}}; }

 private:
  UniqueFd event_;
};

}  // namespace kernelscape
