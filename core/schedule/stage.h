#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape::schedule {

/** Identifies a loop of a schedule by its number. */
struct LoopId {
  int number = -1;
  bool operator==(const LoopId&) const = default;
};
struct KnobId {
  int number = -1;
  bool operator==(const KnobId&) const = default;
};

/**
 * In the loops of an attach point: the stage is not made. Inner loops access the tensor that it would stand
 * in for.
 */
inline constexpr LoopId nowhere{};

/** What a stage of a schedule does. */
enum class StageKind : std::uint8_t {
  Compute,     ///< the operator's sums: its loops are the schedule's order
  CacheRead,   ///< a copy of the part of an input that inner loops read
  CacheWrite,  ///< a buffer in which results accumulate or wait before they are written to memory
};

/**
 * The loop that a stage is attached to: always the same, or one of several, selected by a knob's value.
 * `nowhere` may be among several.
 */
struct AttachPoint {
  std::vector<LoopId> loops;  ///< one loop; with a knob one loop for each of its values 0, 1, ...
  std::optional<KnobId> knob{};

  AttachPoint(LoopId loop)
      : loops{loop} {}  // NOLINT(google-explicit-constructor): an attach point reads as its loop
  AttachPoint(KnobId by, std::vector<LoopId> candidates) : loops(std::move(candidates)), knob(by) {}
};

/** How a copy's elements are numbered. */
enum class CopyIndex : std::uint8_t {
  Box,  ///< as the box of the tensor that the inner loops access; each element is stored once
  /// by the inner loops that index the tensor (im2col): an element that several iterations read is stored for
  /// each of them, and padding is stored as zero; fused loops may be among them
  Loops,
};

/** Options of a copy. */
struct CopyOptions {
  CopyIndex index = CopyIndex::Box;
  std::int64_t copies = 1;           ///< 2: double buffered, one copy is filled while the other is read
  std::int64_t lanes = 1;            ///< maximum number of elements per move, if the rows allow it
  std::optional<KnobId> lanes_by{};  ///< a knob whose value is `lanes`
  /// local copies: a knob whose value is the unroll factor that is requested for the loop around their rows
  std::optional<KnobId> unroll_by{};
  std::optional<KnobId> row_padding{};  ///< a knob whose value is added to the rows of a box
};

/**
 * A step of a schedule with its own buffer: sums, a copy of an input's tile, or results before they are
 * written to the output.
 */
struct Stage {
  StageKind kind = StageKind::Compute;
  int tensor = 0;  ///< inputs in order, then the output
  /**
   * The memory that holds the stage. Registers: a thread's registers; on a CPU only for results, because its
   * compiler keeps inputs there. Local: an array of a CPU's thread, of a copy, of Winograd's tiles, or of
   * results until all sums in it are complete. Shared: memory of a GPU's block, filled by the block's threads
   * together. Fragments: matrices of a warp, for its intrinsics. Global: the operator's own tensors.
   */
  loop_nest::BufferScope scope = loop_nest::BufferScope::Global;
  AttachPoint at = LoopId{};
  CopyOptions options{};
};

}  // namespace kernelscape::schedule
