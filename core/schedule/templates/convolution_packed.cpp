// Our own convolution: a register tile of positions by vectors of output channels, packed weights read in
// order, blocks of input channels and rows with a variable nesting. In a grouped convolution each group is
// one such convolution. With dot products (of int8 and bf16), four or two input channels form a group whose
// products each lane adds up. f16, and bf16 in a grouped convolution, is converted to f32 when it is read.
#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/template_support.h"

namespace kernelscape::schedule {
namespace {

using packed::blocks_of;
using packed::groups_of;
using packed::whole;
using packed::within;

constexpr int version = 1;
constexpr const char* bytes_name = "conv2d-vnni";
constexpr const char* bf16_name = "conv2d-bf16";

std::vector<std::int64_t> all(std::size_t count, std::int64_t value) {
  return std::vector<std::int64_t>(count, value);
}

bool is_pointwise(const task::Convolution& c) {
  const std::size_t rank = c.kernel.size();
  return !c.transposed && c.kernel == all(rank, 1) && c.stride == all(rank, 1) && c.padding == all(rank, 0) &&
         c.padding_end.empty();
}

/**
 * Returns the same sums with two or three spatial dimensions. A 1x1 convolution does not depend on rows: one
 * long row makes tiles that do not end at an image's border. One dimension becomes a row of an image.
 * Row-major tensors stay unchanged.
 */
Result<task::TensorOperator> normalized(task::Convolution c, const task::OperandTypes& types) {
  if (is_pointwise(c)) {
    std::int64_t positions = 1;
    for (const std::int64_t size : c.input_size) positions *= size;
    c.input_size = {1, positions};
    c.kernel = c.stride = c.dilation = {1, 1};
    c.padding = {0, 0};
  } else if (c.kernel.size() == 1) {
    for (auto* dimension : {&c.input_size, &c.kernel, &c.stride, &c.dilation})
      dimension->insert(dimension->begin(), 1);
    c.padding.insert(c.padding.begin(), 0);
    if (!c.padding_end.empty()) c.padding_end.insert(c.padding_end.begin(), 0);
  }
  task::Task result = TRY(task::make_convolution_task(c, types));
  return *result.op;
}

/** Inserts the index of the group before a tensor's channels. */
void add_group_dimension(task::TensorAccess& tensor, std::size_t place, std::size_t group_axis,
                         std::int64_t groups) {
  for (task::AccessIndex& index : tensor.indices)
    index.coefficients.insert(index.coefficients.begin() + static_cast<std::ptrdiff_t>(group_axis), 0);
  task::AccessIndex of_group{std::vector<std::int64_t>(tensor.indices.front().coefficients.size(), 0)};
  of_group.coefficients[group_axis] = 1;
  tensor.shape.insert(tensor.shape.begin() + static_cast<std::ptrdiff_t>(place), groups);
  tensor.indices.insert(tensor.indices.begin() + static_cast<std::ptrdiff_t>(place), std::move(of_group));
}

/**
 * Returns the sums of one group, for all groups: the channels of a tensor become [groups, channels of a
 * group], which is the same row-major memory, so that no vector and no block extends into another group.
 */
Result<task::TensorOperator> grouped(task::Convolution c, const task::OperandTypes& types) {
  const std::int64_t groups = c.groups;
  c.input_channels /= groups;
  c.output_channels /= groups;
  c.groups = 1;
  task::TensorOperator op = TRY(normalized(std::move(c), types));
  constexpr std::size_t group_axis = 1;  // after the images
  op.axes.insert(op.axes.begin() + group_axis, task::TensorAxis{"g", groups, false});
  add_group_dimension(op.inputs[0], 1, group_axis, groups);
  add_group_dimension(op.inputs[1], 0, group_axis, groups);
  add_group_dimension(op.output, 1, group_axis, groups);
  return op;
}

/** More than four copies of a tile's body cost seconds of compilation and have no measurable benefit. */
std::vector<std::int64_t> unroll_factors(std::int64_t channels) {
  std::vector<std::int64_t> factors;
  for (const std::int64_t factor : {1, 2, 3, 4})
    if (channels % factor == 0) factors.push_back(factor);
  return factors;
}

/** The loops that the template splits. */
struct Loops {
  LoopId image, output_lane;
  LoopId input_channel;           ///< with dot products: groups of channels
  std::vector<LoopId> element;    ///< channels in a group; empty without dot products
  std::vector<LoopId> kernel;     ///< outermost dimension first
  std::vector<LoopId> output;     ///< blocks, vectors of the tile
  std::vector<LoopId> input;      ///< blocks, vectors in a block
  std::vector<LoopId> planes;     ///< the outermost of three dimensions
  std::vector<LoopId> rows;       ///< blocks, rows in a block (of positions, where flattened)
  std::vector<LoopId> positions;  ///< tiles, positions in a tile
};

class PackedConvolution {
 public:
  /** @param dot the operation that adds up the products of a group of input channels; null: none */
  PackedConvolution(task::TensorOperator op, const task::Convolution& convolution,
                    const TargetDescription& target, const Intrinsic* dot)
      : s_(std::move(op)),
        target_(target),
        dot_(dot),
        flat_(is_pointwise(convolution)),
        transposed_(convolution.transposed),
        grouped_(convolution.groups > 1) {}

