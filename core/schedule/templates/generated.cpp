// Schedules that nobody wrote: rules make them from the operator's accesses and the target. For a CPU Ansor's
// multi-level tiling SSRSRS (spatial and reduction levels in turn; Ansor section 4.1, which Heron's Table 2
// takes over), with the innermost spatial level in registers, one axis in the lanes and the inputs packed in
// the order in which they are read. For a GPU SSSRRSRS: blocks, virtual threads and threads, shared copies
// inside of the outermost reductions, and two levels of what a thread does in a row.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "core/schedule/axis_roles.h"
#include "core/schedule/template_support.h"

namespace kernelscape {
namespace {

constexpr const char* name = "generated";
constexpr int version = 1;

constexpr int spatial_levels = 4;
constexpr int reduction_levels = 2;

/** Whether an input's index that the axis moves is divided: a transposed convolution's. */
bool is_divided(const TensorOperator& op, int axis) {
  return std::ranges::any_of(op.inputs, [&](const TensorAccess& tensor) {
    return std::ranges::any_of(tensor.indices, [&](const AccessIndex& index) {
      return index.divisor != 1 && index.coefficients[static_cast<std::size_t>(axis)] != 0;
    });
  });
}

/** Reads an operator: which axis a vector's lanes run along, and which reduction is deepest. */
class AxisChoice {
 public:
  AxisChoice(const TensorOperator& op, std::int64_t lanes) : op_(op), roles_(axis_roles(op)) {
    for (std::size_t i = 0; i < roles_.size(); ++i) choose(static_cast<int>(i), lanes);
  }

  std::optional<int> lane() const { return lane_; }
  /** Where one moves both inputs alone: it is stored in blocks, and bytes are grouped along it. */
  std::optional<int> depth() const { return depth_; }

  /** An axis that moves no two tensors in a way that the rules know; nothing: there is none. */
  std::optional<int> without_role() const {
    const auto found = std::ranges::find(roles_, AxisRole::None);
    if (found == roles_.end()) return std::nullopt;
    return static_cast<int>(found - roles_.begin());
  }

 private:
  std::int64_t extent(int axis) const { return op_.axes[static_cast<std::size_t>(axis)].extent; }

  bool alone_where_it_moves(int axis) const {
    return std::ranges::all_of(std::vector<const TensorAccess*>{&op_.inputs[0], &op_.inputs[1], &op_.output},
                               [&](const TensorAccess* tensor) {
                                 return !moves(*tensor, axis) || own_dimension(*tensor, axis) >= 0;
                               });
  }

  void choose(int axis, std::int64_t lanes) {
    if (!alone_where_it_moves(axis)) return;
    const AxisRole role = roles_[static_cast<std::size_t>(axis)];
    if (role == AxisRole::Depth) {
      if (!depth_ || extent(axis) > extent(*depth_)) depth_ = axis;
    } else if (role != AxisRole::None && extent(axis) > 1) {
      // Columns are the weights', which are packed ahead; fewer than a vector of them leave lanes empty.
      const auto rank = [&](int candidate) {
        const bool fills = extent(candidate) >= lanes;
        const bool column = roles_[static_cast<std::size_t>(candidate)] == AxisRole::Column;
        return std::tuple{fills && column, std::min(extent(candidate), lanes), column, extent(candidate)};
      };
      if (!lane_ || rank(axis) > rank(*lane_)) lane_ = axis;
    }
  }

  const TensorOperator& op_;
  std::vector<AxisRole> roles_;
  std::optional<int> lane_;
  std::optional<int> depth_;
};

/** Applies the rules for a CPU. */
class CpuSketch {
 public:
  CpuSketch(const TensorOperator& op, const TargetDescription& target, bool bytes)
      : s_(op), target_(target), choice_(s_.op(), target.vector_lanes_f32()) {
    split_lanes();
    split_depth(bytes);
    for (std::size_t axis = 0; axis < op.axes.size(); ++axis) tile(static_cast<int>(axis));
  }

