#pragma once

#include <string>

#include "core/measure/worker/unique_fd.h"

namespace kernelscape {

/**
 * Says to every process of this machine that a kernel is being timed right now, so that background work can
 * stand still meanwhile: a file lock, which ends with the process that holds it. Where the file can't be had
 * nothing is said, and nothing fails.
 */
class TimingMark {
 public:
  /** @param folder the same for all users of a machine */
  explicit TimingMark(const std::string& folder = "/tmp");

  /** Puts the mark up: any number of processes may at the same time. */
  void begin();
  /** Takes the mark down; those of others stand. */
  void end();

  /** While it lives, the mark stands. */
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

/** Reads the mark of all processes: a few microseconds a question. */
class TimingWatch {
 public:
  explicit TimingWatch(const std::string& folder = "/tmp");
  bool timing_now() const;  ///< some process's mark stands; false where the file can't be had

 private:
  UniqueFd file_;
};

}  // namespace kernelscape
