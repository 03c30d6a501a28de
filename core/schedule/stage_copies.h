#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule/lowered_loops.h"

namespace kernelscape::schedule {

/** An access of the operator to a tensor, and the conditions under which it is an element of the tensor. */
struct GlobalRead {
  loop_nest::BufferAccess access;
  /// if all hold, it is an element; otherwise padding, or a gap of a divided index
  std::vector<loop_nest::Condition> conditions;
};

/**
 * Returns the operator's access to a tensor (inputs in order, then the output) for these values of the axes.
 */
GlobalRead global_read(const LoweredLoops& loops, std::size_t tensor,
                       const std::vector<loop_nest::IndexExpression>& axes);

/**
 * The content of a copy: a box of a tensor's elements, or of the loops that number them; and its arrangement
 * in memory.
 */
struct CopyBox {
  std::vector<std::int64_t> extents;  ///< one per dimension of the tensor, or per loop
  /// index of the first element in the tensor, per dimension; empty for a box of loops
  std::vector<loop_nest::IndexExpression> first;
  std::vector<std::size_t> order;  ///< order of the dimensions in the copy, outermost first
  std::int64_t row_elements = 0;   ///< elements of a row of the innermost dimension, including its padding

  std::int64_t elements() const;         ///< number of elements without padding: the product of the extents
  std::int64_t stored_elements() const;  ///< number of elements including the padding
};

/**
 * Returns the box that the chosen loops access in a tensor while the other loops stand still. @param
 * row_padding added to each row
 */
CopyBox box_of(const LoweredLoops& loops, std::size_t tensor, const LoopFilter& chosen,
               std::int64_t row_padding);

/** Returns the offset in a box of the element at the current iteration of the chosen loops. */
loop_nest::IndexExpression place_in_box(const LoweredLoops& loops, std::size_t tensor, const CopyBox& box,
                                        const LoopFilter& chosen);

/** A copy of an input, and the position of its elements. */
struct InputCopy {
  const Stage* stage = nullptr;
  LoopId at;
  int buffer = 0;
  std::int64_t lanes = 1;     ///< maximum number of elements per move
  LoopFilter held;            ///< chooses the loops whose elements it holds
  std::vector<LoopId> boxes;  ///< virtual threads: a copy is made for each of their iterations
  CopyBox box;
  /// the loops that number its elements, if it is a copy by loops or by fragments
  std::vector<LoopId> indexed;
  loop_nest::IndexExpression first_offset;  ///< offset in elements of the current copy among several

  /** Returns the number of the input that is copied. */
  std::size_t input() const { return static_cast<std::size_t>(stage->tensor); }
  bool by_box() const;  ///< true if it holds a box; false if its elements are numbered by `indexed`
};

/**
 * Adds the buffer of a stage that caches an input.
 * @throws std::logic_error for a schedule that Schedule::check rejects
 */
InputCopy make_copy(LoweredLoops& loops, const Stage& stage);

/** Returns the offset in a copy of the element at the current iteration of the chosen loops. */
loop_nest::IndexExpression place_in(const LoweredLoops& loops, const InputCopy& copy,
                                    const LoopFilter& chosen);

/**
 * Returns the statement that fills a copy: from the tensor, or from another copy that holds more. Threads of
 * a block fill a shared copy together, one after the other along the tile, several elements at once if
 * `lanes` divides the rows of tile and tensor; zero where the tensor reads padding.
 */
loop_nest::StatementPtr fill_copy(LoweredLoops& loops, const InputCopy& copy, const InputCopy* from);

/** A shared tile of results that are moved to memory. */
struct ResultTile {
  int buffer = 0;
  LoopFilter held;
  CopyBox box;
  std::int64_t lanes = 1;  ///< number of elements that a thread stores at once
};

/** Adds the buffer of a stage that keeps results in shared memory. */
ResultTile make_result_tile(LoweredLoops& loops, const Stage& stage);

/** Returns the statement with which all threads of the block move the tile to the output. */
loop_nest::StatementPtr store_result(LoweredLoops& loops, const ResultTile& tile);

/** Results that wait in a CPU's local memory until their sums are complete. */
struct KeptResults {
  int buffer = 0;
  std::vector<LoopId> numbered;  ///< the loops that number its elements, outermost first
  std::int64_t lanes = 1;        ///< maximum number of elements that are moved to the output at once
};

/** Adds the buffer of a stage that keeps results in local memory. */
KeptResults make_kept_results(LoweredLoops& loops, const Stage& stage);

/**
 * Returns the statement that moves all results to the output. @param move moves the element at the current
 * iteration of the loops
 */
loop_nest::StatementPtr write_kept_results(LoweredLoops& loops, const KeptResults& results,
                                           loop_nest::Compute move);

/** Adds a buffer of fragments, one for each iteration of the loops. Returns its number. */
int add_fragments(LoweredLoops& loops, const std::string& name, const std::string& element_type,
                  const std::vector<LoopId>& numbered_by);

/** Returns the index, in a buffer that is numbered by loops, of the element at their current iteration. */
loop_nest::IndexExpression place_by(const LoweredLoops& loops, const std::vector<LoopId>& numbered_by);

/** Returns true if the loop's axis indexes the tensor. */
bool moves_through(const Schedule& schedule, std::size_t tensor, LoopId loop);

}  // namespace kernelscape::schedule