  Schedule run() && {
    order();
    s_.require_product_at_most("accumulators", spatial_.back(), accumulator_registers(target_),
                               "accumulators fit into the vector registers");
    for (int tensor = 0; tensor < 3; ++tensor) pack(tensor);
    return std::move(s_);
  }

 private:
  const std::string& axis_name(int axis) const { return s_.op().axes[static_cast<std::size_t>(axis)].name; }

  void split_lanes() {
    const LoopId axis{choice_.lane().value()};
    s_.pad(axis, target_.vector_lanes_f32());
    const auto parts = s_.split_by(axis, target_.vector_lanes_f32());
    vectors_ = parts[0];
    lane_ = parts[1];
    s_.name({lane_}, {"lane"});
  }

  void split_depth(bool bytes) {
    if (!choice_.depth()) return;
    LoopId depth{*choice_.depth()};
    if (bytes) {
      const auto groups = split_dot_groups(s_, depth);
      depth = groups[0];
      byte_ = {groups[1]};
      s_.name(byte_, {"byte"});
    }
    const std::int64_t length = s_.loop(depth).length.fixed;
    const auto parts = s_.split_by(depth, largest_divisor(length, target_.vector_lanes_f32()));
    blocks_ = parts[0];
    in_block_ = {parts[1]};
    s_.name(in_block_, {"depth_in_block"});
  }

  /** Rule: multi-level tiling. */
  void tile(int axis) {
    const bool reduction = s_.op().axes[static_cast<std::size_t>(axis)].reduction;
    const bool lanes = axis == *choice_.lane();
    const bool depth = choice_.depth() == axis;
    const LoopId loop = lanes ? vectors_ : depth ? *blocks_ : LoopId{axis};
    std::vector<std::vector<LoopId>>& levels = reduction ? reductions_ : spatial_;
    if (s_.loop(loop).length.fixed == 1 && !lanes) return levels.front().push_back(loop);
    if (reduction && is_divided(s_.op(), axis)) {
      // Which of its steps meet an element is a matter of divisibility: decided per copy, along the last
      // axis; copies along all of them would be thousands.
      if (axis + 1 == static_cast<int>(s_.op().axes.size())) s_.unroll(loop);
      return levels.back().push_back(loop);
    }
    const std::int64_t longest = reduction ? 0 : lanes ? most_tile_vectors : most_tile_positions;
    const auto parts = s_.split(loop, reduction ? reduction_levels : spatial_levels,
                                fmt::format("tile_{}", axis_name(axis)), longest);
    for (std::size_t level = 0; level < parts.size(); ++level) {
      levels[level].push_back(parts[level]);
      s_.name({parts[level]}, {fmt::format("{}_{}", axis_name(axis), level)});
    }
    if (lanes) vectors_in_tile_ = parts.back();
    if (depth) blocks_in_tile_ = {parts.back()};
  }

  /** SSRSRS: what is inside of the fourth level is added up in registers. */
  void order() {
    std::vector<OrderItem> order;
    const auto add = [&](const std::vector<LoopId>& loops) {
      for (const LoopId loop : loops) order.emplace_back(loop);
    };
    add(spatial_[0]);
    add(spatial_[1]);
    add(reductions_[0]);
    add(spatial_[2]);
    add(reductions_[1]);
    add(in_block_);
    add(spatial_[3]);
    add({lane_});
    add(byte_);
    s_.reorder(std::move(order));
    s_.parallel(spatial_[0]);
    s_.accumulate_in_registers(spatial_[2].back());
    for (const LoopId loop : spatial_[3]) s_.unroll(loop);
    s_.vectorize(lane_);
    for (const LoopId loop : in_block_) {
      std::vector<std::int64_t> factors;
      for (const std::int64_t factor : {1, 2, 4})
        if (s_.loop(loop).length.fixed % factor == 0) factors.push_back(factor);
      s_.unroll_hint(loop, s_.ordinal("unroll", factors));
    }
  }

