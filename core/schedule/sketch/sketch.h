#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/axis_roles.h"
#include "core/schedule/schedule.h"
#include "core/task/task.h"

namespace kernelscape::schedule {

/** A schedule under construction, with the decisions of the rules so far. Levels are outermost first. */
struct Sketch {
  Schedule schedule;
  TargetDescription target;
  std::vector<AxisRole> roles;   ///< by axis
  std::optional<int> lane_axis;  ///< the axis that runs in a CPU's vectors
  /// the innermost reduction that indexes a dimension of both inputs alone; may be blocked
  std::optional<int> depth_axis;
  bool open_lanes = false;         ///< the number of lanes is a factor of the lane axis, and so open
  std::vector<LoopId> lanes;       ///< of the lane axis: the vectorized loop
  std::vector<LoopId> block;       ///< of the depth axis: steps within a block
  std::vector<LoopId> group;       ///< of the depth axis: steps of one dot product
  std::vector<LoopId> lane_tile;   ///< of the lane axis: vectors of the innermost tile
  std::vector<LoopId> depth_tile;  ///< of the depth axis: blocks of the innermost level
  std::vector<int> tiled;          ///< GPU: axes along x, y and z of the launch
  std::vector<LoopId> untiled;     ///< GPU: axes that are distributed over blocks only
  std::vector<std::vector<LoopId>> spatial;     ///< by level
  std::vector<std::vector<LoopId>> reductions;  ///< by level

  Sketch(const task::TensorOperator& op, const TargetDescription& on);

  /** Returns true for a CPU, false for a GPU. */
  bool on_cpu() const { return target.kind == TargetKind::Cpu; }
  /** Returns true if groups of the depth are computed by an operation of the machine. */
  bool tensorized() const { return !group.empty(); }
  /** Returns the loop of an axis that is still to be tiled, after lanes, blocks and groups were split off. */
  LoopId rest_of(int axis) const;
  /** Returns a tensor's access by its number: inputs in order, then the output. */
  const task::TensorAccess& tensor(int number) const;
  /** Returns an axis by its number in the operator. */
  const task::TensorAxis& axis(int number) const {
    return schedule.op().axes[static_cast<std::size_t>(number)];
  }
};

/** Returns true if the accesses to an input form boxes. */
bool has_boxes(const task::TensorAccess& tensor);

/** A step in the construction of a sketch: Ansor's and Heron's rules (Heron, Tables 2 and 6). */
struct SketchRule {
  std::string_view name;   ///< "multi-level tiling"
  std::string_view about;  ///< its effect, as a sentence
  bool (*applies)(const Sketch& sketch);
  void (*apply)(Sketch& sketch);
};

/** A sketch: rules in the order in which they are applied. They define a space. */
struct SketchDeclaration {
  std::string name;  ///< the template's name in sessions
  std::string about;
  std::vector<TargetKind> targets;
  std::vector<const SketchRule*> rules;
  bool int8_only = false;  ///< the rules are made for operators of u8 by i8 into i32
};

/** Returns all rules, in no particular order. */
std::span<const SketchRule> sketch_rules();

/** Returns the sketches; the first that fits a task is the default. */
std::span<const SketchDeclaration> sketches();

/**
 * Returns the operator with combined indices split: where an index is group * size + element, the tensor gets
 * a dimension for each, which is the same row-major memory, so that no tile extends from one group into
 * another. Other operators are unchanged.
 */
task::TensorOperator with_separate_groups(task::TensorOperator op);

/** Returns ok if the rules support the operator, otherwise an error that names the unsupported part. */
Status fits_sketch(const SketchDeclaration& sketch, const task::Task& task, const TargetDescription& target);

/** Returns the schedule that a sketch's rules make. */
Schedule make_sketch(const SketchDeclaration& sketch, const task::Task& task,
                     const TargetDescription& target);

}  // namespace kernelscape::schedule
