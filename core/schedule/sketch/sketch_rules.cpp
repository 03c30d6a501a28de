// The rules that generate schedules, and the sketches that consist of them. For a CPU Ansor's multi-level
// tiling SSRSRS (alternating spatial and reduction levels; Ansor section 4.1, adopted in Heron's Table 2),
// with the innermost spatial level in registers, one axis in the lanes and the inputs packed in the order in
// which they are read. For a GPU SSSRRSRS: blocks, virtual threads and threads, shared copies inside the
// outermost reductions, and two levels of a thread's own serial loops. For int8 on a CPU Heron's sketch for
// DL Boost: a level for threads, one of cache tiles, and three rounds of tiles, with copies and results in
// local memory whose positions are open (open_choices.cpp). There is no graph of operators: nothing is
// inlined, and nothing fused across operators.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/schedule/sketch/open_choices.h"
#include "core/schedule/sketch/sketch.h"
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

constexpr std::size_t cpu_spatial_levels = 4;
constexpr std::size_t cpu_reduction_levels = 2;
constexpr std::size_t round_spatial_levels = 5;  ///< threads, cache tiles, three rounds
constexpr std::size_t round_reduction_levels = 3;
constexpr std::size_t gpu_spatial_levels = 5;
constexpr std::size_t gpu_reduction_levels = 3;

bool always(const Sketch&) { return true; }
bool on_cpu(const Sketch& sketch) { return sketch.on_cpu(); }
bool on_gpu(const Sketch& sketch) { return !sketch.on_cpu(); }
bool has_lanes(const Sketch& sketch) { return !sketch.lanes.empty(); }
bool has_depth(const Sketch& sketch) { return sketch.on_cpu() && sketch.depth_axis.has_value(); }

/** Returns true if an input's index with this axis has a division: a transposed convolution. */
bool divides(const Sketch& sketch, int axis) {
  return std::ranges::any_of(sketch.schedule.op().inputs, [&](const task::TensorAccess& tensor) {
    return std::ranges::any_of(tensor.indices, [&](const task::AccessIndex& index) {
      return index.divisor != 1 && index.coefficients[static_cast<std::size_t>(axis)] != 0;
    });
  });
}

