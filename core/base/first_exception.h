#pragma once

#include <exception>
#include <mutex>

namespace kernelscape {

/**
 * Keeps the first exception of several threads for the one that waits for them: one that leaves a thread ends
 * the program, and running out of memory must not.
 */
class FirstException {
 public:
  /** Calls work(). @return whether it threw nothing */
  template <typename Work>
  bool run(const Work& work) noexcept {
    try {
      work();
      return true;
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!first_) first_ = std::current_exception();
      return false;
    }
  }

  /** Throws it, if there was one. Call it when the threads have ended. */
  void throw_again() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace kernelscape
