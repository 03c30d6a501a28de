// TVM's x86 convolution (topi x86 conv2d_avx_common and conv2d_avx_1x1): blocked channels, one output row per
// parallel step, a tile of positions by one channel block in registers.
#include "core/schedule/template_support.h"

namespace kernelscape {
namespace {

constexpr const char* name = "conv2d-nchwc";
constexpr int version = 1;

constexpr std::int64_t most_positions = 64;

Result<ScheduledKernel> apply(const Task& task, const TargetDescription& target) {
  const auto& convolution = std::get<Convolution>(task.definition);
  const bool pointwise = convolution.kernel == std::vector<std::int64_t>{1, 1};
  Schedule s(*task.op);
  const LoopId n = s.axis("n");
  const LoopId y = s.axis("y");
  const LoopId ry = s.axis("ry");
  const LoopId rx = s.axis("rx");
  const auto ic = s.split(s.axis("rc"), 2, "tile_ic");
  const auto oc = s.split(s.axis("f"), 2, "tile_oc");
  const auto ow = s.split(s.axis("x"), 2, "tile_ow", most_positions);
  s.name({n, y, ry, rx}, {"image", "row", "kernel_row", "kernel_column"});
  s.name(ic, {"input_block", "input_channel"});
  s.name(oc, {"output_block", "output_channel"});
  s.name(ow, {"column_block", "column"});

  if (pointwise) {
    const bool pairs = convolution.output_size()[0] > 1;
    const auto oh =
        s.tile(y, "tile_oh", pairs ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1});
    s.name(oh, {"row_block", "row_in_block"});
    s.reorder({n, oc[0], oh[0], ow[0], ic[0], ic[1], ry, rx, oh[1], ow[1], oc[1]});
    s.parallel({n, oc[0], oh[0]});
    s.unroll(oh[1]);
  } else {
    const KnobId unroll_kw = s.categorical("unroll_kw", {KnobValue{true}, KnobValue{false}});
    const std::vector<std::vector<LoopId>> orders{{ic[1], rx}, {rx, ic[1]}};
    s.reorder({n, oc[0], y, ow[0], ic[0], ry, OrderItem(unroll_kw, orders), ow[1], oc[1]});
    s.parallel({n, oc[0], y});
    s.unroll_if(rx, unroll_kw);
  }
  s.unroll(ow[1]);
  s.vectorize(oc[1]);
  s.accumulate_in_registers(ow[0]);
  s.layout(0,
           {"NCHW[tile_ic]c", {{0, {}, {}}, {1, {ic[1]}, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, {ic[1]}}}});
  s.layout(
      1,
      {"OIHW[tile_ic]i[tile_oc]o",
       {{0, {oc[1]}, {}}, {1, {ic[1]}, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, {ic[1]}}, {0, {}, {oc[1]}}}});
  s.layout(2,
           {"NCHW[tile_oc]c", {{0, {}, {}}, {1, {oc[1]}, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, {oc[1]}}}});
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_nchwc_template() {
  return {name,
          version,
          {TargetKind::Cpu},
          "convolution over blocked channels with exactly TVM's x86 knobs",
          "TVM, topi x86 conv2d NCHWc (AutoTVM)",
          fits_plain_convolution,
          apply};
}

}  // namespace kernelscape