std::vector<LoopId> joined(std::vector<LoopId> first, const std::vector<LoopId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// --- vectorize: the lane axis in whole vectors ---

bool can_vectorize(const Sketch& sketch) { return sketch.on_cpu() && sketch.lane_axis.has_value(); }

void split_lanes(Sketch& sketch) {
  const LoopId axis{*sketch.lane_axis};
  const std::int64_t lanes = sketch.target.vector_lanes_f32();
  sketch.schedule.pad(axis, lanes);
  sketch.lanes = {sketch.schedule.split_by(axis, lanes)[1]};
  sketch.schedule.name(sketch.lanes, {"lane"});
}

/** Pads the lane axis to the widest vectors; tiling makes the number of lanes its last factor. */
void open_vectors(Sketch& sketch) {
  sketch.schedule.pad(LoopId{*sketch.lane_axis}, sketch.target.vector_lanes_f32());
  sketch.open_lanes = true;
}

// --- S1, tensorize: groups of the depth axis for one operation ---

/** Returns the operation that supports the operator's types and computes each lane separately. */
const Intrinsic* dot_product_for(const Sketch& sketch) {
  for (const Intrinsic& row : intrinsics())
    if (row.form == IntrinsicForm::DotProduct && row.target == sketch.target.kind &&
        row.types == task::operand_types(sketch.schedule.op()))
      return &row;
  return nullptr;
}

bool can_tensorize(const Sketch& sketch) {
  return sketch.depth_axis.has_value() && dot_product_for(sketch) != nullptr;
}

void split_groups(Sketch& sketch) {
  sketch.group = {split_dot_groups(sketch.schedule, LoopId{*sketch.depth_axis}, *dot_product_for(sketch))[1]};
}

// --- blocks of the depth axis, stored together in packed tensors ---

void split_blocks(Sketch& sketch) {
  const LoopId depth = sketch.rest_of(*sketch.depth_axis);
  const std::int64_t length = sketch.schedule.loop(depth).length.fixed;
  sketch.block = {
      sketch.schedule.split_by(depth, largest_divisor(length, sketch.target.vector_lanes_f32()))[1]};
  sketch.schedule.name(sketch.block, {"depth_in_block"});
}

// --- multi-level tiling ---

void tile_cpu_axis(Sketch& sketch, int axis) {
  Schedule& s = sketch.schedule;
  const bool reduction = sketch.axis(axis).reduction;
  const bool lanes = sketch.lane_axis == axis;
  const LoopId loop = sketch.rest_of(axis);
  std::vector<std::vector<LoopId>>& levels = reduction ? sketch.reductions : sketch.spatial;
  if (s.loop(loop).length.fixed == 1 && !lanes) return levels.front().push_back(loop);
  if (reduction && divides(sketch, axis)) {
    // Whether a step reads an element depends on divisibility, which is decided per copy, along the last
    // axis; copies along all axes would be thousands.
    if (axis + 1 == static_cast<int>(sketch.roles.size())) s.unroll(loop);
    return levels.back().push_back(loop);
  }
  const bool open_lanes = lanes && sketch.open_lanes;
  const std::int64_t longest = reduction    ? 0
                               : open_lanes ? sketch.target.vector_lanes_f32()
                               : lanes      ? max_tile_vectors
                                            : max_tile_positions;
  auto parts = s.split(loop, static_cast<int>(levels.size()) + (open_lanes ? 1 : 0),
                       fmt::format("tile_{}", sketch.axis(axis).name), longest);
  if (open_lanes) {
    sketch.lanes = {parts.back()};
    parts.pop_back();
  }
  for (std::size_t level = 0; level < parts.size(); ++level) {
    levels[level].push_back(parts[level]);
    s.name({parts[level]}, {fmt::format("{}_{}", sketch.axis(axis).name, level)});
  }
  if (lanes) sketch.lane_tile = {parts.back()};
  if (sketch.depth_axis == axis) sketch.depth_tile = {parts.back()};
}

void tile_for_cpu(Sketch& sketch) {
  sketch.spatial.resize(cpu_spatial_levels);
  sketch.reductions.resize(cpu_reduction_levels);
  for (int axis = 0; axis < static_cast<int>(sketch.roles.size()); ++axis) tile_cpu_axis(sketch, axis);
  std::vector<OrderItem> order;
  const auto add = [&](const std::vector<LoopId>& loops) {
    order.insert(order.end(), loops.begin(), loops.end());
  };
  for (const auto& loops :
       {sketch.spatial[0], sketch.spatial[1], sketch.reductions[0], sketch.spatial[2], sketch.reductions[1],
        sketch.block, sketch.spatial[3], sketch.lanes, sketch.group})
    add(loops);
  sketch.schedule.reorder(std::move(order));
}

/** Adds loops of a level to the order; a knob permutes several. */
void add_permuted(Sketch& sketch, const std::vector<LoopId>& loops, const std::string& knob,
                  std::vector<OrderItem>& order) {
  if (loops.size() > 1)
    order.emplace_back(sketch.schedule.permutation(knob, loops), loops);
  else
    order.insert(order.end(), loops.begin(), loops.end());
}

/** The last round is the register tile, whose reductions are around it. */
void tile_in_rounds(Sketch& sketch) {
  sketch.spatial.resize(round_spatial_levels);
  sketch.reductions.resize(round_reduction_levels);
  for (int axis = 0; axis < static_cast<int>(sketch.roles.size()); ++axis) tile_cpu_axis(sketch, axis);
  sketch.schedule.name(sketch.lanes, {"lane"});
  sketch.schedule.require_length_in(sketch.lanes.front(), vector_widths(sketch.target),
                                    "the lanes of a vector that has the operation");
  std::vector<OrderItem> order;
  const auto add = [&](const std::vector<LoopId>& loops) {
    order.insert(order.end(), loops.begin(), loops.end());
  };
  add(sketch.spatial[0]);
  add(sketch.spatial[1]);
  add_permuted(sketch, sketch.spatial[2], "order_1", order);
  add(sketch.reductions[0]);
  add_permuted(sketch, sketch.spatial[3], "order_2", order);
  for (const auto& loops :
       {sketch.reductions[1], sketch.reductions[2], sketch.spatial[4], sketch.lanes, sketch.group})
    add(loops);
  sketch.schedule.reorder(std::move(order));
}

/** The last two axes of the output run along x and y; the longest of the others along z. */
void place_axes(Sketch& sketch) {
  std::vector<int> axes;
  for (int axis = 0; axis < static_cast<int>(sketch.roles.size()); ++axis)
    if (!sketch.axis(axis).reduction) axes.push_back(axis);
  while (!axes.empty() && sketch.tiled.size() < 2) {
    sketch.tiled.push_back(axes.back());
    axes.pop_back();
  }
  if (axes.empty()) return;
  sketch.tiled.push_back(
      *std::ranges::max_element(axes, {}, [&](int axis) { return sketch.axis(axis).extent; }));
}

void tile_for_gpu(Sketch& sketch) {
  constexpr std::array blocks{Binding::BlockX, Binding::BlockY, Binding::BlockZ};
  constexpr std::array threads{Binding::ThreadX, Binding::ThreadY, Binding::ThreadZ};
  Schedule& s = sketch.schedule;
  sketch.spatial.resize(gpu_spatial_levels);
  sketch.reductions.resize(gpu_reduction_levels);
  place_axes(sketch);
  for (int axis = 0; axis < static_cast<int>(sketch.roles.size()); ++axis) {
    const auto place = std::ranges::find(sketch.tiled, axis);
    if (!sketch.axis(axis).reduction && place == sketch.tiled.end()) {
      s.bind(LoopId{axis}, Binding::BlockZ);
      sketch.untiled.push_back(LoopId{axis});
      continue;
    }
    auto& levels = sketch.axis(axis).reduction ? sketch.reductions : sketch.spatial;
    const auto parts = s.split(LoopId{axis}, static_cast<int>(levels.size()),
                               fmt::format("tile_{}", sketch.axis(axis).name));
    for (std::size_t level = 0; level < levels.size(); ++level) levels[level].push_back(parts[level]);
    if (sketch.axis(axis).reduction) continue;
    const auto dimension = static_cast<std::size_t>(place - sketch.tiled.begin());
    s.bind(parts[0], blocks[dimension]);
    s.bind(parts[1], Binding::VirtualThread);
    s.bind(parts[2], threads[dimension]);
  }
  std::vector<OrderItem> order(sketch.untiled.begin(), sketch.untiled.end());
  for (const auto& loops : {sketch.spatial[0], sketch.spatial[1], sketch.spatial[2], sketch.reductions[0],
                            sketch.reductions[1], sketch.spatial[3], sketch.reductions[2], sketch.spatial[4]})
    order.insert(order.end(), loops.begin(), loops.end());
  s.reorder(std::move(order));
}

// --- S3, cache write: sums accumulate in registers ---

void write_through_registers(Sketch& sketch) {
  // A CPU's innermost level is the register tile; a GPU's thread has two levels of its own.
  const std::size_t around = sketch.on_cpu() ? sketch.spatial.size() - 2 : 2;
  sketch.schedule.cache_write(loop_nest::BufferScope::Registers, sketch.spatial[around].back());
}

void bound_accumulators(Sketch& sketch) {
  sketch.schedule.require_product_at_most("accumulators", sketch.spatial.back(),
                                          accumulator_registers(sketch.target),
                                          "accumulators fit into the vector registers");
}

/** A larger number would be spilled, and compilation would take minutes. */
void bound_thread_sums(Sketch& sketch) {
  std::vector<LoopId> loops = joined(sketch.spatial[1], sketch.spatial[3]);
  loops = joined(std::move(loops), sketch.spatial[4]);
  sketch.schedule.require_product_at_most("accumulators", loops, thread_registers(sketch.target),
                                          "sums of a thread fit into its registers");
}

// --- S2, cache read: copies of the data that inner levels read ---

void share_inputs(Sketch& sketch) {
  for (const int input : {0, 1})
    if (has_boxes(sketch.tensor(input)))
      sketch.schedule.cache_read(input, loop_nest::BufferScope::Shared, sketch.reductions[0].back());
}

/** Returns the input whose elements are the same for all lanes: it is not packed, but copied. */
std::optional<int> copied_input(const Sketch& sketch) {
  for (const int input : {0, 1})
    if (sketch.lane_axis && !moves(sketch.tensor(input), *sketch.lane_axis) &&
        has_boxes(sketch.tensor(input)) && sketch.tensor(input).type == task::ScalarType::F32)
      return input;
  return std::nullopt;
}

bool can_copy_input(const Sketch& sketch) { return sketch.on_cpu() && copied_input(sketch).has_value(); }

void copy_input(Sketch& sketch) {
  // Reductions that depend on divisibility are not split: none of their parts is outermost.
  const LoopId outer = sketch.spatial[1].back();
  const std::vector<LoopId>& reductions = sketch.reductions[0];
  const AttachPoint at = reductions.empty()
                             ? AttachPoint(outer)
                             : sketch.schedule.attach_by("copy_in", {outer, reductions.back()});
  sketch.schedule.cache_read(*copied_input(sketch), loop_nest::BufferScope::Local, at);
}

// --- fuse and parallel ---

void deal_out(Sketch& sketch) { sketch.schedule.parallel(sketch.spatial[0]); }

// --- unroll and lanes ---

void run_in_lanes(Sketch& sketch) {
  for (const LoopId loop : sketch.spatial.back()) sketch.schedule.unroll(loop);
  for (const LoopId loop : sketch.lanes) sketch.schedule.vectorize(loop);
}

void open_unrolling(Sketch& sketch) {
  for (const LoopId loop : sketch.block) {
    std::vector<std::int64_t> factors;
    for (const std::int64_t factor : {1, 2, 4})
      if (sketch.schedule.loop(loop).length.fixed % factor == 0) factors.push_back(factor);
    sketch.schedule.unroll_hint(loop, sketch.schedule.ordinal("unroll", factors));
  }
}

void open_gpu_unrolling(Sketch& sketch) { sketch.schedule.auto_unroll({0, 16, 64, 512, 1024}); }

// --- packing ---

/**
 * Stores a tensor in the order in which the innermost loops read it, for dimensions that an axis indexes
 * alone.
 */
void pack_tensor(Sketch& sketch, int number) {
  const task::TensorAccess& tensor = sketch.tensor(number);
  const int lane_dimension = own_dimension(tensor, *sketch.lane_axis);
  const int depth_dimension = sketch.depth_axis ? own_dimension(tensor, *sketch.depth_axis) : -1;
  const bool weights = lane_dimension >= 0 && depth_dimension >= 0;
  const std::vector<LoopId> of_lane = weights ? joined(sketch.lane_tile, sketch.lanes) : sketch.lanes;
  const std::vector<LoopId> of_depth = weights ? joined(sketch.block, sketch.depth_tile) : sketch.block;
  const std::vector<LoopId> whole_depth = joined(of_depth, sketch.group);

  PackedLayout layout{"dimensions", {}};
  for (int d = 0; d < static_cast<int>(tensor.shape.size()); ++d) {
    std::vector<LoopId> inner;
    if (d == lane_dimension) inner = of_lane;
    if (d == depth_dimension) inner = whole_depth;
    layout.dimensions.push_back(packed::blocks_of(d, std::move(inner)));
  }
  if (depth_dimension >= 0) {
    layout.name += ", depth in blocks";
    layout.dimensions.push_back(packed::groups_of(depth_dimension, of_depth, sketch.group));
  }
  if (lane_dimension >= 0) {
    layout.name += weights ? ", lanes of a register tile" : ", lanes";
    layout.dimensions.push_back(packed::within(lane_dimension, of_lane));
  }
  if (depth_dimension >= 0 && sketch.tensorized()) {
    layout.name += ", bytes of a group";
    layout.dimensions.push_back(packed::within(depth_dimension, sketch.group));
  }
  sketch.schedule.layout(number, std::move(layout));
}

void pack_tensors(Sketch& sketch) {
  const auto copies = sketch.schedule.stages(StageKind::CacheRead, loop_nest::BufferScope::Local);
  const int tensors = static_cast<int>(sketch.schedule.op().inputs.size()) + 1;
  for (int number = 0; number < tensors; ++number)
    if (std::ranges::none_of(copies, [&](const Stage* stage) { return stage->tensor == number; }))
      pack_tensor(sketch, number);
}

// --- the table ---

/** Positions in the table of rules. */
enum RuleNumber : std::size_t {
  Vectorize,
  Tensorize,
  BlockDepth,
  TileForCpu,
  TileForGpu,
  CacheWrite,
  Parallel,
  RunInLanes,
  ShareInputs,
  CopyInput,
  Unroll,
  AutoUnrolling,
  FitRegisters,
  FitThreadRegisters,
  Pack,
  OpenVectors,
  TileInRounds,
  CopyInputs,
  KeepResults,
  UnrollRounds,
  OpenLayouts,
  RuleCount
};

constexpr std::array<SketchRule, RuleCount> rules{{
    {"vectorize", "an axis of the output is padded to whole vectors", can_vectorize, split_lanes},
    {"S1 tensorize", "groups of the innermost sum are computed by an operation of the machine", can_tensorize,
     split_groups},
    {"block the depth", "steps of the innermost sum are stored together in packed tensors", has_depth,
     split_blocks},
    {"multi-level tiling SSRSRS", "four levels of the output's axes, two of the sums", on_cpu, tile_for_cpu},
    {"multi-level tiling SSSRRSRS", "blocks, virtual threads, threads, and five inner levels", on_gpu,
     tile_for_gpu},
    {"S3 cache write", "sums accumulate in registers inside the third level", always,
     write_through_registers},
    {"fuse and parallel", "the outermost level is distributed over threads", on_cpu, deal_out},
    {"lanes and named sums", "the innermost level is unrolled, with one of its axes in vectors", has_lanes,
     run_in_lanes},
    {"S2 cache read: shared", "threads of a block share a tile of each input whose accesses form boxes",
     on_gpu, share_inputs},
    {"S2 cache read: local",
     "the input that is the same for all lanes is not packed, and a thread copies its tile", can_copy_input,
     copy_input},
    {"unroll", "a knob sets the unroll factor of a block's steps for the compiler", has_lanes,
     open_unrolling},
    {"auto-unroll", "TVM's two unrolling knobs for a GPU's kernel", on_gpu, open_gpu_unrolling},
    {"registers", "sums fit into the vector registers", has_lanes, bound_accumulators},
    {"registers of a thread", "sums of all its virtual threads fit into its registers", on_gpu,
     bound_thread_sums},
    {"pack", "tensors are stored in the order in which the innermost loops read them", has_lanes,
     pack_tensors},
    {"vector widths", "an axis of the output runs in vectors whose width is open", can_vectorize,
     open_vectors},
    {"multi-level tiling in rounds",
     "a level of the output's axes for threads, one of cache tiles, and three rounds of all axes", on_cpu,
     tile_in_rounds},
    {"S2 cache read: open positions", "a thread copies its tiles of each input where a knob says, or nowhere",
     on_cpu, copy_inputs},
    {"S3 cache write: open position",
     "results wait in local memory until they are complete, where a knob says, or nowhere", on_cpu,
     keep_results},
    {"unroll rounds", "knobs set the unroll factors of the sums of the inner rounds", on_cpu, unroll_rounds},
    {"packed layouts", "knobs select the layouts of all tensors, by the tiles that they store together",
     has_lanes, open_layouts},
}};

std::vector<const SketchRule*> chosen(std::initializer_list<RuleNumber> numbers) {
  std::vector<const SketchRule*> result;
  for (const RuleNumber number : numbers) result.push_back(&rules[number]);
  return result;
}

}  // namespace

