// OpEvo's matrix multiplications for GPUs: shared tiles along the depth, register tiles, virtual threads.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

constexpr const char* plain_name = "matmul";
constexpr const char* batched_name = "batch-matmul";
constexpr int version = 1;

Result<ScheduledKernel> apply_kind(const task::Task& task, const TargetDescription& target, bool batched) {
  Schedule s(*task.op);
  std::vector<LoopId> b;
  if (batched) {
    b = s.split(s.axis("b"), 2, "tile_b");
    s.bind(b[0], Binding::BlockZ);
    s.bind(b[1], Binding::ThreadZ);
  }
  const auto k = s.split(s.axis("k"), 3, "tile_k");
  const auto y = s.split(s.axis("y"), 4, "tile_y");
  const auto x = s.split(s.axis("x"), 4, "tile_x");
  s.bind(y[0], Binding::BlockY);
  s.bind(x[0], Binding::BlockX);
  s.bind(y[1], Binding::VirtualThread);
  s.bind(x[1], Binding::VirtualThread);
  s.bind(y[2], Binding::ThreadY);
  s.bind(x[2], Binding::ThreadX);
  std::vector<OrderItem> order;
  if (batched) order.insert(order.end(), {b[0], b[1]});
  order.insert(order.end(), {y[0], x[0], y[1], x[1], y[2], x[2], k[0], k[1], k[2], y[3], x[3]});
  s.reorder(std::move(order));
  s.cache_write(loop_nest::BufferScope::Registers, x[2]);
  CopyOptions double_buffered;
  double_buffered.copies = 2;
  double_buffered.lanes = 4;
  for (const int input : {0, 1}) {
    s.cache_read(input, loop_nest::BufferScope::Shared, k[0], double_buffered);
    s.cache_read(input, loop_nest::BufferScope::Registers, k[1]);
  }
  s.unroll(k[1]);
  return finish_template(batched ? batched_name : plain_name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration matmul_template() {
  return {plain_name,
          version,
          {TargetKind::Cuda, TargetKind::OpenCl},
          "matrix multiplication with double-buffered shared tiles",
          "OpEvo, appendix B.1",
          [](const task::Task& task, const TargetDescription&) { return fits_multiplication(task, false); },
          [](const task::Task& task, const TargetDescription& target) {
            return apply_kind(task, target, false);
          }};
}

TemplateDeclaration batch_matmul_template() {
  return {
      batched_name,
      version,
      {TargetKind::Cuda, TargetKind::OpenCl},
      "batched matrix multiplication with double-buffered shared tiles",
      "OpEvo, appendix B.2",
      [](const task::Task& task, const TargetDescription&) { return fits_multiplication(task, true); },
      [](const task::Task& task, const TargetDescription& target) { return apply_kind(task, target, true); }};
}

}  // namespace kernelscape::schedule
