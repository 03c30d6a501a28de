// Convolution that keeps the rows it reads in a thread's local memory: activations stay unpacked, a copy with
// its padding is made once for all output channels, and no loop inside of it needs border conditions.
#include <algorithm>

#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr const char* name = "conv2d-rows";
constexpr int version = 1;

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target) {
  const std::int64_t lanes = target.vector_lanes_f32();
  const std::int64_t width = std::get<task::Convolution>(task.definition).output_size()[1];
  Schedule s(*task.op);
  const LoopId image = s.axis("n");
  const LoopId kernel_row = s.axis("ry");
  const LoopId kernel_column = s.axis("rx");
  s.pad(s.axis("f"), lanes);
  const auto filters = s.split_by(s.axis("f"), lanes);
  const auto output = s.split(filters[0], 3, "tile_oc", max_tile_vectors);
  const auto channels = s.split(s.axis("rc"), 2, "tile_ic");
  const auto rows = s.split(s.axis("y"), 2, "tile_oh");
  const auto columns = s.tile(s.axis("x"), "tile_ow", up_to(std::min(width, max_tile_positions)));
  const LoopId lane = filters[1];
  s.name({image, kernel_row, kernel_column, lane}, {"image", "kernel_row", "kernel_column", "lane"});
  s.name(output, {"output_part", "output_block", "output_vector"});
  s.name(channels, {"input_block", "input_channel"});
  s.name(rows, {"row_block", "row"});
  s.name(columns, {"tile", "position"});

  s.reorder({image, output[0], rows[0], channels[0], rows[1], columns[0], output[1], channels[1], kernel_row,
             kernel_column, columns[1], output[2], lane});
  s.parallel({image, output[0], rows[0]});
  s.cache_read(s.tensor("data"), loop_nest::BufferScope::Local,
               s.attach_by("copy_in", {channels[0], rows[1], columns[0]}));
  s.cache_write(loop_nest::BufferScope::Registers, output[1]);
  s.unroll(columns[1]);
  s.unroll(output[2]);
  s.vectorize(lane);
  s.unroll_if(kernel_column, s.categorical("unroll_kw", {space::KnobValue{false}, space::KnobValue{true}}));

  const std::vector<LoopId> tile{output[2], lane};
  s.layout(s.tensor("weight"), {"output blocks, input channels, kernel, output channels of a register tile",
                                {blocks_of(0, tile), whole(1), whole(2), whole(3), within(0, tile)}});
  s.layout(s.tensor("output"), {"channel blocks, rows, columns, channels of a block",
                                {whole(0), blocks_of(1, {lane}), whole(2), whole(3), within(1, {lane})}});
  s.require_product_at_most("accumulators", {output[2], columns[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  return finish_template(name, version, task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_rows_template() {
  return {name,
          version,
          {TargetKind::Cpu},
          "convolution of unpacked activations, whose rows are copied to local memory",
          "ours",
          fits_plain_convolution,
          apply};
}

}  // namespace kernelscape::schedule
