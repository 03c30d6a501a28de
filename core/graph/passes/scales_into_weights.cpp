#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/layers.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

/** A layer and the scales and shifts that follow it. */
struct ScaledLayer {
  std::size_t node = absent;
  std::size_t axis = 0;                     ///< of the output's channels
  std::vector<std::size_t> followers;       ///< BatchNormalization, Mul, ..., in their order
  ChannelScale scale;                       ///< all of them together
  std::optional<std::vector<double>> bias;  ///< of the layer, by channel; nullopt if it has none
};

bool is_everywhere(const std::vector<double>& numbers, double number) {
  return std::ranges::all_of(numbers, [&](double x) { return x == number; });
}

/** Adds the readers that scale or shift by channel. */
Status collect_followers(const Rewriter& rewriter, ScaledLayer& layer) {
  std::size_t value = rewriter.node(layer.node).outputs[0];
  const auto channels = static_cast<std::size_t>(rewriter.value(value).shape[layer.axis]);
  layer.scale = {std::vector<double>(channels, 1), std::vector<double>(channels, 0)};
  while (rewriter.has_one_reader(value)) {
    const std::size_t reader = rewriter.readers(value).front();
    const auto next = TRY(match_channel_scale(rewriter, rewriter.node(reader), value, layer.axis));
    if (!next) break;
    for (std::size_t i = 0; i < channels; ++i) {
      layer.scale.factors[i] *= next->factors[i];
      layer.scale.shifts[i] = layer.scale.shifts[i] * next->factors[i] + next->shifts[i];
    }
    layer.followers.push_back(reader);
    value = rewriter.node(reader).outputs[0];
  }
  return {};
}

/** Applies alpha and beta of a Gemm, which scale its product and its bias. */
void apply_gemm_factors(const Node& node, ScaledLayer& layer) {
  const double alpha = number_attribute(node, "alpha", 1);
  const double beta = number_attribute(node, "beta", 1);
  for (std::size_t i = 0; i < layer.scale.factors.size(); ++i) {
    if (layer.bias) layer.scale.shifts[i] += layer.scale.factors[i] * beta * (*layer.bias)[i];
    layer.scale.factors[i] *= alpha;
  }
}

/** Where a layer's weights of one channel are: the elements of a block belong to one channel. */
struct WeightBlocks {
  std::size_t elements = 1;  ///< of a block
  std::size_t repeats =
      1;  ///< blocks of a ConvTranspose's group: input channels by the output channels of the group
  std::size_t per_group = 1;

  /** Returns the output's channel of a block. */
  std::size_t channel(std::size_t block) const { return block / repeats * per_group + block % per_group; }
};

WeightBlocks weight_blocks(const Node& node, const Shape& shape, std::size_t channels) {
  const auto extent = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  const auto total = static_cast<std::size_t>(element_count(shape));
  WeightBlocks blocks;
  if (node.operation == "Conv") {
    blocks = {.elements = total / extent(0)};
  } else if (node.operation == "ConvTranspose") {
    const std::size_t groups = channels / extent(1);
    blocks.elements = total / extent(0) / extent(1);
    blocks.per_group = extent(1);
    blocks.repeats = extent(0) / groups * extent(1);
  } else if (node.operation == "Gemm" && integer_attribute(node, "transB", 0) != 0) {
    blocks.elements = extent(1);
  } else {
    blocks.per_group = channels;
    blocks.repeats = total;
  }
  return blocks;
}

Result<std::size_t> add_scaled_weights(Rewriter& rewriter, const ScaledLayer& layer, const std::string& by) {
  const Node& node = rewriter.node(layer.node);
  const Value weights = rewriter.value(node.inputs[1]);
  std::vector<double> elements = TRY(constant_doubles(weights));
  const WeightBlocks blocks = weight_blocks(node, weights.shape, layer.scale.factors.size());
  for (std::size_t block = 0; block * blocks.elements < elements.size(); ++block) {
    const double factor = layer.scale.factors[blocks.channel(block)];
    for (std::size_t i = 0; i < blocks.elements; ++i) elements[block * blocks.elements + i] *= factor;
  }
  return rewriter.add_constant(fmt::format("{} scaled by {}", weights.name, by), weights.type, weights.shape,
                               encode(weights.type, elements));
}

