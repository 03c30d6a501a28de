#pragma once

#include <chrono>
#include <functional>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

using Deadline = std::chrono::steady_clock::time_point;

/** Returns the deadline after this many seconds from now; larger values are limited to a year. */
Deadline deadline_after(double seconds);

/** Returns the seconds of the steady clock, since an unspecified moment. */
double steady_seconds();

/** Returns the wall seconds since `start` by the steady clock. */
double seconds_since(std::chrono::steady_clock::time_point start);

/** Returns the milliseconds to the deadline for poll(), rounded up; 0 once it has passed. */
int poll_milliseconds(Deadline deadline);

/**
 * A condition that ends a wait early: a descriptor that becomes readable, or a function that is called a few
 * times per second. Prefer the descriptor, since the calls wake up the process and disturb timings.
 */
struct Interruption {
  int descriptor = -1;
  std::function<bool()> requested;

  /** Limits a poll() time-out to the interval at which `requested` is called. */
  int limit_poll(int milliseconds) const;
  /** Returns true if the descriptor is readable or `requested` returns true; does not wait. */
  bool now() const;
};

/** A switch that ends waits; any thread may trigger it. */
class InterruptionSwitch {
 public:
  InterruptionSwitch();
  /** Ends all waits on interruption() until reset(); thread-safe. */
  void trigger() const;
  /** Stops ending waits. */
  void reset() const;
  /** Returns the interruption, which is valid while the switch exists. */
  Interruption interruption() const { return {.descriptor = event_.get(), .requested = {}}; }

 private:
  UniqueFd event_;
};

}  // namespace kernelscape::measure
