// TVM's kernels for bytes on x86, knobs and loops as they are there: the convolution over blocked channels
// (topi x86 conv2d_int8, conv2d_avx_common and conv2d_avx_1x1 for int8) and the multiplication (topi x86
// dense_vnni). Their innermost sixteen lanes of groups of four bytes are one vpdpbusd of 512 bits.
#include <fmt/format.h>

#include "core/schedule/template_support.h"

namespace kernelscape {
namespace {

constexpr const char* convolution_name = "conv2d-nchwc-int8";
constexpr const char* dense_name = "dense-vnni";
constexpr int version = 1;

constexpr std::int64_t most_positions = 64;
constexpr std::int64_t output_lanes = 16;

Status require_multiple(std::string_view what, std::int64_t value, std::int64_t of) {
  if (value % of == 0) return {};
  return fail(ErrorCode::InvalidArgument, fmt::format("{} {}, which is no multiple of {}", value, what, of));
}

Status fits_convolution(const Task& task, const TargetDescription& /*target*/) {
  const Convolution convolution = TRY(ungrouped_convolution_2d(task));
  TRY(require_int8(task));
  TRY(require_multiple("input channels", convolution.input_channels, bytes_per_dot));
  return require_multiple("output channels", convolution.output_channels, output_lanes);
}

Result<ScheduledKernel> apply_convolution(const Task& task, const TargetDescription& target) {
  const auto& convolution = std::get<Convolution>(task.definition);
  const bool pointwise = convolution.kernel == std::vector<std::int64_t>{1, 1};
  Schedule s(*task.op);
  const LoopId n = s.axis("n");
  const LoopId y = s.axis("y");
  const LoopId ry = s.axis("ry");
  const LoopId rx = s.axis("rx");
  const auto groups = split_dot_groups(s, s.axis("rc"));
  const auto vectors = s.split_by(s.axis("f"), output_lanes);
  const auto ic = s.split(groups[0], 2, "tile_ic");
  const auto oc = s.split(vectors[0], 2, "tile_oc");
  const auto ow = s.split(s.axis("x"), 2, "tile_ow", most_positions);
  const LoopId lane = vectors[1];
  const LoopId byte = groups[1];
  s.name({n, y, ry, rx, lane, byte}, {"image", "row", "kernel_row", "kernel_column", "lane", "byte"});
  s.name(ic, {"input_block", "input_group"});
  s.name(oc, {"output_block", "output_vector"});
  s.name(ow, {"column_block", "column"});

  if (pointwise) {
    const bool pairs = convolution.output_size()[0] > 1;
    const auto oh =
        s.tile(y, "tile_oh", pairs ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1});
    s.name(oh, {"row_block", "row_in_block"});
    s.reorder({n, oc[0], oh[0], ow[0], ic[0], ic[1], ry, rx, oh[1], ow[1], oc[1], lane, byte});
    s.parallel({n, oc[0], oh[0]});
    s.unroll(oh[1]);
  } else {
    const KnobId unroll_kw = s.categorical("unroll_kw", {KnobValue{true}, KnobValue{false}});
    const std::vector<std::vector<LoopId>> orders{{ic[1], rx}, {rx, ic[1]}};
    s.reorder({n, oc[0], y, ow[0], ic[0], ry, OrderItem(unroll_kw, orders), ow[1], oc[1], lane, byte});
    s.parallel({n, oc[0], y});
    s.unroll_if(rx, unroll_kw);
  }
  s.unroll(ow[1]);
  s.unroll(oc[1]);
  s.vectorize(lane);
  s.accumulate_in_registers(ow[0]);
  const std::vector<LoopId> inputs{ic[1], byte};
  const std::vector<LoopId> outputs{oc[1], lane};
  s.layout(0, {"NCHW[tile_ic]c", {{0, {}, {}}, {1, inputs, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, inputs}}});
  s.layout(1, {"OIHW[tile_ic/4]i[tile_oc]o4i",
               {{0, outputs, {}},
                {1, inputs, {}},
                {2, {}, {}},
                {3, {}, {}},
                {1, {byte}, {ic[1]}},
                {0, {}, outputs},
                {1, {}, {byte}}}});
  s.layout(2,
           {"NCHW[tile_oc]c", {{0, {}, {}}, {1, outputs, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, outputs}}});
  return finish_template(convolution_name, version, task, target, std::move(s));
}

Status fits_dense(const Task& task, const TargetDescription& /*target*/) {
  const MatrixMultiplication multiplication = TRY(plain_multiplication(task, false));
  TRY(require_int8(task));
  TRY(require_multiple("columns", multiplication.n, output_lanes));
  return require_multiple("steps of depth", multiplication.k, bytes_per_dot);
}

Result<ScheduledKernel> apply_dense(const Task& task, const TargetDescription& target) {
  Schedule s(*task.op);
  const auto groups = split_dot_groups(s, s.axis("k"));
  const auto columns = s.split_by(s.axis("x"), output_lanes);
  const auto rows = s.split(s.axis("y"), 2, "tile_y");
  s.name(rows, {"row_block", "row"});
  s.name(columns, {"column_block", "lane"});
  s.name(groups, {"group", "byte"});
  s.reorder({rows[0], columns[0], rows[1], groups[0], columns[1], groups[1]});
  s.parallel({rows[0], columns[0]});
  s.vectorize(columns[1]);
  s.accumulate_in_registers(rows[1]);
  const TensorAccess& data = s.op().inputs[0];
  s.layout(0, {"MK", {{dimension_of(data, s.axis("y")), {}, {}}, {dimension_of(data, s.axis("k")), {}, {}}}});
  const int column = dimension_of(s.op().inputs[1], s.axis("x"));
  const int depth = dimension_of(s.op().inputs[1], s.axis("k"));
  s.layout(1, {"NK16n4k",
               {{column, {columns[1]}, {}},
                {depth, {groups[1]}, {}},
                {column, {}, {columns[1]}},
                {depth, {}, {groups[1]}}}});
  return finish_template(dense_name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_nchwc_int8_template() {
  return {convolution_name,
          version,
          {TargetKind::Cpu},
          "convolution of u8 by i8 over blocked channels with exactly TVM's x86 knobs",
          "TVM, topi x86 conv2d_NCHWc_int8 (AutoTVM)",
          fits_convolution,
          apply_convolution};
}

TemplateDeclaration dense_vnni_template() {
  return {dense_name,
          version,
          {TargetKind::Cpu},
          "multiplication of u8 by i8 with exactly TVM's one knob",
          "TVM, topi x86 dense_vnni (AutoTVM)",
          fits_dense,
          apply_dense};
}

}  // namespace kernelscape
