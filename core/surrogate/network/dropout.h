#pragma once

#include <cstddef>

#include "core/base/random.h"

namespace kernelscape::surrogate {

/**
 * Sets a share of the activations to zero while a network is trained, and scales the others up to compensate.
 */
struct Dropout {
  double share = 0;                ///< below 1
  base::Random* random = nullptr;  ///< null: nothing is dropped

  bool drops() const { return random != nullptr && share > 0; }  ///< true if activations are dropped
  /** Draws the factors of activations: 0, or 1 / (1 - share). */
  void draw(std::size_t count, float* factors) const;
};

}  // namespace kernelscape::surrogate
