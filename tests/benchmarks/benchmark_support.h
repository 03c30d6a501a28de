#pragma once

#include <errno.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace kernelscape {

/** Ends the benchmark with its name and a reason. */
[[noreturn]] inline void stop(const std::string& reason) {
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, reason);
  std::exit(1);
}

template <typename T>
T value_or_stop(Result<T> result) {
  if (!result) stop(describe(result.error()));
  return std::move(*result);
}

inline void check(const Status& status) {
  if (!status) stop(describe(status.error()));
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kernelscape
