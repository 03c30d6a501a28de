// Matrix multiplication of f32, batched or not, by blocks of any size: a register tile of rows by vectors,
// blocks of tiles that need not divide the matrix, the vector operand packed in the order in which it is
// read. The row operand and the output are as users store them, apart from rows of the output that are padded
// to vectors.
#include <algorithm>

#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr int version = 1;

/** Maximum number of rows of a register tile: with one vector each they hide the latency of multiply-adds. */
constexpr std::int64_t max_tile_height = 28;
/** Maximum number of vectors of a register tile: with one row they hide the latency of multiply-adds. */
constexpr std::int64_t max_tile_width = 14;

/** Selects the axis in the lanes: rows if columns would leave most lanes empty (a matrix by a vector). */
struct BlockedRoles {
  LoopId rows, columns;  ///< columns are in the lanes
  int row_operand = 0;
  int column_operand = 0;
};

BlockedRoles blocked_roles(const Schedule& s, const task::MatrixMultiplication& multiplication,
                           std::int64_t lanes) {
  if (multiplication.n < lanes && multiplication.m > multiplication.n)
    return {s.axis("x"), s.axis("y"), 1, 0};
  return {s.axis("y"), s.axis("x"), 0, 1};
}

/** Returns numbers of tiles in a block: all small ones, then four per doubling, up to `last` and including
 * it. */
std::vector<std::int64_t> block_sizes(std::int64_t last) {
  constexpr std::int64_t dense = 8;
  std::vector<std::int64_t> sizes = up_to(std::min(last, dense));
  for (std::int64_t base = dense; base < last; base *= 2)
    for (std::int64_t quarter = 1; quarter <= 4; ++quarter)
      if (const std::int64_t size = base + quarter * base / 4; size < last) sizes.push_back(size);
  if (sizes.back() != last) sizes.push_back(last);
  return sizes;
}

PackedLayout batched_layout(bool batched, std::string name, std::vector<PackedDimension> dimensions) {
  if (batched) dimensions.insert(dimensions.begin(), whole(0));
  return {std::move(name), std::move(dimensions)};
}

Result<ScheduledKernel> apply_blocked(const char* name, const task::Task& task,
                                      const TargetDescription& target, bool copied) {
  const auto& multiplication = std::get<task::MatrixMultiplication>(task.definition);
  const bool batched = multiplication.batched;
  const std::int64_t lanes = target.vector_lanes_f32();
  Schedule s(*task.op);
  const BlockedRoles roles = blocked_roles(s, multiplication, lanes);
  const LoopId k = s.axis("k");
  const std::int64_t height = s.loop(roles.rows).length.fixed;
  s.pad(roles.columns, lanes);
  const auto lane_split = s.split_by(roles.columns, lanes);
  const LoopId lane = lane_split[1];
  const std::int64_t width = s.loop(lane_split[0]).length.fixed;
  const auto rows = s.tile(roles.rows, "register_rows", up_to(std::min(height, max_tile_height)));
  const auto vectors = s.tile(lane_split[0], "register_vectors", up_to(std::min(width, max_tile_width)));
  const auto row_blocks = s.tile(rows[0], "tile_rows", block_sizes(height));
  const auto column_blocks = s.tile(vectors[0], "tile_columns", block_sizes(width));
  const auto depth = s.split(k, 2, "tile_k");
  s.name({rows[0], rows[1], vectors[0], vectors[1], lane},
         {"row_tiles", "row", "column_tiles", "vector", "lane"});
  s.name(row_blocks, {"row_block", "row_tile"});
  s.name(column_blocks, {"column_block", "column_tile"});
  s.name(depth, {"depth_block", "depth"});

  const KnobId parallel_order = s.categorical(
      "parallel_order", {space::KnobValue{std::string("columns")}, space::KnobValue{std::string("rows")}});
  std::vector<std::vector<LoopId>> parallel{{column_blocks[0], row_blocks[0]},
                                            {row_blocks[0], column_blocks[0]}};
  std::vector<LoopId> dealt{column_blocks[0], row_blocks[0]};
  if (batched) {
    const LoopId batch = s.axis("b");
    s.name({batch}, {"matrix"});
    for (auto& order : parallel) order.insert(order.begin(), batch);
    dealt.push_back(batch);
  }
  const std::vector<LoopId> tiles{row_blocks[1], column_blocks[1]};
  const KnobId tile_order = s.permutation("tile_order", tiles);
  s.reorder({OrderItem(parallel_order, parallel), depth[0], OrderItem(tile_order, tiles), depth[1], rows[1],
             vectors[1], lane});
  s.parallel(dealt);
  s.separate_last_blocks();
  if (copied) s.cache_read(roles.row_operand, loop_nest::BufferScope::Local, depth[0], {CopyIndex::Loops});
  s.cache_write(loop_nest::BufferScope::Registers, row_blocks[1]);
  s.unroll(rows[1]);
  s.unroll(vectors[1]);
  s.vectorize(lane);
  s.unroll_hint(depth[1], s.ordinal("unroll_k", {1, 2, 4, 8}));

  const task::TensorAccess& column_operand = s.op().inputs[static_cast<std::size_t>(roles.column_operand)];
  const int column = dimension_of(column_operand, roles.columns);
  const int column_depth = dimension_of(column_operand, k);
  const std::vector<LoopId> tile{vectors[1], lane};
  s.layout(roles.column_operand,
           batched_layout(batched, "depth by columns in panels of a register tile",
                          {blocks_of(column, tile), whole(column_depth), within(column, tile)}));
  const int output_row = dimension_of(s.op().output, roles.rows);
  const int output_column = dimension_of(s.op().output, roles.columns);
  s.layout(2, batched_layout(
                  batched, "rows by columns, rows padded to whole vectors",
                  {whole(output_row), blocks_of(output_column, {lane}), within(output_column, {lane})}));
  s.require_product_at_most("accumulators", {vectors[1], rows[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  return finish_template(name, version, task, target, std::move(s));
}

TemplateDeclaration blocked_template(const char* name, bool batched, bool copied, const char* description) {
  return {name,
          version,
          {TargetKind::Cpu},
          description,
          "ours",
          [batched](const task::Task& task, const TargetDescription&) {
            return fits_multiplication(task, batched);
          },
          [name, copied](const task::Task& task, const TargetDescription& target) {
            return apply_blocked(name, task, target, copied);
          }};
}

}  // namespace

TemplateDeclaration matmul_blocked_template() {
  return blocked_template("matmul-blocked", false, false,
                          "matrix multiplication in blocks of any size, the first operand as stored");
}

TemplateDeclaration batch_matmul_blocked_template() {
  return blocked_template("batch-matmul-blocked", true, false,
                          "batched matrix multiplication in blocks of any size, the first operand as stored");
}

TemplateDeclaration matmul_copied_template() {
  return blocked_template(
      "matmul-copied", false, true,
      "matrix multiplication in blocks of any size, the first operand copied by the kernel");
}

TemplateDeclaration batch_matmul_copied_template() {
  return blocked_template(
      "batch-matmul-copied", true, true,
      "batched matrix multiplication in blocks of any size, the first operand copied by the kernel");
}

}  // namespace kernelscape::schedule