  Schedule run() && {
    split();
    order();
    s_.unroll(l_.positions[1]);
    s_.unroll(l_.output[1]);
    s_.vectorize(l_.output_lane);
    open_unrolling();
    pack();
    s_.require_product_at_most("accumulators", {l_.output[1], l_.positions[1]},
                               accumulator_registers(target_), "accumulators fit into the vector registers");
    if (flat_) s_.require_not_longer(l_.positions[1], l_.rows[1], "a tile is not longer than its strip");
    return std::move(s_);
  }

 private:
  std::int64_t extent(std::string_view axis) const {
    return s_.op().axes[static_cast<std::size_t>(s_.axis(axis).number)].extent;
  }

  void split() {
    const std::int64_t lanes = target_.vector_lanes_f32();
    l_.image = s_.axis("n");
    s_.name({l_.image}, {"image"});
    if (grouped_) s_.name({s_.axis("g")}, {"group"});
    split_kernel();
    s_.pad(s_.axis("f"), lanes);
    const auto output = s_.split_by(s_.axis("f"), lanes);
    LoopId channels = s_.axis("rc");
    if (dot_ != nullptr) {
      const auto groups = split_dot_groups(s_, channels, *dot_);
      channels = groups[0];
      l_.element = {groups[1]};
      offer_multiply_adds(s_, *dot_, target_);
    }
    const auto input = s_.split_by(channels, largest_divisor(s_.loop(channels).length.fixed, lanes));
    l_.output_lane = output[1];
    l_.input_channel = input[1];
    l_.output = s_.split(output[0], 2, "tile_oc", max_tile_vectors);
    l_.input = s_.split(input[0], 2, "tile_ic");
    l_.rows = s_.split(s_.axis(flat_ ? "x" : "y"), 2, flat_ ? "tile_positions" : "tile_oh");
    const LoopId row = flat_ ? l_.rows[1] : s_.axis("x");
    l_.positions = s_.tile(row, "tile_ow", up_to(std::min(extent("x"), max_tile_positions)));
    s_.name({l_.output_lane, l_.input_channel}, {"lane", "input_channel"});
    s_.name(l_.output, {"output_block", "output_vector"});
    s_.name(l_.input, {"input_block", "input_vector"});
    s_.name(l_.rows, {flat_ ? "strip" : "row_block", flat_ ? "position_in_strip" : "row"});
    s_.name(l_.positions, {"tile", "position"});
  }

  void split_kernel() {
    if (s_.has_axis("z")) {
      l_.planes = {s_.axis("z")};
      l_.kernel = {s_.axis("rz")};
      s_.name({l_.planes[0], l_.kernel[0]}, {"plane", "kernel_plane"});
    }
    l_.kernel.insert(l_.kernel.end(), {s_.axis("ry"), s_.axis("rx")});
    s_.name({s_.axis("ry"), s_.axis("rx")}, {"kernel_row", "kernel_column"});
  }

  void order() {
    const KnobId parallel_order = s_.categorical(
        "parallel_order", {space::KnobValue{std::string("channels")}, space::KnobValue{std::string("rows")}});
    std::vector<LoopId> dealt{l_.image};
    if (grouped_) dealt.push_back(s_.axis("g"));
    dealt.insert(dealt.end(), l_.planes.begin(), l_.planes.end());
    std::vector<std::vector<LoopId>> parallel{dealt, dealt};
    parallel[0].insert(parallel[0].end(), {l_.output[0], l_.rows[0]});
    parallel[1].insert(parallel[1].end(), {l_.rows[0], l_.output[0]});
    std::vector<LoopId> blocks{l_.input[0]};
    if (!flat_) blocks.push_back(l_.rows[1]);
    blocks.push_back(l_.positions[0]);
    const KnobId block_order = s_.permutation("block_order", blocks);
    std::vector<OrderItem> order{OrderItem(parallel_order, parallel), OrderItem(block_order, blocks)};
    order_reductions(order);
    for (const LoopId loop : {l_.input_channel, l_.positions[1], l_.output[1], l_.output_lane})
      order.emplace_back(loop);
    if (flat_) order.emplace_back(s_.axis("y"));  // an axis of one row
    order.insert(order.end(), l_.element.begin(), l_.element.end());
    s_.reorder(std::move(order));
    s_.parallel(parallel[0]);
    s_.cache_write(loop_nest::BufferScope::Registers, l_.positions[0]);
  }

