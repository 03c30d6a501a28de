// TVM's direct convolution for GPUs (schedule_direct_cuda), the search space of NoSE.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

constexpr const char* name = "conv2d-direct";
constexpr int version = 1;

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  Schedule s(*task.op);
  const auto [f, y, x, outer] = tile_output(s);
  const auto rc = s.split(s.axis("rc"), 2, "tile_rc");
  const auto ry = s.split(s.axis("ry"), 2, "tile_ry");
  const auto rx = s.split(s.axis("rx"), 2, "tile_rx");
  const std::vector<std::int64_t> tvm_steps{0, 512, 1500};
  s.auto_unroll(task.unroll_steps.empty() ? tvm_steps : task.unroll_steps);
  s.reorder(order_within(outer, {rc[0], ry[0], rx[0], rc[1], ry[1], rx[1], f[3], y[3], x[3]}));
  s.cache_write(loop_nest::BufferScope::Registers, x[2]);
  s.cache_read(0, loop_nest::BufferScope::Shared, rx[0]);
  s.cache_read(1, loop_nest::BufferScope::Shared, rx[0]);
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_direct_template() {
  return {name,
          version,
          {TargetKind::Cuda, TargetKind::OpenCl},
          "direct convolution with shared tiles and virtual threads",
          "TVM, topi cuda conv2d_direct (NoSE, Table II)",
          fits_plain_convolution,
          apply};
}

}  // namespace kernelscape::schedule
