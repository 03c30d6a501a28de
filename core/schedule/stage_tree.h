#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/loop_nest/loop_nest.h"
#include "core/schedule/template.h"

namespace kernelscape {

enum class StageNodeKind : std::uint8_t {
  Stage,  ///< of a schedule: its sums, a copy, a place of results
  Loop,   ///< of the sums
};

/** "stage", "loop" */
std::string_view to_string(StageNodeKind kind);

/** A stage, or a loop of the sums, and the lines of the loop nest that it became. */
struct StageNode {
  StageNodeKind kind = StageNodeKind::Stage;
  int parent = -1;         ///< stands before it; -1: a root
  int number = 0;          ///< of the stage in Schedule::stages(), or of the loop
  std::string text;        ///< in plain words: what it is, how large, where and how it runs
  std::vector<int> lines;  ///< of the printed nest (nest_text.h), from 1, ascending; empty: it has none

  bool operator==(const StageNode&) const = default;
};

/**
 * A schedule for one configuration: its sums, below them their loops in nesting order, and below each loop
 * the stages that are made in it. A value.
 *
 * - A loop's lines are those that begin it; where a GPU's launch gives its index, those that use it. A loop
 * that was written out, runs in lanes or runs once has none, and says so.
 * - A stage's lines make room for it, fill it, and hand on what results have become there.
 * - The sums' own are their multiply-adds.
 */
struct StageTree {
  std::vector<StageNode> nodes;  ///< each before those below it, in order
  std::vector<int> places;       ///< by line of the nest - 1: its node, as node_of() says

  /**
   * Where a line of the nest, from 1, stands: the loop that it begins, the stage that it belongs to, else the
   * innermost loop around it; the sums where there is none. -1: there is no such line.
   */
  int node_of(int line) const;
  /** How many nodes are around a node. */
  int depth_of(int node) const;
  bool operator==(const StageTree&) const = default;
};

/** @param nest what the kernel's lower() gives for the configuration */
StageTree stage_tree(const ScheduledKernel& kernel, const Configuration& configuration, const LoopNest& nest);

}  // namespace kernelscape
