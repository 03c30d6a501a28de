#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/memory_plan.h"

namespace kernelscape::graph {

/** The memory that holds the elements of a value while a graph runs. */
enum class Storage : std::uint8_t {
  Unused,    ///< none: no node reads or writes the value
  Constant,  ///< of a constant; read only
  Input,     ///< passed by the caller as one of the graph's inputs; read only
  Output,    ///< passed by the caller for one of the graph's outputs
  Arena,     ///< a buffer of the arena
};

/** Where the elements of a value are. Values of equal storage and buffer share memory. */
struct ValuePlace {
  Storage storage = Storage::Unused;
  /// Arena: position in Liveness::buffers. Otherwise the number of the constant, input or output whose memory
  /// it is.
  std::size_t buffer = absent;
  std::int64_t byte_offset = 0;  ///< of the first element in the buffer

  bool operator==(const ValuePlace&) const = default;
};

/** Where the values of a graph are, and when the buffers of the arena are in use. Node i runs in step i. */
struct Liveness {
  std::vector<ValuePlace> values;  ///< of each value of the graph
  std::vector<BufferUse> buffers;  ///< of the arena, for plan_memory()
};

/**
 * Assigns the values of a graph to as few buffers as their uses allow:
 * - an operator that only changes the shape (Reshape, Flatten, Squeeze, Unsqueeze, Identity, Dropout) or that
 * takes a contiguous part (Split and Slice along the outermost axis that is not 1) has its result in its
 * operand's memory,
 * - operands of a Concat along the outermost axis that is not 1 are written into the result's memory,
 * - an elementwise operator writes over an operand of equal type and shape that is used by no later step.
 *
 * A graph's output is always in memory of its own, which the caller passes; an output that is a constant or
 * an input of the graph, or that occurs twice in `outputs`, has the place of its value and is copied at the
 * end. A node of these operators whose result has the same place as (or lies within) its operand has nothing
 * to do; otherwise it copies.
 * @param alignment a part of a buffer is shared only if its offset is a multiple of these bytes
 */
Liveness find_liveness(const Graph& graph, std::int64_t alignment);

}  // namespace kernelscape::graph
