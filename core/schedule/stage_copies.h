#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/lowered_loops.h"

namespace kernelscape {

/** Where the operator reads a tensor, and when that is an element of it. */
struct GlobalRead {
  BufferAccess access;
  std::vector<Condition> conditions;  ///< all hold: an element; else padding, or a gap of a divided index
};

/** What the operator reads of a tensor (inputs in order, then the output) at these axes. */
GlobalRead global_read(const LoweredLoops& loops, std::size_t tensor,
                       const std::vector<IndexExpression>& axes);

/** What a copy holds: a box of a tensor's elements, or of loops that number them; and how it lies there. */
struct CopyBox {
  std::vector<std::int64_t> extents;  ///< one per dimension of the tensor, or per loop
  std::vector<IndexExpression>
      first;  ///< index into the tensor of the first element, per dimension; none of loops
  std::vector<std::size_t> order;  ///< dimensions as they lie in the copy, outermost first
  std::int64_t row_elements = 0;   ///< of a row of the innermost of them, with its padding

  std::int64_t elements() const;         ///< without padding: the product of its extents
  std::int64_t stored_elements() const;  ///< with it
};

/** What the chosen loops touch of a tensor while the others stand still; rows are this much longer. */
CopyBox box_of(const LoweredLoops& loops, std::size_t tensor, const LoopFilter& chosen,
               std::int64_t row_padding);

/** The offset in a box of what the chosen loops have come to. */
IndexExpression place_in_box(const LoweredLoops& loops, std::size_t tensor, const CopyBox& box,
                             const LoopFilter& chosen);

/** A copy of an input, and where what it holds lies. */
struct InputCopy {
  const Stage* stage = nullptr;
  LoopId at;
  int buffer = 0;
  std::int64_t lanes = 1;     ///< most elements of one move
  LoopFilter held;            ///< loops whose elements it holds
  std::vector<LoopId> boxes;  ///< inside of them a copy is made for each iteration: virtual threads
  CopyBox box;
  std::vector<LoopId> indexed;   ///< where its elements are numbered by loops, or by fragments: these
  IndexExpression first_offset;  ///< in elements: which of several copies

  /** Which input it is a copy of. */
  std::size_t input() const { return static_cast<std::size_t>(stage->tensor); }
  bool by_box() const;  ///< else its elements are numbered by `indexed`
};

/**
 * Adds the buffer of a stage that caches an input. @throws std::logic_error for what Schedule::check refuses
 */
InputCopy make_copy(LoweredLoops& loops, const Stage& stage);

/** The offset in a copy of what the chosen loops have come to. */
IndexExpression place_in(const LoweredLoops& loops, const InputCopy& copy, const LoopFilter& chosen);

/**
 * The statement that fills a copy: from the tensor, or from another copy of it that holds more. Threads of a
 * block fill a shared copy together, one after the other along the tile, several elements at once where
 * `lanes` divide the rows of tile and tensor; zero where the tensor reads padding.
 */
StatementPtr fill_copy(LoweredLoops& loops, const InputCopy& copy, const InputCopy* from);

/** The same of a shared tile of results, on their way to memory. */
struct ResultTile {
  int buffer = 0;
  LoopFilter held;
  CopyBox box;
  std::int64_t lanes = 1;  ///< elements that a thread stores at once
};

/** Adds the buffer of a stage that keeps results in shared memory. */
ResultTile make_result_tile(LoweredLoops& loops, const Stage& stage);

/** All threads of the block move the tile to the output. */
StatementPtr store_result(LoweredLoops& loops, const ResultTile& tile);

/** A buffer of fragments, one for each iteration of the loops; returns its number. */
int add_fragments(LoweredLoops& loops, const std::string& name, const std::string& element_type,
                  const std::vector<LoopId>& numbered_by);

/** An element of a buffer that is numbered by loops: the one that they have come to. */
IndexExpression place_by(const LoweredLoops& loops, const std::vector<LoopId>& numbered_by);

/** Whether a loop moves through a tensor. */
bool moves_through(const Schedule& schedule, std::size_t tensor, LoopId loop);

}  // namespace kernelscape
