#include "core/surrogate/network/dropout.h"

#include <cmath>
#include <cstdint>

namespace kernelscape::surrogate {

void Dropout::draw(std::size_t count, float* factors) const {
  const auto dropped = static_cast<std::uint64_t>(std::llround(share * 65536));
  const auto kept = static_cast<float>(1 / (1 - share));
  // Each number uses sixteen bits: four numbers at a time.
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits = i % 4 == 0 ? random->bits() : bits >> 16;
    factors[i] = (bits & 0xffff) < dropped ? 0.0F : kept;
  }
}

}  // namespace kernelscape::surrogate
