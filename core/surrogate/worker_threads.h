#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/base/first_exception.h"

namespace kernelscape::surrogate {

/**
 * Calls task(0), ..., task(count - 1), each once, from at most `threads` threads, including the calling
 * thread. After a task returned false, no further task starts, and run_parallel() returns false; otherwise it
 * returns true. Rethrows the exception of a task.
 */
template <typename Task>
bool run_parallel(std::size_t count, int threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> continues{true};
  const auto work = [&] {
    while (continues) {
      const std::size_t index = next++;
      if (index >= count) return;
      if (!task(index)) continues = false;
    }
  };
  const std::size_t workers = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  base::FirstException exception;
  const auto guarded_work = [&] {
    if (!exception.run(work)) continues = false;
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < workers; ++i) helpers.emplace_back(guarded_work);
  guarded_work();
  helpers.clear();
  exception.throw_again();
  return continues;
}

}  // namespace kernelscape::surrogate
