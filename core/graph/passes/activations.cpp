#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/interpreter.h"
#include "core/graph/passes/constants.h"
#include "core/graph/passes/passes.h"

namespace kernelscape::graph::passes {
namespace {

/** An operator of one operand that sequences of others are compared with. */
struct Activation {
  std::string_view operation;
  std::map<std::string, Attribute> attributes;
  double (*apply)(double x);
  bool is_exact = false;  ///< it is written without constants that a type would round
};

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }
double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x)));
}
double hard_sixth(double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }

const std::vector<Activation>& known_activations() {
  static const std::vector<Activation> activations{
      {"Relu", {}, [](double x) { return std::max(x, 0.0); }, true},
      {"Gelu", {{"approximate", std::string("none")}}, gelu},
      {"Gelu", {{"approximate", std::string("tanh")}}, gelu_tanh},
      {"HardSwish", {}, [](double x) { return x * hard_sixth(x); }},
      {"HardSigmoid", {{"alpha", 1.0 / 6}, {"beta", 0.5}}, hard_sixth},
      {"Sigmoid", {}, [](double x) { return 1 / (1 + std::exp(-x)); }, true},
  };
  return activations;
}

/** Returns the largest finite number of a type. */
double largest_number(ElementType type) {
  switch (type) {
    case ElementType::F64:
      return std::numeric_limits<double>::max();
    case ElementType::F16:
      return 65504;
    case ElementType::BF16:
      return 0x1.fep127;
    default:
      return double{std::numeric_limits<float>::max()};
  }
}

/**
 * Returns points at which operators are compared: of all magnitudes of a type, so that a bound shows wherever
 * it is, and densely where the known activations bend.
 */
const std::vector<double>& sample_points(ElementType type) {
  static const std::map<ElementType, std::vector<double>> points = [] {
    std::map<ElementType, std::vector<double>> all;
    for (const ElementType each : {ElementType::F32, ElementType::F64, ElementType::F16, ElementType::BF16}) {
      // Samples are doubles: a factor before the last operator must not make the largest one infinite.
      const double largest = each == ElementType::F64 ? 1e307 : largest_number(each);
      std::vector<double>& numbers = all[each] = {0, largest, -largest};
      for (double magnitude = 1e-6; magnitude < largest; magnitude *= 4.7) {
        numbers.push_back(magnitude);
        numbers.push_back(-magnitude);
      }
      for (double x = -8.05; x < 8.1; x += 0.17) numbers.push_back(x);
    }
    return all;
  }();
  return points.at(type);
}

/**
 * Returns how far constants that were rounded to a type may move a result, relative to the operand: a few
 * units in the last place of the constants, since anything more makes other activations equal to these.
 */
double tolerance_of(ElementType type) {
  switch (type) {
    case ElementType::F64:
      return 1e-11;
    case ElementType::F32:
      return 1e-6;
    case ElementType::F16:
      return 5e-4;
    default:
      return 4e-3;
  }
}

bool is_elementwise(const Node& node) {
  static constexpr std::array<std::string_view, 19> operations{
      "Add", "Sub",  "Mul",  "Div",  "Pow", "Erf", "Tanh", "Sigmoid",    "HardSigmoid", "HardSwish",
      "Exp", "Clip", "Relu", "Sqrt", "Neg", "Max", "Min",  "Reciprocal", "Abs"};
  return std::ranges::find(operations, node.operation) != operations.end() && node.epilogue.empty() &&
         node.outputs.size() == 1;
}

/**
 * The elementwise operators between one value and the result of a node. Grows from the node backwards, always
 * by the latest producer, so that all who read a value are known when its producer is added.
 */
class ElementwiseRegion {
 public:
  ElementwiseRegion(const Rewriter& rewriter, std::size_t root) : rewriter_(rewriter), root_(root) {}

  /** Adds the next node; false if the region cannot grow. */
  bool grow() {
    constexpr std::size_t max_nodes = 12;
    if (nodes_.empty()) return include(root_);
    std::size_t latest = absent;
    for (const std::size_t leaf : leaves_) {
      const std::size_t producer = rewriter_.producer(leaf);
      if (producer != absent && (latest == absent || producer > latest)) latest = producer;
    }
    if (latest == absent || nodes_.size() == max_nodes) return false;
    const Node& node = rewriter_.node(latest);
    if (!is_elementwise(node) || rewriter_.is_output(node.outputs[0])) return false;
    for (const std::size_t reader : rewriter_.readers(node.outputs[0]))
      if (!nodes_.contains(reader)) return false;
    leaves_.erase(node.outputs[0]);
    return include(latest);
  }

  /** Returns the only operand that is not a constant, or `absent` if there are several. */
  std::size_t operand() const { return leaves_.size() == 1 ? *leaves_.begin() : absent; }
  const std::set<std::size_t>& nodes() const { return nodes_; }