  /**
   * Orders the reductions: weights of one tap and all channels of a block first, or all taps of a vector of
   * channels.
   */
  void order_reductions(std::vector<OrderItem>& order) {
    std::vector<LoopId> taps_first = l_.kernel;
    taps_first.push_back(l_.input[1]);
    std::vector<LoopId> channels_first = l_.kernel;
    channels_first.insert(channels_first.begin(), l_.input[1]);
    const bool pointwise =
        std::ranges::all_of(l_.kernel, [&](LoopId loop) { return s_.loop(loop).length.fixed == 1; });
    if (pointwise) {
      for (const LoopId loop : taps_first) order.emplace_back(loop);
      return;
    }
    const KnobId choice =
        s_.categorical("reduction_order", {space::KnobValue{std::string("kernel, channels")},
                                           space::KnobValue{std::string("channels, kernel")}});
    order.emplace_back(choice, std::vector<std::vector<LoopId>>{taps_first, channels_first});
  }

  void open_unrolling() {
    const std::int64_t channels = s_.loop(l_.input_channel).length.fixed;
    s_.unroll_hint(l_.input_channel, s_.ordinal("unroll_ic", unroll_factors(channels)));
    const LoopId column = l_.kernel.back();
    // Whether a tap of a transposed convolution reads an element depends on divisibility, which is decided
    // per copy.
    if (transposed_)
      s_.unroll(column);
    else if (s_.loop(column).length.fixed > 1)
      s_.unroll_if(column, s_.categorical("unroll_kw", {space::KnobValue{false}, space::KnobValue{true}}));
  }

  void pack() {
    const auto with_element = [&](std::vector<LoopId> loops) {
      loops.insert(loops.end(), l_.element.begin(), l_.element.end());
      return loops;
    };
    const std::vector<LoopId> in = with_element({l_.input[1], l_.input_channel});
    const std::vector<LoopId> out{l_.output[1], l_.output_lane};
    const task::TensorAccess& weight = s_.op().inputs[1];
    const int f = dimension_of(weight, s_.axis("f"));
    const int rc = dimension_of(weight, s_.axis("rc"));
    PackedLayout weights{"output blocks, input blocks, kernel, input channels, output channels", {}};
    if (grouped_) {
      weights.name = "groups, " + weights.name;
      weights.dimensions.push_back(whole(0));
    }
    weights.dimensions.push_back(blocks_of(f, out));
    weights.dimensions.push_back(blocks_of(rc, in));
    for (std::size_t d = 0; d < l_.kernel.size(); ++d)
      weights.dimensions.push_back(whole(first_position() + static_cast<int>(d)));
    weights.dimensions.push_back(groups_of(rc, {l_.input[1], l_.input_channel}, l_.element));
    weights.dimensions.push_back(within(f, out));
    if (dot_ != nullptr) {
      weights.name += ", input channels of a group";
      weights.dimensions.push_back(within(rc, l_.element));
    }
    s_.layout(0, blocked_channels(with_element({l_.input_channel})));
    s_.layout(1, std::move(weights));
    s_.layout(2, blocked_channels({l_.output_lane}));
  }

  PackedLayout blocked_channels(const std::vector<LoopId>& block) const {
    PackedLayout layout{"channel blocks, rows, columns, channels of a block", {whole(0)}};
    if (grouped_) {
      layout.name = "groups, " + layout.name;
      layout.dimensions.push_back(whole(1));
    }
    const int channels = first_position() - 1;
    layout.dimensions.push_back(blocks_of(channels, block));
    for (std::size_t d = 0; d < l_.kernel.size(); ++d)
      layout.dimensions.push_back(whole(first_position() + static_cast<int>(d)));
    layout.dimensions.push_back(within(channels, block));
    return layout;
  }

  /** Returns the first spatial dimension, which is the same for all tensors. */
  int first_position() const { return grouped_ ? 3 : 2; }