/** Notes the layer's own bias; false if it is no constant by channel. */
Result<bool> find_bias(const Rewriter& rewriter, ScaledLayer& layer) {
  const Node& node = rewriter.node(layer.node);
  if (node.inputs.size() < 3 || node.inputs[2] == absent) return true;
  if (node.operation == "Gemm") {
    layer.bias =
        TRY(vector_constant(rewriter, node.inputs[2], rewriter.value(node.outputs[0]).shape, layer.axis));
  } else if (rewriter.is_constant(node.inputs[2])) {
    layer.bias = TRY(constant_doubles(rewriter.value(node.inputs[2])));
  }
  return layer.bias.has_value();
}

/** Returns true if folding leaves fewer operators, or removes factors of a Gemm. */
bool is_worth_folding(const Node& node, const ScaledLayer& layer) {
  if (node.operation == "Gemm" &&
      (number_attribute(node, "alpha", 1) != 1 || (layer.bias && number_attribute(node, "beta", 1) != 1)))
    return true;
  // MatMul has no bias of its own: a shift stays an Add, which becomes a step of the epilogue.
  if (node.operation == "MatMul") return !is_everywhere(layer.scale.factors, 1);
  return !layer.followers.empty();
}

/** Gives a layer its last follower's result, and removes the followers. */
void write_layer(Rewriter& rewriter, const ScaledLayer& layer, Node node) {
  const std::size_t last = layer.followers.empty() ? layer.node : layer.followers.back();
  const bool adds_after = node.operation == "MatMul" && !is_everywhere(layer.scale.shifts, 0);
  if (!adds_after) node.outputs = rewriter.node(last).outputs;
  const std::size_t product = node.outputs[0];
  rewriter.replace(layer.node, std::move(node));
  for (const std::size_t follower : layer.followers) {
    if (!adds_after || follower != last) {
      rewriter.remove(follower, layer.node);
      continue;
    }
    const Value result = rewriter.value(product);
    const std::string name = rewriter.node(last).name;
    const std::size_t shift = rewriter.add_constant(name + " shift", result.type, {result.shape.back()},
                                                    encode(result.type, layer.scale.shifts));
    rewriter.merge_origin(last, layer.node);
    rewriter.replace(last, make_node(name, "Add", {product, shift}, rewriter.node(last).outputs));
  }
}

Status fold_into(Rewriter& rewriter, ScaledLayer layer) {
  TRY(collect_followers(rewriter, layer));
  Node node = rewriter.node(layer.node);
  if (!TRY(find_bias(rewriter, layer)) || !is_worth_folding(node, layer)) return {};
  if (node.operation == "Gemm") {
    apply_gemm_factors(node, layer);
  } else if (layer.bias) {
    for (std::size_t i = 0; i < layer.bias->size(); ++i)
      layer.scale.shifts[i] += layer.scale.factors[i] * (*layer.bias)[i];
  }
  node.attributes.erase("alpha");
  node.attributes.erase("beta");
  const std::string by = layer.followers.empty() ? node.name : rewriter.node(layer.followers.back()).name;
  if (!is_everywhere(layer.scale.factors, 1)) node.inputs[1] = TRY(add_scaled_weights(rewriter, layer, by));
  if (node.operation != "MatMul") {
    node.inputs.resize(2);
    const ElementType type = rewriter.value(node.outputs[0]).type;
    const auto channels = static_cast<std::int64_t>(layer.scale.shifts.size());
    if (layer.bias || !is_everywhere(layer.scale.shifts, 0))
      node.inputs.push_back(rewriter.add_constant(fmt::format("{} bias with {}", node.name, by), type,
                                                  {channels}, encode(type, layer.scale.shifts)));
  }
  write_layer(rewriter, layer, std::move(node));
  return {};
}

}  // namespace

Status fold_scales_into_weights(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i) || !rewriter.node(i).epilogue.empty()) continue;
    const std::optional<std::size_t> axis = channel_axis(rewriter, rewriter.node(i));
    if (!axis || !rewriter.is_constant(rewriter.node(i).inputs[1])) continue;
    // Weights without elements have no blocks of channels, and nothing to be scaled.
    if (element_count(rewriter.value(rewriter.node(i).inputs[1]).shape) == 0) continue;
    TRY(fold_into(rewriter, {.node = i, .axis = *axis, .followers = {}, .scale = {}, .bias = {}}));
  }
  return {};
}

}  // namespace kernelscape::graph::passes