  /** Returns the results at the sample points; nullopt if a node cannot be evaluated. */
  Result<std::optional<std::vector<double>>> sample() const {
    const std::vector<double>& points = sample_points(rewriter_.value(operand()).type);
    const Shape shape{static_cast<std::int64_t>(points.size())};
    std::map<std::size_t, Tensor> tensors;
    tensors[operand()] = {.type = ElementType::F64, .shape = shape, .elements = points};
    for (const std::size_t constant : constants_)
      tensors[constant] = {.type = ElementType::F64,
                           .shape = {},
                           .elements = TRY(constant_doubles(rewriter_.value(constant)))};
    for (const std::size_t number : nodes_) {  // ascending, so operands come first
      const Node& node = rewriter_.node(number);
      std::vector<const Tensor*> inputs;
      for (const std::size_t input : node.inputs)
        inputs.push_back(input == absent ? nullptr : &tensors[input]);
      auto results = evaluate(node, inputs);
      if (!results || results->empty() || results->front().shape != shape)
        return std::optional<std::vector<double>>{};
      tensors[node.outputs[0]] = std::move(results->front());
    }
    return std::optional(std::move(tensors[rewriter_.node(root_).outputs[0]].elements));
  }

 private:
  bool include(std::size_t number) {
    const Value& result = rewriter_.value(rewriter_.node(root_).outputs[0]);
    nodes_.insert(number);
    for (const std::size_t input : rewriter_.node(number).inputs) {
      if (input == absent) continue;
      const Value& value = rewriter_.value(input);
      if (value.constant && element_count(value.shape) == 1) {
        constants_.insert(input);
      } else if (!value.constant && value.shape == result.shape && value.type == result.type) {
        leaves_.insert(input);
      } else {
        return false;
      }
    }
    return true;
  }

  const Rewriter& rewriter_;
  std::size_t root_;
  std::set<std::size_t> nodes_;
  std::set<std::size_t> leaves_;
  std::set<std::size_t> constants_;
};

/**
 * Returns the activation that agrees best at all sample points, within the type's tolerance if it has
 * constants that are rounded; nullptr if none does.
 */
const Activation* match_samples(const std::vector<double>& results, ElementType type) {
  const std::vector<double>& points = sample_points(type);
  const Activation* best = nullptr;
  double smallest = tolerance_of(type);
  for (const Activation& activation : known_activations()) {
    double largest = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const double expected = activation.apply(points[i]);
      const double scale =
          std::max({std::abs(points[i]), std::abs(expected), std::numeric_limits<double>::min()});
      const double error = std::abs(results[i] - expected) / scale;
      largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
    }
    const double allowed = activation.is_exact ? tolerance_of(ElementType::F64) : smallest;
    if (largest > std::min(smallest, allowed)) continue;
    smallest = largest;
    best = &activation;
  }
  return best;
}

/** Returns true for Clip(x, 0, the largest number or more) and Max(x, 0), which need no samples. */
Result<bool> is_relu(const Rewriter& rewriter, const Node& node, std::size_t operand) {
  if (node.operation == "Max" && node.inputs.size() == 2) {
    const std::size_t other = node.inputs[0] == operand ? node.inputs[1] : node.inputs[0];
    return TRY(scalar_constant(rewriter, other)) == 0.0;
  }
  if (node.operation != "Clip" || node.inputs.size() < 2 || node.inputs[0] != operand) return false;
  if (TRY(scalar_constant(rewriter, node.inputs[1])) != 0.0) return false;
  if (node.inputs.size() < 3 || node.inputs[2] == absent) return true;
  const std::optional<double> bound = TRY(scalar_constant(rewriter, node.inputs[2]));
  return bound && *bound >= largest_number(rewriter.value(operand).type);
}

/**
 * Returns the activation that a region computes; nullptr if it is none. One operator alone is only compared
 * with Relu, and without samples: a LeakyRelu of small slope, say, is what it says.
 */
Result<const Activation*> find_activation(const Rewriter& rewriter, std::size_t root,
                                          const ElementwiseRegion& region) {
  const Node& node = rewriter.node(root);
  if (region.nodes().size() == 1)
    return TRY(is_relu(rewriter, node, region.operand())) ? &known_activations().front() : nullptr;
  const auto results = TRY(region.sample());
  return results ? match_samples(*results, rewriter.value(node.outputs[0]).type) : nullptr;
}

/** Replaces a region by an activation; returns false if it is none. */
Result<bool> replace_region(Rewriter& rewriter, std::size_t root, const ElementwiseRegion& region) {
  const Activation* activation = TRY(find_activation(rewriter, root, region));
  if (activation == nullptr) return false;
  const Node& node = rewriter.node(root);
  const std::vector<std::size_t> inner(region.nodes().begin(), region.nodes().end());
  rewriter.replace(root, make_node(node.name, std::string(activation->operation), {region.operand()},
                                   node.outputs, activation->attributes));
  for (const std::size_t number : inner)
    if (number != root) rewriter.remove(number, root);
  return true;
}

}  // namespace

Status recognise_activations(Rewriter& rewriter) {
  // From the end, so that the longest sequence is found first.
  for (std::size_t i = rewriter.node_count(); i-- > 0;) {
    if (!rewriter.alive(i) || !is_elementwise(rewriter.node(i))) continue;
    if (!is_floating(rewriter.value(rewriter.node(i).outputs[0]).type)) continue;
    ElementwiseRegion region(rewriter, i);
    while (region.grow())
      if (region.operand() != absent && TRY(replace_region(rewriter, i, region))) break;
  }
  return {};
}

}  // namespace kernelscape::graph::passes
