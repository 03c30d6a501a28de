#pragma once

#include <QTest>
#include <cstdint>
#include <random>

namespace kernelscape {

/** A fresh seed, printed with the test's output. */
inline std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return seed;
}

}  // namespace kernelscape
