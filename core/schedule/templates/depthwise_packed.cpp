// Depthwise convolution: channels in the lanes, a register tile of positions by vectors of channels.
#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr const char* name = "depthwise-packed";
constexpr int version = 1;

KnobId unroll_knob(Schedule& s, const std::string& knob) {
  return s.categorical(knob, {space::KnobValue{false}, space::KnobValue{true}});
}

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  const std::int64_t lanes = target.vector_lanes_f32();
  const std::int64_t width = std::get<task::Convolution>(task.definition).output_size()[1];
  Schedule s(*task.op);
  const LoopId n = s.axis("n");
  const LoopId ry = s.axis("ry");
  const LoopId rx = s.axis("rx");
  s.pad(s.axis("f"), lanes);
  const auto channel = s.split_by(s.axis("f"), lanes);
  const auto block = s.split(channel[0], 2, "tile_c", 4);
  const auto oh = s.split(s.axis("y"), 2, "tile_oh");
  const auto ow = s.tile(s.axis("x"), "tile_ow", up_to(std::min(width, max_tile_positions)));
  s.name({n, ry, rx, channel[1]}, {"image", "kernel_row", "kernel_column", "lane"});
  s.name(block, {"channel_block", "channel_vector"});
  s.name(oh, {"row_block", "row"});
  s.name(ow, {"tile", "position"});
  const KnobId parallel_order = s.categorical(
      "parallel_order", {space::KnobValue{std::string("channels")}, space::KnobValue{std::string("rows")}});
  const KnobId block_order = s.permutation("block_order", {oh[1], ow[0]});
  const std::vector<std::vector<LoopId>> parallel{{n, block[0], oh[0]}, {n, oh[0], block[0]}};
  s.reorder({OrderItem(parallel_order, parallel), OrderItem(block_order, {oh[1], ow[0]}), ry, rx, ow[1],
             block[1], channel[1]});
  s.parallel({n, block[0], oh[0]});
  s.cache_write(loop_nest::BufferScope::Registers, ow[0]);
  s.unroll(ow[1]);
  s.unroll(block[1]);
  s.vectorize(channel[1]);
  s.unroll_if(ry, unroll_knob(s, "unroll_kh"));
  s.unroll_if(rx, unroll_knob(s, "unroll_kw"));
  const PackedLayout activations{
      "NCHW[c]c", {whole(0), blocks_of(1, {channel[1]}), whole(2), whole(3), within(1, {channel[1]})}};
  s.layout(0, activations);
  s.layout(1, {"OIHW[c]o", {blocks_of(0, {channel[1]}), whole(2), whole(3), within(0, {channel[1]})}});
  s.layout(2, activations);
  s.require_product_at_most("accumulators", {block[1], ow[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration depthwise_packed_template() {
  return {name,
          version,
          {TargetKind::Cpu},
          "depthwise convolution with channels in vector lanes",
          "ours",
          [](const task::Task& task, const TargetDescription&) -> Status {
            TRY(require_depthwise(task));
            return require_f32_sums(task);
          },
          apply};
}

}  // namespace kernelscape::schedule