  /** Rule: a tensor lies in the order in which the innermost loops read it, as far as its dimensions are an
   * axis's own.
   */
  void pack(int number) {
    const bool output = number == 2;
    const TensorAccess& tensor = output ? s_.op().output : s_.op().inputs[static_cast<std::size_t>(number)];
    const int lane_dimension = own_dimension(tensor, *choice_.lane());
    const int depth_dimension = choice_.depth() ? own_dimension(tensor, *choice_.depth()) : -1;
    const bool weights = lane_dimension >= 0 && depth_dimension >= 0;
    std::vector<LoopId> of_lane{lane_};
    if (weights) of_lane.insert(of_lane.begin(), vectors_in_tile_);
    std::vector<LoopId> of_depth = in_block_;
    if (weights) of_depth.insert(of_depth.begin(), blocks_in_tile_.begin(), blocks_in_tile_.end());
    const std::vector<LoopId> whole_depth = joined(of_depth, byte_);

    PackedLayout layout{"dimensions", {}};
    for (int d = 0; d < static_cast<int>(tensor.shape.size()); ++d) {
      std::vector<LoopId> inner;
      if (d == lane_dimension) inner = of_lane;
      if (d == depth_dimension) inner = whole_depth;
      layout.dimensions.push_back({d, std::move(inner), {}});
    }
    if (depth_dimension >= 0) {
      layout.name += ", depth in blocks";
      layout.dimensions.push_back({depth_dimension, byte_, of_depth});
    }
    if (lane_dimension >= 0) {
      layout.name += weights ? ", lanes of a register tile" : ", lanes";
      layout.dimensions.push_back({lane_dimension, {}, of_lane});
    }
    if (depth_dimension >= 0 && !byte_.empty()) {
      layout.name += ", bytes of a group";
      layout.dimensions.push_back({depth_dimension, {}, byte_});
    }
    s_.layout(number, std::move(layout));
  }

  static std::vector<LoopId> joined(std::vector<LoopId> first, const std::vector<LoopId>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  Schedule s_;
  const TargetDescription& target_;
  AxisChoice choice_;
  LoopId lane_, vectors_, vectors_in_tile_;
  std::optional<LoopId> blocks_;        ///< of the deepest reduction
  std::vector<LoopId> blocks_in_tile_;  ///< none, or one, as what follows
  std::vector<LoopId> in_block_;
  std::vector<LoopId> byte_;
  std::vector<std::vector<LoopId>> spatial_{spatial_levels};
  std::vector<std::vector<LoopId>> reductions_{reduction_levels};
};

/** Applies the rules for a GPU. */
class GpuSketch {
 public:
  explicit GpuSketch(const TensorOperator& op) : s_(op) {
    place_axes();
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
      const auto axis = static_cast<int>(i);
      if (op.axes[i].reduction) {
        tile(axis, reductions_);
      } else if (const auto place = std::ranges::find(tiled_, axis); place != tiled_.end()) {
        tile(axis, spatial_);
        bind(static_cast<std::size_t>(place - tiled_.begin()));
      } else {
        s_.bind(LoopId{axis}, Binding::BlockZ);
        whole_.push_back(LoopId{axis});
      }
    }
  }

  Schedule run() && {
    s_.auto_unroll({0, 16, 64, 512, 1024});
    std::vector<OrderItem> order(whole_.begin(), whole_.end());
    const auto add = [&](const std::vector<LoopId>& loops) {
      order.insert(order.end(), loops.begin(), loops.end());
    };
    for (std::size_t level = 0; level < 3; ++level) add(spatial_[level]);
    add(reductions_[0]);
    add(reductions_[1]);
    add(spatial_[3]);
    add(reductions_[2]);
    add(spatial_[4]);
    s_.reorder(std::move(order));
    s_.accumulate_in_registers(spatial_[2].back());
    for (const int input : {0, 1}) s_.cache_shared(input, reductions_[0].back());
    return std::move(s_);
  }

 private:
  static constexpr std::size_t levels_of_space = 5;
  static constexpr std::size_t levels_of_reductions = 3;

