// TVM's matrix multiplications on tensor cores (dense_tensorcore, batch_matmul_tensorcore).
#include "core/schedule/template_support.h"
#include "core/schedule/tensor_core_parts.h"

namespace kernelscape::schedule {
namespace {

constexpr const char* plain_name = "matmul-wmma";
constexpr const char* batched_name = "batch-matmul-wmma";
constexpr int version = 1;

Status fits(const task::Task& task, const TargetDescription& target, bool batched) {
  const task::MatrixMultiplication m = TRY(plain_multiplication(task, batched));
  return fits_tensor_cores(task, target, m.m, m.n, m.k);
}

/** Returns the values in TVM's order, which its logs refer to: TVM offers the shape for tall tiles first. */
std::vector<std::int64_t> fragment_rows_in_order(const task::MatrixMultiplication& m) {
  if (divided_by_fragments(32, m.m, m.n)) return {32, 16, 8};
  if (divided_by_fragments(16, m.m, m.n)) return {16, 8, 32};
  return {8, 16, 32};
}

Result<ScheduledKernel> apply_kind(const task::Task& task, const TargetDescription& target, bool batched) {
  Schedule s(*task.op);
  MatrixAxes axes{s.axis("y"), s.axis("x"), s.axis("k"), {}, {}};
  if (batched) {
    axes.blocks.push_back(s.axis("b"));
    s.name(axes.blocks, {"batch"});  // in the source "b" is the operand
  }
  const auto& multiplication = std::get<task::MatrixMultiplication>(task.definition);
  schedule_tensor_cores(s, axes, {fragment_rows_in_order(multiplication), "vec", true});
  return finish_template(batched ? batched_name : plain_name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration matmul_tensor_core_template() {
  return {plain_name,
          version,
          {TargetKind::Cuda},
          "f16 matrix multiplication on tensor cores",
          "TVM, topi cuda dense_tensorcore",
          [](const task::Task& task, const TargetDescription& target) { return fits(task, target, false); },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(task, target, false);
          }};
}

TemplateDeclaration batch_matmul_tensor_core_template() {
  return {
      batched_name,
      version,
      {TargetKind::Cuda},
      "batched f16 matrix multiplication on tensor cores",
      "TVM, topi cuda batch_matmul_tensorcore",
      [](const task::Task& task, const TargetDescription& target) { return fits(task, target, true); },
      [](const task::Task& task, const TargetDescription& target) { return apply_kind(task, target, true); }};
}

}  // namespace kernelscape::schedule
