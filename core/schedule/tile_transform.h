#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/schedule/lowered_loops.h"

namespace kernelscape::schedule {

struct InputCopy;

/** A buffer of transformed tiles, numbered by loops: row and column of a transformed tile first, lanes last.
 */
struct TransformedTile {
  int buffer = 0;
  std::vector<LoopId> numbered;
};

/** Returns the value of a loop in an index. */
using LoopValue = std::function<loop_nest::IndexExpression(LoopId)>;

/**
 * Adds a buffer of transformed tiles to the nest. @param buffer name, type and scope @param numbered_by loops
 * in the order of the nest
 */
TransformedTile make_transformed_tile(LoweredLoops& loops, loop_nest::Buffer buffer,
                                      std::vector<LoopId> numbered_by);

/** Adds the buffer of the results of a schedule with transformed tiles. */
TransformedTile make_transformed_results(LoweredLoops& loops, const Stage& stage);

/** Returns the offset of an element in a buffer of transformed tiles. */
loop_nest::IndexExpression transformed_place(const LoweredLoops& loops, const std::vector<LoopId>& numbered,
                                             const LoopValue& value);

/** Returns the offset of the element at the current iteration of the operator's loops. */
loop_nest::IndexExpression transformed_place(const LoweredLoops& loops, const std::vector<LoopId>& numbered);

/**
 * Returns the statement that transforms the tiles of a block: for each block of channels, the part of the
 * image with its padding is copied, so that no tile needs conditions, and its tiles are transformed, first
 * along columns and then along rows.
 */
loop_nest::StatementPtr transform_input(LoweredLoops& loops, const InputCopy& copy);

/** Returns the statement that transforms results back and writes those inside of the image to the output. */
loop_nest::StatementPtr transform_results(LoweredLoops& loops, const Stage& stage,
                                          const TransformedTile& results);

/**
 * Returns true if the buffer is a temporary of the transform of a tensor. Such a buffer belongs to the
 * tensor's stage in local memory.
 */
bool is_transform_buffer(const loop_nest::Buffer& buffer, const std::string& tensor);

}  // namespace kernelscape::schedule