std::span<const SketchRule> sketch_rules() { return rules; }

std::span<const SketchDeclaration> sketches() {
  static const std::array<SketchDeclaration, 3> declarations{{
      {"generated",
       "schedule generated by rules for any operator whose axes have roles",
       {TargetKind::Cpu, TargetKind::Cuda, TargetKind::OpenCl},
       chosen({Vectorize, Tensorize, BlockDepth, TileForCpu, TileForGpu, CacheWrite, Parallel, RunInLanes,
               ShareInputs, Unroll, AutoUnrolling, FitRegisters, FitThreadRegisters, Pack})},
      {"generated-local",
       "as generated, but one input is not packed: a thread copies the tile that it reads",
       {TargetKind::Cpu},
       chosen({Vectorize, Tensorize, BlockDepth, TileForCpu, CacheWrite, Parallel, RunInLanes, CopyInput,
               Unroll, FitRegisters, Pack})},
      {"generated-vnni",
       "int8 (u8 by i8 into i32) by Heron's rules for DL Boost: three rounds of tiles, copies and results in "
       "local memory with open positions, open vector widths and layouts",
       {TargetKind::Cpu},
       chosen({OpenVectors, Tensorize, TileInRounds, CacheWrite, Parallel, RunInLanes, CopyInputs,
               KeepResults, UnrollRounds, FitRegisters, OpenLayouts}),
       true},
  }};
  return declarations;
}

}  // namespace kernelscape::schedule
