#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/worker/run_queue_delay.h"

namespace kernelscape::measure {

/** Where the threads of a kernel may run. */
enum class Placement : std::uint8_t {
  OneProcessorEach,  ///< part i on processor i
  AllProcessors  ///< the kernel starts threads itself: they inherit all processors from the calling thread
};

/**
 * A fixed set of threads, pinned to processors, that call a function together: part i of n on thread i. The
 * calling thread takes part 0. Between calls the threads spin for a moment, then sleep.
 */
class KernelThreads {
 public:
  using Work = std::function<void(int part)>;

  /**
   * Starts the threads. Returns null if they can't be started.
   * @param prepare runs once on each of them, with the bounds of its stack
   */
  static std::unique_ptr<KernelThreads> start(int parts, std::span<const int> processors,
                                              const std::function<void()>& prepare,
                                              Placement placement = Placement::OneProcessorEach);
  ~KernelThreads();
  KernelThreads(const KernelThreads&) = delete;
  KernelThreads& operator=(const KernelThreads&) = delete;

  /** Calls work(part) on every thread and returns when all calls have returned. */
  void call(const Work& work);

  /** Starts to watch all threads; each thread reads its own counters. */
  void watch();
  /** Returns what kept the threads from running since watch(). */
  LostTime lost();
  /**
   * Returns the CPU time that the threads have used so far, to the nanosecond, called on the calling thread.
   * The clock of the process would be coarse, as its CPU time is limited.
   */
  double processor_seconds() const;

 private:
  struct Member;
  /** Values of one thread, by part. */
  struct Watched {
    ThreadWatch waiting;
    std::uint64_t preemptions_before = 0;
    std::uint64_t preemptions = 0;             ///< preemptions since watch()
    std::optional<std::uint64_t> waited = {};  ///< nanoseconds that the thread waited
  };
  explicit KernelThreads(int parts, bool spin);
  static void* enter(void* member);
  void serve(int part);
  void wait_while_equal(std::atomic<std::uint32_t>& value, std::uint32_t old) const;

  int parts_;
  bool spin_;
  const Work* work_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::uint32_t> finished_{0};
  std::atomic<bool> stopping_{false};
  std::function<void()> prepare_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Watched> watched_;
};

}  // namespace kernelscape::measure
