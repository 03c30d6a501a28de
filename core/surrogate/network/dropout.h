#pragma once

#include <cstddef>

#include "core/base/random.h"

namespace kernelscape {

/** Zeroes a share of activations while a network is trained, and scales the others up for it. */
struct Dropout {
  double share = 0;          ///< below 1
  Random* random = nullptr;  ///< null: nothing is dropped

  bool drops() const { return random != nullptr && share > 0; }  ///< whether it does anything
  /** What activations are multiplied by: 0, or 1 / (1 - share). */
  void draw(std::size_t count, float* factors) const;
};

}  // namespace kernelscape
