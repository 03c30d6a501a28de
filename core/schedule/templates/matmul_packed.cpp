// Matrix multiplication, batched or not: a register tile of rows by vectors, the vector operand packed in the
// order in which it is read, the row operand plain or in panels. With dot products (of int8 and bf16), the
// depth is split into groups, and each lane adds up the products of one group. f16 is converted to f32 when
// it is read.
#include <optional>
#include <tuple>

#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr const char* plain_name = "matmul-packed";
constexpr const char* batched_name = "batch-matmul-packed";
constexpr const char* bytes_name = "matmul-vnni";
constexpr const char* bf16_name = "matmul-bf16";
constexpr int version = 1;

constexpr std::int64_t max_rows = 14;
constexpr std::int64_t max_vectors = 4;

/** Selects the axis in the lanes: rows if columns would leave most lanes empty (a matrix by a vector). */
struct Roles {
  LoopId rows, columns;  ///< columns are in the lanes
  int row_operand = 0;
  int column_operand = 0;
};

Roles roles_of(const Schedule& s, const task::MatrixMultiplication& multiplication, std::int64_t lanes) {
  if (multiplication.n < lanes && multiplication.m > multiplication.n)
    return {s.axis("x"), s.axis("y"), 1, 0};
  return {s.axis("y"), s.axis("x"), 0, 1};
}

/** Returns the layout with the batch dimension first, if there is one. */
PackedLayout with_batch(bool batched, std::string name, std::vector<PackedDimension> dimensions) {
  if (batched) dimensions.insert(dimensions.begin(), packed::whole(0));
  return {std::move(name), std::move(dimensions)};
}

struct Tiles {
  std::vector<LoopId> row_blocks, rows, columns, depth;
  LoopId lane;
  std::optional<LoopId> group;  ///< of a dot product: the innermost part of the depth
};

/** @param dot the operation that replaces the innermost part of the depth; null: none */
Tiles split_tiles(Schedule& s, const Roles& roles, std::int64_t lanes, const Intrinsic* dot) {
  Tiles t;
  LoopId depth = s.axis("k");
  if (dot != nullptr) {
    const auto groups = split_dot_groups(s, depth, *dot);
    depth = groups[0];
    t.group = groups[1];
  }
  const std::int64_t height = s.loop(roles.rows).length.fixed;
  s.pad(roles.columns, lanes);
  const auto lane_split = s.split_by(roles.columns, lanes);
  t.lane = lane_split[1];
  t.row_blocks = s.split(roles.rows, 2, "tile_rows");
  t.columns = s.split(lane_split[0], 3, "tile_columns", max_vectors);
  t.depth = s.split(depth, 2, "tile_k");
  t.rows = s.tile(t.row_blocks[1], "register_rows", up_to(std::min(height, max_rows)));
  s.name(t.row_blocks, {"row_block", "row_in_block"});
  s.name(t.rows, {"row_tile", "row"});
  s.name(t.columns, {"column_block", "column_group", "vector"});
  s.name(t.depth, {"depth_block", "depth"});
  s.name({t.lane}, {"lane"});
  return t;
}

void order_tiles(Schedule& s, const Tiles& t, bool batched) {
  const KnobId parallel_order = s.categorical(
      "parallel_order", {space::KnobValue{std::string("columns")}, space::KnobValue{std::string("rows")}});
  std::vector<std::vector<LoopId>> parallel{{t.columns[0], t.row_blocks[0]}, {t.row_blocks[0], t.columns[0]}};
  std::vector<LoopId> dealt{t.columns[0], t.row_blocks[0]};
  if (batched) {
    const LoopId batch = s.axis("b");
    s.name({batch}, {"matrix"});
    for (auto& order : parallel) order.insert(order.begin(), batch);
    dealt.push_back(batch);
  }
  const std::vector<LoopId> blocks{t.depth[0], t.rows[0], t.columns[1]};
  const KnobId block_order = s.permutation("block_order", blocks);
  std::vector<OrderItem> order{OrderItem(parallel_order, parallel),
                               OrderItem(block_order, blocks),
                               t.depth[1],
                               t.rows[1],
                               t.columns[2],
                               t.lane};
  if (t.group) order.emplace_back(*t.group);
  s.reorder(std::move(order));
  s.parallel(dealt);
  s.cache_write(loop_nest::BufferScope::Registers, t.rows[0]);
  s.unroll(t.rows[1]);
  s.unroll(t.columns[2]);
  s.vectorize(t.lane);
  s.unroll_hint(t.depth[1], s.ordinal("unroll_k", {1, 2, 4, 8}));
}

