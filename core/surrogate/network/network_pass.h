#pragma once

#include <cstddef>
#include <memory>

#include "core/surrogate/network/dropout.h"
#include "core/surrogate/network/network.h"
#include "core/surrogate/network/parameter_list.h"

namespace kernelscape::surrogate {

/** Passes of blocks of block_rows rows through a network, one after the other, with the buffers for them. */
class NetworkPass {
 public:
  virtual ~NetworkPass() = default;

  /**
   * Computes the values of a block.
   * @param rows block_rows times the shape's columns; numbers that the kind does not use are arbitrary
   * @param values block_rows numbers, aligned to a cache line
   */
  virtual void forward(float* rows, const Dropout& dropout, float* values) = 0;

  /**
   * Adds the derivatives of the last forward() by all parameters.
   * @param value_gradient block_rows derivatives of the loss by each value, aligned to a cache line
   */
  virtual void backward(const Dropout& dropout, const float* value_gradient, float* gradient) = 0;
};

/** The inputs of the passes of one network. */
struct PassSetup {
  const NetworkShape& shape;
  const float* parameters = nullptr;  ///< must outlive the pass
  bool has_gradient = false;          ///< whether backward() will be called
};

/**
 * The functions of a kind of network: how many numbers a block's pass with a gradient needs per row, for
 * sizes of at most 65,536; the layout of the parameters; a pass.
 */
struct NetworkKindFunctions {
  std::size_t (*numbers_per_row)(const NetworkShape& shape);
  ParameterList (*parameters)(const NetworkShape& shape);
  std::unique_ptr<NetworkPass> (*make_pass)(const PassSetup& setup);
};

extern const NetworkKindFunctions token_encoder;
extern const NetworkKindFunctions one_shot_network;
extern const NetworkKindFunctions perceptron;
extern const NetworkKindFunctions lstm;

}  // namespace kernelscape::surrogate
