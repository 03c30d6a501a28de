// TVM's x86 convolution (topi x86 conv2d_avx_common and conv2d_avx_1x1, and conv2d_int8 with the same knobs):
// blocked channels, one output row per parallel step, a tile of positions by one channel block in registers.
// For int8, one operation computes sixteen lanes of four input channels: one vpdpbusd of 512 bits.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::groups_of;
using packed::whole;
using packed::within;

constexpr const char* name = "conv2d-nchwc";
constexpr const char* bytes_name = "conv2d-nchwc-int8";
constexpr int version = 1;

constexpr std::int64_t max_positions = 64;

/** Channels in blocks; for int8 the channels of one operation are split off first. */
struct Channels {
  std::vector<LoopId> input, output;
  std::vector<LoopId> lane;  ///< int8: output channels of an operation
  std::vector<LoopId> byte;  ///< int8: input channels of an operation
};

Channels split_channels(Schedule& s, bool bytes) {
  Channels c;
  LoopId input = s.axis("rc");
  LoopId output = s.axis("f");
  if (bytes) {
    const auto groups = split_dot_groups(s, input, intrinsic("vpdpbusd"));
    const auto vectors = s.split_by(output, lanes_of_tvm_dot);
    input = groups[0];
    output = vectors[0];
    c.byte = {groups[1]};
    c.lane = {vectors[1]};
    s.name({vectors[1]}, {"lane"});
  }
  c.input = s.split(input, 2, "tile_ic");
  c.output = s.split(output, 2, "tile_oc");
  s.name(c.input, {"input_block", bytes ? "input_group" : "input_channel"});
  s.name(c.output, {"output_block", bytes ? "output_vector" : "output_channel"});
  return c;
}

std::vector<LoopId> joined(std::vector<LoopId> first, const std::vector<LoopId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void pack(Schedule& s, const Channels& c) {
  const std::vector<LoopId> in = joined({c.input[1]}, c.byte);
  const std::vector<LoopId> out = joined({c.output[1]}, c.lane);
  const bool bytes = !c.byte.empty();
  s.layout(0, {"NCHW[tile_ic]c", {whole(0), blocks_of(1, in), whole(2), whole(3), within(1, in)}});
  PackedLayout weights{bytes ? "OIHW[tile_ic/4]i[tile_oc]o4i" : "OIHW[tile_ic]i[tile_oc]o",
                       {blocks_of(0, out), blocks_of(1, in), whole(2), whole(3),
                        groups_of(1, {c.input[1]}, c.byte), within(0, out)}};
  if (bytes) weights.dimensions.push_back({1, {}, c.byte});
  s.layout(1, std::move(weights));
  s.layout(2, {"NCHW[tile_oc]c", {whole(0), blocks_of(1, out), whole(2), whole(3), within(1, out)}});
}

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target, bool bytes) {
  const auto& convolution = std::get<task::Convolution>(task.definition);
  const bool pointwise = convolution.kernel == std::vector<std::int64_t>{1, 1};
  Schedule s(*task.op);
  const LoopId n = s.axis("n");
  const LoopId y = s.axis("y");
  const LoopId ry = s.axis("ry");
  const LoopId rx = s.axis("rx");
  const Channels c = split_channels(s, bytes);
  const auto ow = s.split(s.axis("x"), 2, "tile_ow", max_positions);
  s.name({n, y, ry, rx}, {"image", "row", "kernel_row", "kernel_column"});
  s.name(ow, {"column_block", "column"});

  std::vector<OrderItem> order;
  if (pointwise) {
    const bool pairs = convolution.output_size()[0] > 1;
    const auto oh =
        s.tile(y, "tile_oh", pairs ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1});
    s.name(oh, {"row_block", "row_in_block"});
    order = {n, c.output[0], oh[0], ow[0], c.input[0], c.input[1], ry, rx, oh[1], ow[1], c.output[1]};
    s.parallel({n, c.output[0], oh[0]});
    s.unroll(oh[1]);
  } else {
    const KnobId unroll_kw = s.categorical("unroll_kw", {space::KnobValue{true}, space::KnobValue{false}});
    const std::vector<std::vector<LoopId>> orders{{c.input[1], rx}, {rx, c.input[1]}};
    order = {n, c.output[0], y, ow[0], c.input[0], ry, OrderItem(unroll_kw, orders), ow[1], c.output[1]};
    s.parallel({n, c.output[0], y});
    s.unroll_if(rx, unroll_kw);
  }
  for (const LoopId loop : joined(c.lane, c.byte)) order.emplace_back(loop);
  s.reorder(std::move(order));
  s.unroll(ow[1]);
  if (bytes) s.unroll(c.output[1]);
  s.vectorize(bytes ? c.lane[0] : c.output[1]);
  s.cache_write(loop_nest::BufferScope::Registers, ow[0]);
  pack(s, c);
  return finish_template(bytes ? bytes_name : name, version, task, target, std::move(s));
}

Status fits_bytes(const task::Task& task, const TargetDescription& /*target*/) {
  const task::Convolution convolution = TRY(ungrouped_convolution_2d(task));
  TRY(require_int8(task));
  TRY(require_multiple("input channels", convolution.input_channels, intrinsic("vpdpbusd").group));
  return require_multiple("output channels", convolution.output_channels, lanes_of_tvm_dot);
}

}  // namespace

TemplateDeclaration conv2d_nchwc_template() {
  return {name,
          version,
          {TargetKind::Cpu},
          "convolution over blocked channels with exactly TVM's x86 knobs",
          "TVM, topi x86 conv2d NCHWc (AutoTVM)",
          fits_plain_convolution,
          [](const task::Task& task, const TargetDescription& target) { return apply(task, target, false); }};
}

TemplateDeclaration conv2d_nchwc_int8_template() {
  return {bytes_name,
          version,
          {TargetKind::Cpu},
          "int8 convolution (u8 by i8) over blocked channels with exactly TVM's x86 knobs",
          "TVM, topi x86 conv2d_NCHWc_int8 (AutoTVM)",
          fits_bytes,
          [](const task::Task& task, const TargetDescription& target) { return apply(task, target, true); }};
}

}  // namespace kernelscape::schedule
