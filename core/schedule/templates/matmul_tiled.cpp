// Matrix multiplication, batched or not, whose only knobs are the factorizations of its axes: the spaces of
// OpEvo's templates, interpreted for a CPU. Tensors are stored as in the task.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

constexpr const char* plain_name = "matmul-tiled";
constexpr const char* batched_name = "batch-matmul-tiled";
constexpr int version = 1;

/**
 * Knobs in OpEvo's order (appendix B; its X are our rows, axis y): batch [parallel, serial], depth [outer,
 * block, inner], rows [parallel, block, tile, unrolled], columns [parallel, block, tile, lanes].
 */
struct Factors {
  std::vector<LoopId> matrices, depth, rows, columns;
};

Factors split_axes(Schedule& s, bool batched) {
  Factors f;
  if (batched) {
    f.matrices = s.split(s.axis("b"), 2, "tile_b");
    s.name(f.matrices, {"matrix_part", "matrix"});
  }
  f.depth = s.split(s.axis("k"), 3, "tile_k");
  f.rows = s.split(s.axis("y"), 4, "tile_y");
  f.columns = s.split(s.axis("x"), 4, "tile_x");
  s.name(f.depth, {"depth_outer", "depth_block", "depth"});
  s.name(f.rows, {"row_part", "row_block", "row_tile", "row"});
  s.name(f.columns, {"column_part", "column_block", "column_tile", "column"});
  return f;
}

Result<ScheduledKernel> apply_kind(const task::Task& task, const TargetDescription& target, bool batched) {
  Schedule s(*task.op);
  const Factors f = split_axes(s, batched);
  const std::vector<LoopId>& k = f.depth;
  const std::vector<LoopId>& y = f.rows;
  const std::vector<LoopId>& x = f.columns;
  std::vector<LoopId> dealt{y[0], x[0]};
  if (batched) dealt.insert(dealt.begin(), f.matrices[0]);
  std::vector<OrderItem> order(dealt.begin(), dealt.end());
  if (batched) order.emplace_back(f.matrices[1]);
  order.insert(order.end(), {k[0], y[1], x[1], k[1], y[2], x[2], k[2], y[3], x[3]});
  s.reorder(std::move(order));
  s.parallel(dealt);
  s.cache_write(loop_nest::BufferScope::Registers, x[2]);
  s.unroll(y[3]);
  s.vectorize(x[3]);
  // This is a limit, not a constraint: as in OpEvo's spaces every factorization is a member, and some fail.
  s.limit_product("accumulators", {y[3], x[3]}, accumulator_registers(target) * target.vector_lanes_f32(),
                  "elements of the register tile that the vector registers hold");
  return finish_template(batched ? batched_name : plain_name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration matmul_tiled_template() {
  return {plain_name,
          version,
          {TargetKind::Cpu},
          "matrix multiplication of tensors as stored, with factorizations as its only knobs",
          "OpEvo, appendix B.1, for a CPU",
          [](const task::Task& task, const TargetDescription&) { return fits_multiplication(task, false); },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(task, target, false);
          }};
}

TemplateDeclaration batch_matmul_tiled_template() {
  return {
      batched_name,
      version,
      {TargetKind::Cpu},
      "batched matrix multiplication of tensors as stored, with factorizations as its only knobs",
      "OpEvo, appendix B.2, for a CPU",
      [](const task::Task& task, const TargetDescription&) { return fits_multiplication(task, true); },
      [](const task::Task& task, const TargetDescription& target) { return apply_kind(task, target, true); }};
}

}  // namespace kernelscape::schedule
