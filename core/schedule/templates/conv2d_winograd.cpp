// Convolution of 3x3 kernels by Winograd's algorithm: each block of output tiles is transformed in local
// memory, multiplied with transformed weights as one product of matrices per element of a tile, and
// transformed back.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/schedule/template_support.h"
#include "core/task/winograd.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::whole;
using packed::within;

constexpr int version = 1;

/** Returns the name of the template for output tiles of this many rows and columns. */
std::string name_of(int tile) { return fmt::format("conv2d-winograd-{0}x{0}", tile); }

Status fits(const task::Task& task, const TargetDescription& /*target*/) {
  const task::Convolution convolution = TRY(ungrouped_convolution_2d(task));
  const std::vector<std::int64_t> kernel{task::winograd_kernel, task::winograd_kernel};
  const std::vector<std::int64_t> ones{1, 1};
  if (convolution.kernel != kernel) return fail(ErrorCode::InvalidArgument, "not a kernel of 3x3");
  if (convolution.stride != ones) return fail(ErrorCode::InvalidArgument, "a stride above 1");
  if (convolution.dilation != ones) return fail(ErrorCode::InvalidArgument, "a dilated kernel");
  return require_f32(task);
}

/** Returns an index that is a sum of multiples of axes, by the numbers of the axes. */
task::AccessIndex index_of(const std::vector<std::pair<std::size_t, std::int64_t>>& factors,
                           std::int64_t offset = 0) {
  task::AccessIndex index{std::vector<std::int64_t>(7), offset};
  for (const auto& [axis, factor] : factors) index.coefficients[axis] = factor;
  return index;
}

/**
 * Returns the batched products between the transforms: for each element (ry, rx) of a transformed tile (y,
 * x), sums of data by weights over the channels. Data and output have the image's shapes: the products of a
 * tile read the part of the image that its transform reads, and write its outputs.
 */
task::TensorOperator products(const task::Task& task, int tile) {
  const auto& convolution = std::get<task::Convolution>(task.definition);
  const std::vector<std::int64_t> size = convolution.output_size();
  const std::int64_t element_rows = tile + task::winograd_kernel - 1;
  enum : std::size_t { N, F, Y, X, V, U, C };
  task::TensorOperator op = *task.op;
  op.axes = {{"n", convolution.batch, false},
             {"f", convolution.output_channels, false},
             {"y", (size[0] + tile - 1) / tile, false},
             {"x", (size[1] + tile - 1) / tile, false},
             {"ry", element_rows, false},
             {"rx", element_rows, false},
             {"rc", convolution.input_channels, true}};
  op.inputs[0].indices = {index_of({{N, 1}}), index_of({{C, 1}}),
                          index_of({{Y, tile}, {V, 1}}, -convolution.padding[0]),
                          index_of({{X, tile}, {U, 1}}, -convolution.padding[1])};
  op.inputs[1].shape = {convolution.output_channels, convolution.input_channels, element_rows, element_rows};
  op.inputs[1].indices = {index_of({{F, 1}}), index_of({{C, 1}}), index_of({{V, 1}}), index_of({{U, 1}})};
  op.output.indices = {index_of({{N, 1}}), index_of({{F, 1}}), index_of({{Y, tile}}), index_of({{X, tile}})};
  task::set_epilogue(op, op.epilogue, 1, 1);
  return op;
}

/** More copies of a tile's body take seconds to compile. */
std::vector<std::int64_t> unroll_factors(std::int64_t channels) {
  std::vector<std::int64_t> factors;
  for (const std::int64_t factor : {1, 2, 4})
    if (channels % factor == 0) factors.push_back(factor);
  return factors;
}

