#include "core/schedule/sketch/open_choices.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace kernelscape::schedule {
namespace {

/** Returns true if elements are read through several axes at once: the windows of a convolution. */
bool has_windows(const task::TensorAccess& tensor) {
  return std::ranges::any_of(tensor.indices, [](const task::AccessIndex& index) {
    return std::ranges::count_if(index.coefficients, [](std::int64_t c) { return c != 0; }) > 1;
  });
}

/** Returns the loop of an axis in a level of the tiles, if the axis was tiled. */
std::optional<LoopId> part_in(const Sketch& sketch, const std::vector<LoopId>& level, int axis) {
  const auto found =
      std::ranges::find(level, axis, [&](LoopId loop) { return sketch.schedule.loop(loop).axis; });
  return found == level.end() ? std::nullopt : std::optional(*found);
}

/** Returns the axis that indexes a dimension alone; nullopt if there is none. */
std::optional<int> axis_of(const Sketch& sketch, const task::TensorAccess& tensor, int dimension) {
  for (int axis = 0; axis < static_cast<int>(sketch.roles.size()); ++axis)
    if (own_dimension(tensor, axis) == dimension) return axis;
  return std::nullopt;
}

/** Builds the layouts of one tensor. */
class Layouts {
 public:
  Layouts(const Sketch& sketch, int number)
      : sketch_(sketch),
        tensor_(sketch.tensor(number)),
        lane_(own_dimension(tensor_, *sketch.lane_axis)),
        depth_(own_dimension(tensor_, *sketch.depth_axis)) {}

  std::vector<PackedLayout> run() const {
    if (depth_ < 0) return of_results();
    return lane_ < 0 ? of_broadcasts() : of_vectors();
  }

 private:
  int dimensions() const { return static_cast<int>(tensor_.shape.size()); }

  bool is_batch(int dimension) const {
    const std::optional<int> axis = axis_of(sketch_, tensor_, dimension);
    return axis && sketch_.roles[static_cast<std::size_t>(*axis)] == AxisRole::Batch;
  }

  /** Returns the dimensions other than those of lanes and depth that are batches, or that are not. */
  std::vector<int> others(bool batches) const {
    std::vector<int> result;
    for (int d = 0; d < dimensions(); ++d)
      if (d != lane_ && d != depth_ && is_batch(d) == batches) result.push_back(d);
    return result;
  }

  static void add_whole(PackedLayout& layout, const std::vector<int>& numbers) {
    for (const int d : numbers) layout.dimensions.push_back(packed::whole(d));
  }

  /** Returns what is stored together along the lane axis: a vector, a register tile, or a round's tile. */
  std::vector<std::pair<std::string, std::vector<LoopId>>> lane_blocks() const {
    std::vector<LoopId> tile = sketch_.lane_tile;
    tile.insert(tile.end(), sketch_.lanes.begin(), sketch_.lanes.end());
    std::vector<LoopId> round = tile;
    round.insert(round.begin(), part_in(sketch_, sketch_.spatial[3], *sketch_.lane_axis).value());
    return {{"vectors", sketch_.lanes}, {"register tiles", tile}, {"tiles of a round", round}};
  }

  /**
   * Returns the layouts of an input that is read in vectors: blocks of lanes, with the depth outside of
   * windows or inside.
   */
  std::vector<PackedLayout> of_vectors() const {
    std::vector<PackedLayout> result;
    const std::vector<int> windows = others(false);
    for (const auto& [name, block] : lane_blocks()) {
      for (const bool depth_first : {true, false}) {
        if (!depth_first && windows.empty()) continue;
        PackedLayout layout{name, {}};
        if (!windows.empty()) layout.name += depth_first ? ", depth outside" : ", depth inside";
        add_whole(layout, others(true));
        layout.dimensions.push_back(packed::blocks_of(lane_, block));
        if (!depth_first) add_whole(layout, windows);
        layout.dimensions.push_back(packed::blocks_of(depth_, sketch_.group));
        if (depth_first) add_whole(layout, windows);
        layout.dimensions.push_back(packed::within(lane_, block));
        layout.dimensions.push_back(packed::within(depth_, sketch_.group));
        result.push_back(std::move(layout));
      }
    }
    return result;
  }

  /**
   * Returns the layouts of an input that is the same for all lanes: the depth innermost, or in the order of
   * register tiles.
   */
  std::vector<PackedLayout> of_broadcasts() const {
    PackedLayout plain{"depth innermost", {}};
    for (int d = 0; d < dimensions(); ++d)
      if (d != depth_) plain.dimensions.push_back(packed::whole(d));
    plain.dimensions.push_back(packed::whole(depth_));

    std::vector<LoopId> depth = sketch_.depth_tile;
    depth.insert(depth.end(), sketch_.group.begin(), sketch_.group.end());
    PackedLayout tiles{"register tiles", {}};
    std::vector<PackedDimension> inside;
    std::vector<int> windows;
    for (int d = 0; d < dimensions(); ++d) {
      const std::optional<int> axis = axis_of(sketch_, tensor_, d);
      const std::optional<LoopId> rows =
          axis ? part_in(sketch_, sketch_.spatial.back(), *axis) : std::nullopt;
      if (d == depth_) continue;
      if (!axis) {
        windows.push_back(d);
      } else if (rows && !is_batch(d)) {
        tiles.dimensions.push_back(packed::blocks_of(d, {*rows}));
        inside.push_back(packed::within(d, {*rows}));
      } else {
        tiles.dimensions.push_back(packed::whole(d));
      }
    }
    tiles.dimensions.push_back(packed::blocks_of(depth_, depth));
    add_whole(tiles, windows);
    tiles.dimensions.insert(tiles.dimensions.end(), inside.begin(), inside.end());
    tiles.dimensions.push_back(packed::within(depth_, depth));
    return {std::move(plain), std::move(tiles)};
  }

