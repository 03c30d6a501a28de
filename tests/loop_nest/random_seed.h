#pragma once

#include <QtGlobal>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace kernelscape::testing {

/** A fresh seed, printed; KERNELSCAPE_TEST_SEED repeats a run. */
inline std::uint64_t random_seed() {
  const char* given = std::getenv("KERNELSCAPE_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  qInfo("KERNELSCAPE_TEST_SEED=%llu", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace kernelscape::testing
