#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/axis_roles.h"
#include "core/schedule/schedule.h"
#include "core/task/task.h"

namespace kernelscape {

/** A schedule in the making: what rules have decided so far. Levels are outermost first. */
struct Sketch {
  Schedule schedule;
  TargetDescription target;
  std::vector<AxisRole> roles;     ///< by axis
  std::optional<int> lane_axis;    ///< runs in a CPU's vectors
  std::optional<int> depth_axis;   ///< the deepest reduction that moves both inputs alone: it may be blocked
  std::vector<LoopId> lanes;       ///< of the lane axis: the loop in vectors
  std::vector<LoopId> block;       ///< of the depth axis: steps in a block of it
  std::vector<LoopId> group;       ///< of the depth axis: what one dot product takes
  std::vector<LoopId> lane_tile;   ///< of the lane axis: vectors of the innermost tile
  std::vector<LoopId> depth_tile;  ///< of the depth axis: blocks of the innermost level
  std::vector<int> tiled;          ///< GPU: axes along x, y and z of the launch
  std::vector<LoopId> untiled;     ///< GPU: axes that blocks alone run along
  std::vector<std::vector<LoopId>> spatial;     ///< by level
  std::vector<std::vector<LoopId>> reductions;  ///< by level

  Sketch(const TensorOperator& op, const TargetDescription& on);

  /** Else for a GPU. */
  bool on_cpu() const { return target.kind == TargetKind::Cpu; }
  /** Whether an operation of the machine takes groups of the depth. */
  bool tensorized() const { return !group.empty(); }
  /** The loop of an axis that is still to be tiled: what lanes, blocks and groups have left. */
  LoopId rest_of(int axis) const;
  /** Inputs in order, then the output. */
  const TensorAccess& tensor(int number) const;
  /** By its number in the operator. */
  const TensorAxis& axis(int number) const { return schedule.op().axes[static_cast<std::size_t>(number)]; }
};

/** A step of how a sketch is made: Ansor's and Heron's rules (Heron, Tables 2 and 6). */
struct SketchRule {
  std::string_view name;   ///< "multi-level tiling"
  std::string_view about;  ///< what it does, in a sentence
  bool (*applies)(const Sketch& sketch);
  void (*apply)(Sketch& sketch);
};

/** Rules in the order in which they are applied: what a space is made by. */
struct SketchDeclaration {
  std::string name;  ///< as sessions name it: a template's
  std::string about;
  std::vector<TargetKind> targets;
  std::vector<const SketchRule*> rules;
};

/** All rules there are, in no order. */
std::span<const SketchRule> sketch_rules();

/** The sketches; of those that fit a task the first is the default. */
std::span<const SketchDeclaration> sketches();

/**
 * An operator whose combined indices are taken apart: where an index is group * size + element, its tensor
 * has a dimension for each, which is the same row-major memory, so that no tile reaches from one group into
 * another. Others are as they were.
 */
TensorOperator with_separate_groups(TensorOperator op);

/** Whether the rules know what to do with an operator, or what they do not know. */
Status fits_sketch(const SketchDeclaration& sketch, const Task& task, const TargetDescription& target);

/** The schedule that a sketch's rules make. */
Schedule make_sketch(const SketchDeclaration& sketch, const Task& task, const TargetDescription& target);

}  // namespace kernelscape
