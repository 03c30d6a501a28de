// TVM's int8 matrix multiplication on x86 (topi x86 dense_vnni), with TVM's knob and loops: sixteen lanes of
// groups of four elements are one vpdpbusd of 512 bits.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr const char* name = "dense-vnni";
constexpr int version = 1;

Status fits(const task::Task& task, const TargetDescription& /*target*/) {
  const task::MatrixMultiplication multiplication = TRY(plain_multiplication(task, false));
  TRY(require_int8(task));
  TRY(require_multiple("columns", multiplication.n, lanes_of_tvm_dot));
  return require_multiple("steps of depth", multiplication.k, intrinsic("vpdpbusd").group);
}

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  Schedule s(*task.op);
  const auto group = split_dot_groups(s, s.axis("k"), intrinsic("vpdpbusd"));
  const auto columns = s.split_by(s.axis("x"), lanes_of_tvm_dot);
  const auto rows = s.split(s.axis("y"), 2, "tile_y");
  s.name(rows, {"row_block", "row"});
  s.name(columns, {"column_block", "lane"});
  s.name({group[0]}, {"group"});
  s.reorder({rows[0], columns[0], rows[1], group[0], columns[1], group[1]});
  s.parallel({rows[0], columns[0]});
  s.vectorize(columns[1]);
  s.cache_write(loop_nest::BufferScope::Registers, rows[1]);
  const task::TensorAccess& data = s.op().inputs[0];
  s.layout(0, {"MK", {whole(dimension_of(data, s.axis("y"))), whole(dimension_of(data, s.axis("k")))}});
  const int column = dimension_of(s.op().inputs[1], s.axis("x"));
  const int depth = dimension_of(s.op().inputs[1], s.axis("k"));
  s.layout(1, {"NK16n4k",
               {blocks_of(column, {columns[1]}), blocks_of(depth, {group[1]}), within(column, {columns[1]}),
                within(depth, {group[1]})}});
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration dense_vnni_template() {
  return {name,
          version,
          {TargetKind::Cpu},
          "int8 matrix multiplication (u8 by i8) with exactly TVM's one knob",
          "TVM, topi x86 dense_vnni (AutoTVM)",
          fits,
          apply};
}

}  // namespace kernelscape::schedule
