#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/passes/constants.h"
#include "core/graph/passes/layers.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

using task::EpilogueKind;
using task::EpilogueStep;

/** Operators after a layer as steps of its epilogue. */
struct FusedSteps {
  std::vector<EpilogueStep> steps;
  std::vector<std::size_t> operands;  ///< of the steps that have one
  std::vector<std::size_t> nodes;     ///< that fall away; the last one's result becomes the layer's
};

using MaybeSteps = Result<std::optional<FusedSteps>>;

MaybeSteps one_step(const EpilogueStep& step) { return std::optional(FusedSteps{{step}, {}, {}}); }

/** Returns a Clip by two constants; Relu for the bounds 0 and infinity. */
MaybeSteps match_clip(const Rewriter& rewriter, const Node& node) {
  std::array<double, 2> bounds{-std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < 2; ++i) {
    if (node.inputs.size() <= i + 1 || node.inputs[i + 1] == absent) continue;
    const std::optional<double> bound = TRY(scalar_constant(rewriter, node.inputs[i + 1]));
    if (!bound || std::isnan(*bound)) return std::optional<FusedSteps>{};
    bounds[i] = *bound;
  }
  if (bounds[0] == 0 && bounds[1] >= double{std::numeric_limits<float>::max()})
    return one_step({EpilogueKind::Relu});
  // The text of an epilogue has no larger numbers.
  constexpr double largest = 1e30;
  if (std::abs(bounds[0]) > largest || std::abs(bounds[1]) > largest) return std::optional<FusedSteps>{};
  return one_step({EpilogueKind::Clip, bounds[0], bounds[1]});
}

MaybeSteps match_activation(const Rewriter& rewriter, const Node& node) {
  const std::string& operation = node.operation;
  if (operation == "Relu") return one_step({EpilogueKind::Relu});
  if (operation == "Sigmoid") return one_step({EpilogueKind::Sigmoid});
  if (operation == "HardSwish") return one_step({EpilogueKind::HardSwish});
  if (operation == "Tanh") return one_step({EpilogueKind::Tanh});
  if (operation == "Clip") return match_clip(rewriter, node);
  if (operation == "LeakyRelu")
    return one_step({EpilogueKind::LeakyRelu, number_attribute(node, "alpha", 0.01)});
  if (operation == "HardSigmoid")
    return one_step({EpilogueKind::HardSigmoid, number_attribute(node, "alpha", 0.2),
                     number_attribute(node, "beta", 0.5)});
  if (operation == "Gelu")
    return one_step({text_attribute(node, "approximate", "none") == "tanh" ? EpilogueKind::GeluTanh
                                                                           : EpilogueKind::Gelu});
  if (operation == "PRelu") {
    const std::optional<double> slope = TRY(scalar_constant(rewriter, node.inputs[1]));
    if (slope) return one_step({EpilogueKind::LeakyRelu, *slope});
  }
  return std::optional<FusedSteps>{};
}

/** Fuses what follows one layer, operator by operator. */
class EpilogueFusion {
 public:
  EpilogueFusion(Rewriter& rewriter, std::size_t number, std::size_t axis)
      : rewriter_(rewriter), number_(number), axis_(axis) {}

  Status run() {
    TRY(take_own_bias());
    while (const auto next = TRY(match_reader())) {
      if (node().epilogue.size() + next->steps.size() > task::max_epilogue_steps) break;
      append(*next);
    }
    return {};
  }

 private:
  const Node& node() const { return rewriter_.node(number_); }
  std::size_t output() const { return node().outputs[0]; }

  /** Makes the third operand of the layer itself the first step, so that all layers with a bias have one
   * form. */
  Status take_own_bias() {
    Node changed = node();
    if (changed.own_input_count() < 3) return {};
    EpilogueKind kind = EpilogueKind::Bias;
    if (changed.inputs[2] == absent) {
      changed.inputs.erase(changed.inputs.begin() + 2);
      rewriter_.replace(number_, std::move(changed));
      return {};
    }
    if (changed.operation == "Gemm") {
      const std::optional<EpilogueKind> found = TRY(gemm_bias(changed));
      if (!found) return {};
      kind = *found;
    }
    // The third operand is the first of the epilogue's from now on: it stays where it is.
    changed.epilogue.insert(changed.epilogue.begin(), EpilogueStep{kind});
    rewriter_.replace(number_, std::move(changed));
    return {};
  }

  /** Brings the third operand of a Gemm into the form of a step's operand; nullopt if it stays as it is. */
  Result<std::optional<EpilogueKind>> gemm_bias(Node& gemm) {
    const Shape shape = rewriter_.value(output()).shape;
    const Value bias = rewriter_.value(gemm.inputs[2]);
    const double beta = number_attribute(gemm, "beta", 1);
    const Shape channels{shape[axis_]};
    if (auto vector = TRY(vector_constant(rewriter_, gemm.inputs[2], shape, axis_))) {
      for (double& element : *vector) element *= beta;
      if (bias.shape != channels || beta != 1)
        gemm.inputs[2] = add_vector(bias.name + " by channel", *vector);
      gemm.attributes.erase("beta");
      return std::optional(EpilogueKind::Bias);
    }
    if (beta != 1) return std::optional<EpilogueKind>{};
    if (bias.shape == channels) return std::optional(EpilogueKind::Bias);
    return bias.shape == shape ? std::optional(EpilogueKind::Add) : std::nullopt;
  }

