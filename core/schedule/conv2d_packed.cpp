// Our own convolution: a register tile of positions by vectors of output channels, packed weights read in order,
// blocks of input channels and rows whose nesting is open.
#include "core/schedule/template_support.h"

namespace kernelscape {
namespace {

Status fits(const Task& task, const TargetDescription&) {
  const Result<Convolution> convolution = plain_convolution_2d(task);
  if (!convolution) return std::unexpected(convolution.error());
  if (convolution->groups != 1) return fail(ErrorCode::InvalidArgument, "a grouped convolution");
  return require_f32(task);
}

bool is_pointwise(const Convolution& convolution) {
  const std::vector<std::int64_t> ones{1, 1};
  return convolution.kernel == ones && convolution.stride == ones &&
         convolution.padding == std::vector<std::int64_t>{0, 0};
}

/** A 1x1 convolution sees no rows: one long row makes tiles that do not end at an image's border. */
Result<TensorOperator> flattened(const Convolution& convolution) {
  Convolution flat = convolution;
  flat.input_size = {1, convolution.input_size[0] * convolution.input_size[1]};
  Result<Task> task = make_convolution_task(flat, {});
  if (!task) return std::unexpected(task.error());
  return *task->op;
}

/** More than four copies of a tile's body cost a compiler seconds and gain nothing measurable. */
std::vector<std::int64_t> unroll_factors(std::int64_t channels) {
  if (channels == 1) return {1};
  if (channels % 2 != 0 && channels % 3 != 0) return {1};
  return channels % 4 == 0 ? std::vector<std::int64_t>{1, 2, 4} : std::vector<std::int64_t>{1, largest_divisor(channels, 3)};
}

/** The loops that templates of this shape split. */
struct Loops {
  LoopId image, kernel_row, kernel_column, output_lane, input_channel;
  std::vector<LoopId> output;     ///< blocks, vectors of the tile
  std::vector<LoopId> input;      ///< blocks, vectors in a block
  std::vector<LoopId> rows;       ///< blocks, rows in a block (of positions, where flattened)
  std::vector<LoopId> positions;  ///< tiles, positions in a tile
};

Loops split_loops(Schedule& s, std::int64_t lanes, bool flat) {
  Loops loops;
  loops.image = s.axis("n");
  loops.kernel_row = s.axis("ry");
  loops.kernel_column = s.axis("rx");
  s.pad(s.axis("f"), lanes);
  const auto output = s.split_by(s.axis("f"), lanes);
  const std::int64_t channels = s.op().axes[static_cast<std::size_t>(s.axis("rc").number)].extent;
  const auto input = s.split_by(s.axis("rc"), largest_divisor(channels, lanes));
  loops.output_lane = output[1];
  loops.input_channel = input[1];
  loops.output = s.split(output[0], 2, "tile_oc", most_tile_vectors);
  loops.input = s.split(input[0], 2, "tile_ic");
  loops.rows = s.split(flat ? s.axis("x") : s.axis("y"), 2, flat ? "tile_positions" : "tile_oh");
  const LoopId row = flat ? loops.rows[1] : s.axis("x");
  const std::int64_t width = s.op().axes[static_cast<std::size_t>(s.axis("x").number)].extent;
  loops.positions = s.tile(row, "tile_ow", up_to(std::min(width, most_tile_positions)));
  s.name({loops.image, loops.kernel_row, loops.kernel_column, loops.output_lane, loops.input_channel},
         {"image", "kernel_row", "kernel_column", "lane", "input_channel"});
  s.name(loops.output, {"output_block", "output_vector"});
  s.name(loops.input, {"input_block", "input_vector"});
  s.name(loops.rows, flat ? std::vector<std::string>{"strip", "position_in_strip"}
                          : std::vector<std::string>{"row_block", "row"});
  s.name(loops.positions, {"tile", "position"});
  return loops;
}

void order_loops(Schedule& s, const Loops& l, bool flat, bool kernel) {
  const KnobId parallel_order = s.categorical("parallel_order", {KnobValue{std::string("channels")}, KnobValue{std::string("rows")}});
  const std::vector<std::vector<LoopId>> parallel{{l.image, l.output[0], l.rows[0]}, {l.image, l.rows[0], l.output[0]}};
  std::vector<LoopId> blocks{l.input[0]};
  if (!flat) blocks.push_back(l.rows[1]);
  blocks.push_back(l.positions[0]);
  const KnobId block_order = s.permutation("block_order", blocks);
  std::vector<OrderItem> order{OrderItem(parallel_order, parallel), OrderItem(block_order, blocks)};
  if (kernel) {
    const KnobId reduction = s.categorical("reduction_order", {KnobValue{std::string("kernel, channels")}, KnobValue{std::string("channels, kernel")}});
    order.emplace_back(reduction, std::vector<std::vector<LoopId>>{{l.kernel_row, l.kernel_column, l.input[1]},
                                                                   {l.input[1], l.kernel_row, l.kernel_column}});
  } else {
    for (const LoopId loop : {l.kernel_row, l.kernel_column, l.input[1]}) order.emplace_back(loop);
  }
  for (const LoopId loop : {l.input_channel, l.positions[1], l.output[1], l.output_lane}) order.emplace_back(loop);
  if (flat) order.emplace_back(s.axis("y"));  // one row
  s.reorder(std::move(order));
  s.parallel({l.image, l.output[0], l.rows[0]});
  s.accumulate_in_registers(l.positions[0]);
}

void pack(Schedule& s, const Loops& l) {
  s.layout(0, {"NCHW[c]c", {{0, {}, {}}, {1, {l.input_channel}, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, {l.input_channel}}}});
  const std::vector<LoopId> in{l.input[1], l.input_channel};
  const std::vector<LoopId> out{l.output[1], l.output_lane};
  s.layout(1, {"OIHW[tile_ic]i[tile_oc]o", {{0, out, {}}, {1, in, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, in}, {0, {}, out}}});
  s.layout(2, {"NCHW[c]c", {{0, {}, {}}, {1, {l.output_lane}, {}}, {2, {}, {}}, {3, {}, {}}, {1, {}, {l.output_lane}}}});
}

Result<ScheduledKernel> apply(const Task& task, const TargetDescription& target) {
  const auto& convolution = std::get<Convolution>(task.definition);
  const bool flat = is_pointwise(convolution);
  TensorOperator op = *task.op;
  if (flat) {
    Result<TensorOperator> one_row = flattened(convolution);
    if (!one_row) return std::unexpected(one_row.error());
    op = std::move(*one_row);
  }
  Schedule s(std::move(op));
  const Loops loops = split_loops(s, target.vector_lanes_f32(), flat);
  const bool kernel = convolution.kernel != std::vector<std::int64_t>{1, 1};
  order_loops(s, loops, flat, kernel);
  s.unroll(loops.positions[1]);
  s.unroll(loops.output[1]);
  s.vectorize(loops.output_lane);
  const std::int64_t channels = s.loop(loops.input_channel).length.fixed;
  s.unroll_hint(loops.input_channel, s.ordinal("unroll_ic", unroll_factors(channels)));
  if (convolution.kernel[1] > 1)
    s.unroll_if(loops.kernel_column, s.categorical("unroll_kw", {KnobValue{false}, KnobValue{true}}));
  pack(s, loops);
  s.require_product_at_most("accumulators", {loops.output[1], loops.positions[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  if (flat) s.require_not_longer(loops.positions[1], loops.rows[1], "a tile is not longer than its strip");
  return finish_template(conv2d_packed_template(), task, target, std::move(s));
}

}  // namespace

TemplateDeclaration conv2d_packed_template() {
  return {"conv2d-packed", 1, TargetKind::Cpu,
          "convolution with register tiles, packed weights, and open blocking and loop order", "ours", fits, apply};
}

}  // namespace kernelscape