void pack(Schedule& s, const Roles& roles, const Tiles& t, bool batched) {
  const task::TensorAccess& row_operand = s.op().inputs[static_cast<std::size_t>(roles.row_operand)];
  const task::TensorAccess& column_operand = s.op().inputs[static_cast<std::size_t>(roles.column_operand)];
  const LoopId k = s.axis("k");
  const int row = dimension_of(row_operand, roles.rows);
  const int row_depth = dimension_of(row_operand, k);
  const KnobId row_layout = s.categorical(
      "row_layout", {space::KnobValue{std::string("rows")}, space::KnobValue{std::string("panels")}});
  const LoopId block = t.row_blocks[1];
  std::vector<LoopId> group;
  if (t.group) group.push_back(*t.group);
  // The elements of a group stay together, innermost.
  const auto grouped = [&](std::vector<PackedDimension> dimensions, int depth) {
    if (t.group) dimensions.push_back(within(depth, group));
    return dimensions;
  };
  s.layout_by(
      roles.row_operand, row_layout,
      {with_batch(batched, "rows by depth", {whole(row), whole(row_depth)}),
       with_batch(batched, "depth by rows in panels of tile_rows",
                  grouped({blocks_of(row, {block}), blocks_of(row_depth, group), within(row, {block})},
                          row_depth))});
  const int column = dimension_of(column_operand, roles.columns);
  const int column_depth = dimension_of(column_operand, k);
  const std::vector<LoopId> vectors{t.columns[2], t.lane};
  s.layout(roles.column_operand, with_batch(batched, "depth by columns in panels of a register tile",
                                            grouped({blocks_of(column, vectors),
                                                     blocks_of(column_depth, group), within(column, vectors)},
                                                    column_depth)));
  const int output_row = dimension_of(s.op().output, roles.rows);
  const int output_column = dimension_of(s.op().output, roles.columns);
  s.layout(2, with_batch(
                  batched, "rows by columns, rows padded to whole vectors",
                  {whole(output_row), blocks_of(output_column, {t.lane}), within(output_column, {t.lane})}));
}

Result<ScheduledKernel> apply_kind(const char* name, const task::Task& task, const TargetDescription& target,
                                   const Intrinsic* dot) {
  const auto& multiplication = std::get<task::MatrixMultiplication>(task.definition);
  const bool batched = multiplication.batched;
  Schedule s(*task.op);
  const Roles roles = roles_of(s, multiplication, target.vector_lanes_f32());
  const Tiles tiles = split_tiles(s, roles, target.vector_lanes_f32(), dot);
  if (dot != nullptr) offer_multiply_adds(s, *dot, target);
  order_tiles(s, tiles, batched);
  pack(s, roles, tiles, batched);
  s.require_product_at_most("accumulators", {tiles.columns[2], tiles.rows[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  s.require_not_longer(tiles.rows[1], tiles.row_blocks[1], "a register tile is not higher than its block");
  return finish_template(name, version, task, target, std::move(s));
}

Status fits_sums(const task::Task& task, bool batched) {
  std::ignore = TRY(plain_multiplication(task, batched));
  return require_f32_sums(task);
}

Status require_multiplication(const task::Task& task) {
  if (std::holds_alternative<task::MatrixMultiplication>(task.definition)) return {};
  return fail(ErrorCode::InvalidArgument, "not a matrix multiplication");
}

}  // namespace

TemplateDeclaration matmul_packed_template() {
  return {plain_name,
          version,
          {TargetKind::Cpu},
          "matrix multiplication with register tiles and packed operands",
          "ours",
          [](const task::Task& task, const TargetDescription&) { return fits_sums(task, false); },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(plain_name, task, target, nullptr);
          }};
}

TemplateDeclaration batch_matmul_packed_template() {
  return {batched_name,
          version,
          {TargetKind::Cpu},
          "batched matrix multiplication with register tiles and packed operands",
          "ours",
          [](const task::Task& task, const TargetDescription&) { return fits_sums(task, true); },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(batched_name, task, target, nullptr);
          }};
}

TemplateDeclaration matmul_vnni_template() {
  return {bytes_name,
          version,
          {TargetKind::Cpu},
          "int8 matrix multiplication (u8 by i8 into i32), batched or not, with int8 dot products (vpdpbusd)",
          "ours",
          [](const task::Task& task, const TargetDescription&) -> Status {
            TRY(require_multiplication(task));
            return require_int8(task);
          },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(bytes_name, task, target, &intrinsic("vpdpbusd"));
          }};
}

TemplateDeclaration matmul_bf16_template() {
  return {bf16_name,
          version,
          {TargetKind::Cpu},
          "bf16 matrix multiplication into f32, batched or not, by products of pairs (vdpbf16ps or "
          "multiply-adds)",
          "ours",
          [](const task::Task& task, const TargetDescription&) -> Status {
            TRY(require_multiplication(task));
            return require_bf16(task);
          },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(bf16_name, task, target, &intrinsic("vdpbf16ps"));
          }};
}

}  // namespace kernelscape::schedule