  /** The last two axes of the output run along x and y; the longest of the others along z. */
  void place_axes() {
    std::vector<int> axes;
    for (std::size_t i = 0; i < s_.op().axes.size(); ++i)
      if (!s_.op().axes[i].reduction) axes.push_back(static_cast<int>(i));
    while (!axes.empty() && tiled_.size() < 2) {
      tiled_.push_back(axes.back());
      axes.pop_back();
    }
    if (axes.empty()) return;
    tiled_.push_back(*std::ranges::max_element(
        axes, {}, [&](int axis) { return s_.op().axes[static_cast<std::size_t>(axis)].extent; }));
  }

  template <std::size_t Levels>
  void tile(int axis, std::array<std::vector<LoopId>, Levels>& levels) {
    const std::string& axis_name = s_.op().axes[static_cast<std::size_t>(axis)].name;
    const auto parts = s_.split(LoopId{axis}, Levels, fmt::format("tile_{}", axis_name));
    for (std::size_t level = 0; level < Levels; ++level) levels[level].push_back(parts[level]);
  }

  /** The axis that was tiled last, along dimension 0, 1 or 2 of the launch. */
  void bind(std::size_t dimension) {
    constexpr std::array blocks{Binding::BlockX, Binding::BlockY, Binding::BlockZ};
    constexpr std::array threads{Binding::ThreadX, Binding::ThreadY, Binding::ThreadZ};
    s_.bind(spatial_[0].back(), blocks[dimension]);
    s_.bind(spatial_[1].back(), Binding::VirtualThread);
    s_.bind(spatial_[2].back(), threads[dimension]);
  }

  Schedule s_;
  std::vector<int> tiled_;     ///< axes along x, y and z of the launch
  std::vector<LoopId> whole_;  ///< axes that blocks alone run along
  std::array<std::vector<LoopId>, levels_of_space> spatial_;
  std::array<std::vector<LoopId>, levels_of_reductions> reductions_;
};

/** A block's copy of an input is a box that grows with its tiles. */
Status fits_gpu(const TensorOperator& op) {
  for (const TensorAccess& input : op.inputs)
    for (const AccessIndex& index : input.indices)
      if (index.divisor != 1 || std::ranges::any_of(index.coefficients, [](std::int64_t c) { return c < 0; }))
        return fail(ErrorCode::InvalidArgument,
                    "an index is divided or runs backwards, as in a transposed convolution");
  return {};
}

Status fits(const Task& task, const TargetDescription& target) {
  const bool cpu = target.kind == TargetKind::Cpu;
  const bool bytes = cpu && require_int8(task).has_value();
  if (!bytes) TRY(require_f32(task));
  const AxisChoice choice(*task.op, target.vector_lanes_f32());
  if (const std::optional<int> axis = choice.without_role())
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("axis {} has no role: it is none of a batch, a row, a column, or a sum over both inputs",
                    task.op->axes[static_cast<std::size_t>(*axis)].name));
  if (!cpu) return fits_gpu(*task.op);
  if (!choice.lane())
    return fail(ErrorCode::InvalidArgument,
                "no axis of the output, longer than one, can run in vector lanes by itself");
  if (bytes && !choice.depth())
    return fail(ErrorCode::InvalidArgument,
                "no sum of bytes runs along a dimension of its own in both inputs");
  return {};
}

Result<ScheduledKernel> apply(const Task& task, const TargetDescription& target) {
  if (target.kind != TargetKind::Cpu)
    return finish_template(name, version, task, target, GpuSketch(*task.op).run());
  const bool bytes = require_int8(task).has_value();
  return finish_template(name, version, task, target, CpuSketch(*task.op, target, bytes).run());
}

}  // namespace

TemplateDeclaration generated_template() {
  return {name,
          version,
          {TargetKind::Cpu, TargetKind::Cuda, TargetKind::OpenCl},
          "any operator whose axes have roles, by rules: nobody wrote the schedule",
          "Ansor, multi-level tiling SSRSRS and SSSRRSRS; Heron, Table 2",
          fits,
          apply};
}

}  // namespace kernelscape