Result<ScheduledKernel> apply(const task::Task& task, const TargetDescription& target, int tile) {
  const std::int64_t lanes = target.vector_lanes_f32();
  Schedule s(products(task, tile));
  const LoopId image = s.axis("n");
  const LoopId element_row = s.axis("ry");
  const LoopId element_column = s.axis("rx");
  s.pad(s.axis("f"), lanes);
  s.pad(s.axis("rc"), lanes);
  const auto filters = s.split_by(s.axis("f"), lanes);
  const auto channels = s.split_by(s.axis("rc"), lanes);
  const auto output = s.split(filters[0], 4, "tile_oc", max_tile_vectors);
  const auto rows = s.split(s.axis("y"), 2, "tile_rows");
  const auto columns = s.split(s.axis("x"), 2, "tile_columns");
  s.name({image, element_row, element_column}, {"image", "element_row", "element_column"});
  s.name({filters[1], channels[0], channels[1]}, {"lane", "input_block", "input_channel"});
  s.name(output, {"output_part", "output_block", "output_group", "output_vector"});
  s.name(rows, {"row_block", "tile_row"});
  s.name(columns, {"column_block", "tile_column"});
  const std::int64_t tiles = s.loop(s.axis("y")).length.fixed * s.loop(s.axis("x")).length.fixed;
  const LoopId flat = s.fuse({rows[1], columns[1]}, "tiles");
  const auto positions = s.tile(flat, "register_positions", up_to(std::min(tiles, max_tile_positions)));
  s.name(positions, {"position_tile", "position"});

  const std::vector<LoopId> inner{output[2], positions[0]};
  const KnobId order = s.permutation("block_order", inner);
  s.reorder({image, output[0], rows[0], columns[0], output[1], element_row, element_column,
             OrderItem(order, inner), channels[0], channels[1], positions[1], output[3], filters[1]});
  s.parallel({image, output[0], rows[0], columns[0]});
  s.cache_read(s.tensor("data"), loop_nest::BufferScope::Local, columns[0], {.index = CopyIndex::Loops});
  s.cache_write(loop_nest::BufferScope::Registers, positions[0]);
  s.cache_write(loop_nest::BufferScope::Local, output[1]);
  s.transform_tiles(
      {tile, element_row, element_column, channels[0], channels[1], rows[1], columns[1], flat, filters[1]});
  s.unroll(positions[1]);
  s.unroll(output[3]);
  s.vectorize(filters[1]);
  s.unroll_hint(channels[1], s.ordinal("unroll_ic", unroll_factors(lanes)));

  const std::vector<LoopId> vectors{output[3], filters[1]};
  PackedLayout weights{
      "output blocks, elements of a tile, input channels, output channels of a register tile",
      {blocks_of(0, {output[2], output[3], filters[1]}), whole(2), whole(3),
       packed::groups_of(0, {output[2]}, vectors), whole(1), within(0, vectors)},
      tile};
  s.layout(s.tensor("weight"), std::move(weights));
  for (const auto& [tensor, lane] : {std::pair{"data", channels[1]}, std::pair{"output", filters[1]}})
    s.layout(s.tensor(tensor), {"channel blocks, rows, columns, channels of a block",
                                {whole(0), blocks_of(1, {lane}), whole(2), whole(3), within(1, {lane})}});
  s.require_product_at_most("accumulators", {output[3], positions[1]}, accumulator_registers(target),
                            "accumulators fit into the vector registers");
  s.require_not_longer(positions[1], flat, "a register tile is not longer than its block of tiles");
  return finish_template(name_of(tile), version, task, target, std::move(s));
}

TemplateDeclaration declare(int tile) {
  TemplateDeclaration declaration;
  declaration.name = name_of(tile);
  declaration.version = version;
  declaration.targets = {TargetKind::Cpu};
  declaration.summary = fmt::format(
      "3x3 convolution by Winograd's algorithm F({0}x{0}, 3x3), with rounding errors of its own", tile);
  declaration.source = "ours";
  declaration.exact = false;
  declaration.fits = fits;
  declaration.apply = [tile](const task::Task& task, const TargetDescription& target) {
    return apply(task, target, tile);
  };
  return declaration;
}

}  // namespace

TemplateDeclaration conv2d_winograd_2_template() { return declare(2); }
TemplateDeclaration conv2d_winograd_4_template() { return declare(4); }
TemplateDeclaration conv2d_winograd_6_template() { return declare(6); }

}  // namespace kernelscape::schedule
