#include "core/schedule/tensor_core_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernelscape::schedule {
namespace {

constexpr std::int64_t fragment_elements = 256;  ///< elements of an accumulator
constexpr std::int64_t fragment_depth = 16;
constexpr std::array<std::int64_t, 3> fragment_rows{16, 8, 32};

Status require_f16(const task::Task& task) {
  if (!task.op) return fail(ErrorCode::InvalidArgument, "a generic task has no operator");
  const std::string types = task::to_string(task::operand_types(*task.op));
  if (types == "f16") return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the task is {}, but tensor cores are only supported for f16 into f32", types));
}

}  // namespace

bool divided_by_fragments(std::int64_t rows_of_fragment, std::int64_t rows, std::int64_t columns) {
  return rows % rows_of_fragment == 0 && columns % (fragment_elements / rows_of_fragment) == 0;
}

Status fits_tensor_cores(const task::Task& task, const TargetDescription& target, std::int64_t rows,
                         std::int64_t columns, std::int64_t depth) {
  TRY(require_f16(task));
  TRY(intrinsic("wmma").available(target));
  const bool divided = std::ranges::any_of(
      fragment_rows, [&](std::int64_t fragment) { return divided_by_fragments(fragment, rows, columns); });
  if (divided && depth % fragment_depth == 0) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("none of the shapes 16x16x16, 8x32x16 and 32x8x16 of tensor cores divides {}x{}x{}",
                          rows, columns, depth));
}

void schedule_tensor_cores(Schedule& s, const MatrixAxes& axes, const TensorCoreKnobs& knobs) {
  const KnobId block_row_warps = s.ordinal("block_row_warps", {1, 2, 4});
  const KnobId block_col_warps = s.ordinal("block_col_warps", {1, 2, 4});
  const KnobId warp_row_tiles = s.ordinal("warp_row_tiles", {1, 2, 4});
  const KnobId warp_col_tiles = s.ordinal("warp_col_tiles", {1, 2, 4});
  const KnobId chunk = s.ordinal("chunk", {1, 2, 4, 8});
  const KnobId offset = s.ordinal("offset", {0, 8});
  const KnobId result_offset = knobs.pads_result ? s.ordinal("offsetCS", {0, 8}) : offset;
  const KnobId vector_width = s.ordinal(knobs.vector_width, {1, 2, 4, 8});
  const KnobId wmma_m = s.categorical(
      "wmma_m", std::vector<space::KnobValue>(knobs.fragment_rows.begin(), knobs.fragment_rows.end()));

  const auto row =
      s.tile_evenly(axes.rows, {LoopLength::of_knob(block_row_warps), LoopLength::of_knob(warp_row_tiles),
                                LoopLength::of_knob(wmma_m)});
  const auto column =
      s.tile_evenly(axes.columns, {LoopLength::of_knob(block_col_warps), LoopLength::of_knob(warp_col_tiles),
                                   LoopLength::quotient(fragment_elements, {row[3]})});
  const auto depth =
      s.tile_evenly(axes.depth, {LoopLength::of_knob(chunk), LoopLength::of_number(fragment_depth)});
  s.name(row, {"block_row", "warp_row", "tile_row", "wmma_m"});
  s.name(column, {"block_column", "warp_column", "tile_column", "wmma_n"});
  s.name(depth, {"depth_outer", "depth_step", "wmma_k"});

  for (const LoopId block : axes.blocks) s.bind(block, Binding::BlockZ);
  s.bind(row[0], Binding::BlockX);
  s.bind(column[0], Binding::BlockY);
  s.bind(row[1], Binding::ThreadY);
  s.bind(column[1], Binding::ThreadZ);
  std::vector<OrderItem> order(axes.blocks.begin(), axes.blocks.end());
  order.insert(order.end(), {row[0], column[0], row[1], column[1]});
  order.insert(order.end(), axes.reductions.begin(), axes.reductions.end());
  order.insert(order.end(), {depth[0], depth[1], row[2], column[2], row[3], column[3], depth[2]});
  s.reorder(std::move(order));

  CopyOptions padded;
  padded.row_padding = offset;
  padded.lanes_by = vector_width;
  for (const int input : {0, 1}) {
    s.cache_read(input, loop_nest::BufferScope::Shared, depth[0], padded);
    s.cache_read(input, loop_nest::BufferScope::Fragments, depth[1]);
  }
  s.tensorize(intrinsic("wmma"), {row[3], column[3], depth[2]});
  s.cache_write(loop_nest::BufferScope::Fragments, column[1]);
  padded.row_padding = result_offset;
  s.cache_write(loop_nest::BufferScope::Shared, column[1], padded);
}

}  // namespace kernelscape::schedule