  /** Returns the layouts of the output: the lane axis innermost, or blocks of register tiles outermost. */
  std::vector<PackedLayout> of_results() const {
    const std::vector<LoopId> tile = lane_blocks()[1].second;
    PackedLayout rows{"lanes innermost", {}};
    PackedLayout tiles{"register tiles", {packed::blocks_of(lane_, tile)}};
    for (int d = 0; d < dimensions(); ++d) {
      if (d == lane_) continue;
      rows.dimensions.push_back(packed::whole(d));
      tiles.dimensions.push_back(packed::whole(d));
    }
    rows.dimensions.push_back(packed::blocks_of(lane_, sketch_.lanes));
    rows.dimensions.push_back(packed::within(lane_, sketch_.lanes));
    tiles.dimensions.push_back(packed::within(lane_, tile));
    return {std::move(rows), std::move(tiles)};
  }

  const Sketch& sketch_;
  const task::TensorAccess& tensor_;
  int lane_;   ///< the dimension of the lane axis; -1: it has none
  int depth_;  ///< the dimension of the depth axis; -1: it has none
};

/** Opens the unroll factor of the innermost sum of a round, if it is a loop that runs. */
void open_unroll_factor(Sketch& sketch, const std::vector<LoopId>& round, const std::string& knob,
                        const std::vector<std::int64_t>& factors) {
  if (round.empty()) return;
  const Loop& loop = sketch.schedule.loop(round.back());
  const bool once = loop.length.kind == LoopLength::Kind::Fixed && loop.length.fixed == 1;
  if (once || loop.unrolled) return;
  sketch.schedule.unroll_hint(round.back(), sketch.schedule.ordinal(knob, factors));
}

}  // namespace

std::vector<std::int64_t> vector_widths(const TargetDescription& target) {
  constexpr std::int64_t narrowest = 4;  // 128 bits
  std::vector<std::int64_t> widths;
  for (std::int64_t lanes = narrowest; lanes <= target.vector_lanes_f32(); lanes *= 2)
    widths.push_back(lanes);
  return widths;
}

void copy_inputs(Sketch& sketch) {
  Schedule& s = sketch.schedule;
  for (const int input : {0, 1}) {
    const task::TensorAccess& tensor = sketch.tensor(input);
    CopyOptions options;
    // Elements that windows share are stored once, unless they are read in vectors.
    const bool box = has_windows(tensor) && has_boxes(tensor) && !moves(tensor, *sketch.lane_axis);
    options.index = box ? CopyIndex::Box : CopyIndex::Loops;
    const AttachPoint at = s.attach_by(
        tensor.tensor + "_at",
        {nowhere, sketch.spatial[0].back(), sketch.spatial[1].back(), sketch.reductions[0].back()});
    options.unroll_by = s.ordinal("unroll_" + tensor.tensor, {1, 2, 4});
    s.cache_read(input, loop_nest::BufferScope::Local, at, options);
  }
}

void keep_results(Sketch& sketch) {
  Schedule& s = sketch.schedule;
  const std::string& output = s.op().output.tensor;
  std::vector<LoopId> places{nowhere, sketch.spatial[0].back(), sketch.spatial[1].front()};
  if (sketch.spatial[1].size() > 1) places.push_back(sketch.spatial[1].back());
  const AttachPoint at = s.attach_by(output + "_at", places);
  CopyOptions options;
  options.index = CopyIndex::Loops;
  std::vector<std::int64_t> widths = vector_widths(sketch.target);
  widths.insert(widths.begin(), 1);
  options.lanes_by = s.ordinal(output + "_lanes", widths);
  s.cache_write(loop_nest::BufferScope::Local, at, options);
}

void unroll_rounds(Sketch& sketch) {
  open_unroll_factor(sketch, sketch.reductions[1], "unroll_round_2", {1, 2, 4});
  open_unroll_factor(sketch, sketch.reductions[2], "unroll_round_3", {1, 2, 4, 8, 16});
}

void open_layouts(Sketch& sketch) {
  Schedule& s = sketch.schedule;
  const int tensors = static_cast<int>(s.op().inputs.size()) + 1;
  for (int number = 0; number < tensors; ++number) {
    std::vector<PackedLayout> layouts = Layouts(sketch, number).run();
    std::vector<space::KnobValue> names;
    for (const PackedLayout& layout : layouts) names.emplace_back(layout.name);
    const KnobId knob = s.categorical(sketch.tensor(number).tensor + "_layout", std::move(names));
    s.layout_by(number, knob, std::move(layouts));
  }
}

}  // namespace kernelscape::schedule