  Schedule s_;
  const TargetDescription& target_;
  const Intrinsic* dot_;
  bool flat_;
  bool transposed_;
  bool grouped_;
  Loops l_;
};

Status fits(const task::Task& task, std::size_t rank, bool transposed) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (convolution == nullptr) return fail(ErrorCode::InvalidArgument, "not a convolution");
  if (convolution->transposed != transposed)
    return fail(ErrorCode::InvalidArgument,
                transposed ? "not a transposed convolution" : "a transposed convolution");
  if (!transposed && convolution->kernel.size() != rank)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a convolution in {} dimensions, not {}", convolution->kernel.size(), rank));
  if (convolution->groups != 1) return fail(ErrorCode::InvalidArgument, "a grouped convolution");
  return require_f32_sums(task);
}

/**
 * Depthwise convolutions with one filter per channel have a separate template, with channels in the lanes.
 */
Status fits_groups(const task::Task& task) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (convolution == nullptr) return fail(ErrorCode::InvalidArgument, "not a convolution");
  if (convolution->groups == 1) return fail(ErrorCode::InvalidArgument, "not a grouped convolution");
  const bool channel_by_channel =
      convolution->depthwise() && convolution->output_channels == convolution->groups;
  if (channel_by_channel && !convolution->transposed && convolution->kernel.size() == 2)
    return fail(ErrorCode::InvalidArgument, "a depthwise convolution with one filter per channel");
  return require_f32_sums(task);
}

Status require_ungrouped(const task::Task& task) {
  const auto* convolution = std::get_if<task::Convolution>(&task.definition);
  if (convolution == nullptr) return fail(ErrorCode::InvalidArgument, "not a convolution");
  if (convolution->groups != 1) return fail(ErrorCode::InvalidArgument, "a grouped convolution");
  return {};
}

TemplateDeclaration declare(std::string name, std::string summary, std::size_t rank, bool transposed,
                            const Intrinsic* dot = nullptr) {
  TemplateDeclaration declaration;
  declaration.name = std::move(name);
  declaration.version = version;
  declaration.targets = {TargetKind::Cpu};
  declaration.summary = std::move(summary);
  declaration.source = "ours";
  declaration.fits = [=](const task::Task& task, const TargetDescription&) {
    return fits(task, rank, transposed);
  };
  declaration.apply = [=, name = declaration.name](
                          const task::Task& task,
                          const TargetDescription& target) -> Result<ScheduledKernel> {
    const auto& convolution = std::get<task::Convolution>(task.definition);
    const task::OperandTypes types = task::operand_types(*task.op);
    task::TensorOperator op =
        TRY(convolution.groups > 1 ? grouped(convolution, types) : normalized(convolution, types));
    // The channels of a grouped output are two dimensions: groups, and channels of a group.
    task::set_epilogue(op, task.op->epilogue, 1, convolution.groups > 1 ? 2 : 1);
    return finish_template(name, version, task, target,
                           PackedConvolution(std::move(op), convolution, target, dot).run());
  };
  return declaration;
}

}  // namespace

TemplateDeclaration conv2d_packed_template() {
  return declare("conv2d-packed",
                 "convolution with register tiles, packed weights, and open blocking and loop order", 2,
                 false);
}
TemplateDeclaration conv1d_packed_template() {
  return declare("conv1d-packed", "convolution over one dimension, scheduled as conv2d-packed", 1, false);
}
TemplateDeclaration conv3d_packed_template() {
  return declare("conv3d-packed", "convolution over three dimensions, scheduled as conv2d-packed", 3, false);
}
TemplateDeclaration transposed_packed_template() {
  return declare("transposed-packed", "transposed convolution, scheduled as conv2d-packed", 0, true);
}
TemplateDeclaration conv2d_vnni_template() {
  TemplateDeclaration declaration =
      declare(bytes_name,
              "int8 convolution (u8 by i8 into i32) in 1 to 3 dimensions, dilated or transposed, scheduled "
              "as conv2d-packed, with int8 dot products (vpdpbusd)",
              0, false, &intrinsic("vpdpbusd"));
  declaration.fits = [](const task::Task& task, const TargetDescription&) -> Status {
    TRY(require_ungrouped(task));
    return require_int8(task);
  };
  return declaration;
}
TemplateDeclaration conv2d_bf16_template() {
  TemplateDeclaration declaration =
      declare(bf16_name,
              "bf16 convolution into f32 in 1 to 3 dimensions, dilated or transposed, scheduled as "
              "conv2d-packed, by products of pairs (vdpbf16ps or multiply-adds)",
              0, false, &intrinsic("vdpbf16ps"));
  declaration.fits = [](const task::Task& task, const TargetDescription&) -> Status {
    TRY(require_ungrouped(task));
    return require_bf16(task);
  };
  return declaration;
}
TemplateDeclaration grouped_packed_template() {
  TemplateDeclaration declaration =
      declare("grouped-packed", "convolution in groups, each scheduled as conv2d-packed", 0, false);
  declaration.fits = [](const task::Task& task, const TargetDescription&) { return fits_groups(task); };
  return declaration;
}

}  // namespace kernelscape::schedule
