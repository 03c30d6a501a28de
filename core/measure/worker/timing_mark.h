#pragma once

#include <string>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape::measure {

/**
 * Signals to all processes of this machine that a kernel is being timed, so that background work can pause.
 * It is a file lock, which ends with the process that holds it. If the file can't be opened, nothing is
 * signalled and nothing fails.
 */
class TimingMark {
 public:
  /** @param folder must be the same for all users of a machine */
  explicit TimingMark(const std::string& folder = "/tmp");

  /** Sets the mark; any number of processes may set it at the same time. */
  void begin();
  /** Removes this process's mark; those of other processes stay. */
  void end();

  /** Sets the mark for the lifetime of this object. */
  class Scope {
   public:
    explicit Scope(TimingMark& mark) : mark_(mark) { mark_.begin(); }
    ~Scope() { mark_.end(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    TimingMark& mark_;
  };

 private:
  UniqueFd file_;
};

/** Reads the marks of all processes; a call takes a few microseconds. */
class TimingWatch {
 public:
  explicit TimingWatch(const std::string& folder = "/tmp");
  bool timing_now() const;  ///< true if any process has set its mark; false if the file can't be opened

 private:
  UniqueFd file_;
};

}  // namespace kernelscape::measure
