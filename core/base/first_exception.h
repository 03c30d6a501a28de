#pragma once

#include <exception>
#include <mutex>

namespace kernelscape::base {

/**
 * Keeps the first exception of several threads for the thread that waits for them. An exception that leaves a
 * thread ends the program, and running out of memory must not do that.
 */
class FirstException {
 public:
  /** Calls work(). @return true if work() did not throw */
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

  /** Rethrows the kept exception, if there is one. Call it after the threads have ended. */
  void throw_again() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace kernelscape::base
