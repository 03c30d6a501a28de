#pragma once

#include <cstddef>
#include <memory>

#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/network.h"
#include "core/surrogate/network/parameter_list.h"

namespace kernelscape {

/** Passes of blocks of block_rows rows through a network, one after the other, with the room for them. */
class NetworkPass {
 public:
  virtual ~NetworkPass() = default;

  /**
   * @param rows block_rows times the shape's columns; what a kind has no use for may change
   * @param values block_rows numbers, which start a cache line
   */
  virtual void forward(float* rows, const Dropout& dropout, float* values) = 0;

  /**
   * Adds the derivatives of what forward() computed last, by all parameters.
   * @param value_gradient block_rows numbers, which start a cache line: of the loss by each value
   */
  virtual void backward(const Dropout& dropout, const float* value_gradient, float* gradient) = 0;
};

/** What passes of one network need. */
struct PassSetup {
  const NetworkShape& shape;
  const float* parameters = nullptr;  ///< outlive the pass
  bool has_gradient = false;          ///< whether backward() will be called
};

/** Of a kind each: how many numbers a block's pass with a gradient holds per row, for sizes of at most
 * 65,536; where the parameters stand; a pass. */
struct NetworkKindFunctions {
  std::size_t (*numbers_per_row)(const NetworkShape& shape);
  ParameterList (*parameters)(const NetworkShape& shape);
  std::unique_ptr<NetworkPass> (*make_pass)(const PassSetup& setup);
};

extern const NetworkKindFunctions token_encoder;
extern const NetworkKindFunctions one_shot_network;
extern const NetworkKindFunctions perceptron;

}  // namespace kernelscape
