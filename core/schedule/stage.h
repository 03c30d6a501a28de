#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape {

/** Numbers of things in a schedule. */
struct LoopId {
  int number = -1;
  bool operator==(const LoopId&) const = default;
};
struct KnobId {
  int number = -1;
  bool operator==(const KnobId&) const = default;
};

/** What a stage of a schedule does. */
enum class StageKind : std::uint8_t {
  Compute,     ///< the operator's sums: its loops are the schedule's order
  CacheRead,   ///< a copy of what inner loops read of an input
  CacheWrite,  ///< a place where results grow, or wait, before they go to memory
};

/** The loop that a stage is made in: always the same, or the one of several that a knob's value chooses. */
struct AttachPoint {
  std::vector<LoopId> loops;  ///< one; with a knob one for each of its values 0, 1, ...
  std::optional<KnobId> knob{};

  AttachPoint(LoopId loop)
      : loops{loop} {}  // NOLINT(google-explicit-constructor): an attach point reads as its loop
  AttachPoint(KnobId by, std::vector<LoopId> candidates) : loops(std::move(candidates)), knob(by) {}
};

/** How a copy's elements are numbered. */
enum class CopyIndex : std::uint8_t {
  Box,    ///< as the box of the tensor that the loops inside touch: each of its elements is there once
  Loops,  ///< by the loops inside that move the tensor: what several iterations read is there for each of
          ///< them, zero where they read padding (im2col); fused loops may be among them
};

/** What may be said of a copy beyond where and of what. */
struct CopyOptions {
  CopyIndex index = CopyIndex::Box;
  std::int64_t copies = 1;              ///< 2: double buffered, the next one filled while one is read
  std::int64_t lanes = 1;               ///< most elements that are moved at once, where rows allow it
  std::optional<KnobId> lanes_by{};     ///< a knob whose value is `lanes`
  std::optional<KnobId> row_padding{};  ///< a knob whose value is added to the rows of a box
};

/** A step of a schedule with a place of its own: sums, a copy of an input's tile, a result on its way. */
struct Stage {
  StageKind kind = StageKind::Compute;
  int tensor = 0;  ///< inputs in order, then the output
  /**
   * Where it lives. Registers: a thread's; on a CPU of results alone, its compiler keeps inputs there. Local:
   * an array of a CPU's thread. Shared: of a GPU's block, whose threads fill it together. Fragments: of a
   * warp, for its intrinsics. Global: the operator's own tensors.
   */
  BufferScope scope = BufferScope::Global;
  AttachPoint at = LoopId{};
  CopyOptions options{};
};

}  // namespace kernelscape
