#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/template.h"

namespace kernelscape::schedule {

enum class StageNodeKind : std::uint8_t {
  Stage,  ///< of a schedule: its sums, a copy, or a buffer of results
  Loop,   ///< a loop of the sums
};

/** Returns "stage" or "loop". */
std::string_view to_string(StageNodeKind kind);

/** A stage, or a loop of the sums, and the lines of the loop nest that were generated from it. */
struct StageNode {
  StageNodeKind kind = StageNodeKind::Stage;
  int parent = -1;         ///< number of the parent, which precedes it; -1: a root
  int number = 0;          ///< number of the stage in Schedule::stages(), or of the loop
  std::string text;        ///< description as text: what it is, its size, where and how it runs
  std::vector<int> lines;  ///< lines of the printed nest (nest_text.h), from 1, ascending; may be empty

  bool operator==(const StageNode&) const = default;
};

/**
 * A schedule for one configuration as a tree: its sums, below them their loops in nesting order, and below
 * each loop the stages that are attached to it. A value.
 *
 * - A loop's lines are those that begin it; if a GPU's launch gives its index, those that use the index. A
 *   loop that was unrolled, runs in lanes or runs once has no lines, and its text says so.
 * - A stage's lines allocate it, fill it, and write its results back.
 * - The sums' own lines are their multiply-adds.
 */
struct StageTree {
  std::vector<StageNode> nodes;  ///< in order, each before its descendants
  std::vector<int> places;       ///< by line of the nest - 1: the node that node_of() returns

  /**
   * Returns the node of a line of the nest, from 1: the loop that it begins, the stage that it belongs to,
   * otherwise the innermost loop around it, or the sums if there is no loop. -1 for a line that does not
   * exist.
   */
  int node_of(int line) const;
  /** Returns the number of ancestors of a node. */
  int depth_of(int node) const;
  bool operator==(const StageTree&) const = default;
};

/**
 * Returns the tree of a configuration. @param nest the result of the kernel's lower() for the configuration
 */
StageTree stage_tree(const ScheduledKernel& kernel, const space::Configuration& configuration,
                     const loop_nest::LoopNest& nest);

}  // namespace kernelscape::schedule
