// TVM's convolution on tensor cores (conv2d_nhwc_tensorcore): for each output position a multiplication of
// images x channels by channels x filters, summed over the kernel's positions.
#include "core/schedule/template_support.h"
#include "core/schedule/tensor_core_parts.h"

namespace kernelscape::schedule {
namespace {

using packed::whole;

constexpr const char* name = "conv2d-wmma";
constexpr int version = 1;

Status fits(const task::Task& task, const TargetDescription& target) {
  const task::Convolution c = TRY(ungrouped_convolution_2d(task));
  return fits_tensor_cores(task, target, c.batch, c.output_channels, c.input_channels);
}

/** Returns the values in TVM's order, which its logs refer to. */
std::vector<std::int64_t> fragment_rows_in_order(const task::Convolution& c) {
  if (divided_by_fragments(16, c.batch, c.output_channels)) return {16, 8, 32};
  if (divided_by_fragments(8, c.batch, c.output_channels)) return {8, 16, 32};
  return {32, 16, 8};
}

/** Returns a layout with the logical dimensions of a tensor in this order, outermost first. */
PackedLayout order_of(const char* layout_name, const std::vector<int>& dimensions) {
  PackedLayout layout{layout_name, {}};
  for (const int dimension : dimensions) layout.dimensions.push_back(whole(dimension));
  return layout;
}

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  Schedule s(*task.op);
  s.layout(0, order_of("NHWC", {0, 2, 3, 1}));
  s.layout(1, order_of("HWIO", {2, 3, 1, 0}));
  s.layout(2, order_of("NHWC", {0, 2, 3, 1}));
  const MatrixAxes axes{
      s.axis("n"), s.axis("f"), s.axis("rc"), {s.axis("y"), s.axis("x")}, {s.axis("ry"), s.axis("rx")}};
  const auto& convolution = std::get<task::Convolution>(task.definition);
  schedule_tensor_cores(s, axes, {fragment_rows_in_order(convolution), "vector_width", false});
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_tensor_core_template() {
  return {name,
          version,
          {TargetKind::Cuda},
          "f16 convolution on tensor cores, channels innermost",
          "TVM, topi cuda conv2d_nhwc_tensorcore",
          fits,
          apply};
}

}  // namespace kernelscape::schedule
