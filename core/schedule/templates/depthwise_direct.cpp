// TVM's depthwise convolution for GPUs (depthwise_conv2d_nchw): no reduction over channels, so that a block's
// tiles are loaded once.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

constexpr const char* name = "depthwise-direct";
constexpr int version = 1;

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  Schedule s(*task.op);
  const auto [f, y, x, outer] = tile_output(s);
  s.auto_unroll({0, 256, 1500});
  s.reorder(order_within(outer, {s.axis("ry"), s.axis("rx"), f[3], y[3], x[3]}));
  s.cache_write(loop_nest::BufferScope::Registers, x[2]);
  for (const int input : {0, 1}) {
    s.cache_read(input, loop_nest::BufferScope::Shared, x[0]);
    s.cache_read(input, loop_nest::BufferScope::Registers, x[2]);
  }
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration depthwise_direct_template() {
  return {name,
          version,
          {TargetKind::Cuda, TargetKind::OpenCl},
          "depthwise convolution with shared and register tiles and virtual threads",
          "TVM, topi cuda depthwise_conv2d_nchw",
          fits_depthwise,
          apply};
}

}  // namespace kernelscape::schedule