  std::size_t add_vector(std::string name, const std::vector<double>& elements) {
    const ElementType type = rewriter_.value(output()).type;
    return rewriter_.add_constant(std::move(name), type, {static_cast<std::int64_t>(elements.size())},
                                  encode(type, elements));
  }

  /** Returns the operators that read the layer's result as steps; nullopt if they cannot be fused. */
  MaybeSteps match_reader() {
    const std::optional<FusedSteps> none;
    if (!rewriter_.has_one_reader(output())) return match_silu();
    const std::size_t reader = rewriter_.readers(output()).front();
    const Node& next = rewriter_.node(reader);
    if (!next.epilogue.empty() || next.outputs.size() != 1 || next.inputs[0] == absent) return none;
    const Value& before = rewriter_.value(output());
    const Value& after = rewriter_.value(next.outputs[0]);
    if (before.shape != after.shape || before.type != after.type) return none;
    auto steps = next.inputs[0] == output() ? TRY(match_activation(rewriter_, next)) : none;
    if (!steps) steps = TRY(match_scale(next));
    if (!steps) steps = match_addition(next);
    if (steps) steps->nodes = {reader};
    return steps;
  }

  /** Matches x Sigmoid(x), where both operators read the layer's result and nobody else does. */
  std::optional<FusedSteps> match_silu() const {
    const std::vector<std::size_t>& readers = rewriter_.readers(output());
    if (readers.size() != 2 || rewriter_.is_output(output())) return std::nullopt;
    for (const auto& [sigmoid, product] : {std::pair{readers[0], readers[1]}, {readers[1], readers[0]}}) {
      const Node& inner = rewriter_.node(sigmoid);
      const Node& outer = rewriter_.node(product);
      if (inner.operation != "Sigmoid" || outer.operation != "Mul") continue;
      if (!inner.epilogue.empty() || !outer.epilogue.empty()) continue;
      if (!rewriter_.has_one_reader(inner.outputs[0]) ||
          std::ranges::find(outer.inputs, inner.outputs[0]) == outer.inputs.end())
        continue;
      return FusedSteps{{{EpilogueKind::Silu}}, {}, {sigmoid, product}};
    }
    return std::nullopt;
  }

  MaybeSteps match_scale(const Node& next) {
    const auto scale = TRY(match_channel_scale(rewriter_, next, output(), axis_));
    if (!scale) return std::optional<FusedSteps>{};
    FusedSteps result;
    const auto differs_from = [](double number) { return [=](double x) { return x != number; }; };
    const std::string name = next.name;
    if (std::ranges::any_of(scale->factors, differs_from(1))) {
      result.steps.push_back({EpilogueKind::Scale});
      result.operands.push_back(add_vector(name + " scale", scale->factors));
    }
    if (std::ranges::any_of(scale->shifts, differs_from(0))) {
      result.steps.push_back({EpilogueKind::Bias});
      result.operands.push_back(add_vector(name + " bias", scale->shifts));
    }
    return std::optional(std::move(result));
  }

  /** Matches the addition of a tensor that is known before the layer runs, which rules out cycles. */
  std::optional<FusedSteps> match_addition(const Node& next) const {
    if ((next.operation != "Add" && next.operation != "Sum") || next.inputs.size() != 2) return std::nullopt;
    const std::size_t other = next.inputs[0] == output() ? next.inputs[1] : next.inputs[0];
    const std::size_t producer = rewriter_.producer(other);
    if (producer != absent && producer >= number_) return std::nullopt;
    const Shape& shape = rewriter_.value(output()).shape;
    const Shape& added = rewriter_.value(other).shape;
    if (rewriter_.value(other).type != rewriter_.value(output()).type) return std::nullopt;
    if (added == shape) return FusedSteps{{{EpilogueKind::Add}}, {other}, {}};
    if (axis_ + 1 == shape.size() && added == Shape{shape[axis_]})
      return FusedSteps{{{EpilogueKind::Bias}}, {other}, {}};
    return std::nullopt;
  }

  void append(const FusedSteps& next) {
    Node changed = node();
    changed.epilogue.insert(changed.epilogue.end(), next.steps.begin(), next.steps.end());
    changed.inputs.insert(changed.inputs.end(), next.operands.begin(), next.operands.end());
    changed.outputs = rewriter_.node(next.nodes.back()).outputs;
    rewriter_.replace(number_, std::move(changed));
    for (const std::size_t fused : next.nodes) rewriter_.remove(fused, number_);
  }

  Rewriter& rewriter_;
  std::size_t number_;
  std::size_t axis_;  ///< of the output's channels
};

}  // namespace

Status fuse_epilogues(Rewriter& rewriter) {
  for (std::size_t i = 0; i < rewriter.node_count(); ++i) {
    if (!rewriter.alive(i)) continue;
    const std::optional<std::size_t> axis = channel_axis(rewriter, rewriter.node(i));
    if (axis) TRY(EpilogueFusion(rewriter, i, *axis).run());
  }
  return {};
}

}  // namespace kernelscape::graph::passes
