#include "core/onnx_reader/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/model_layers.h"
#include "core/onnx_reader/model_shapes.h"
#include "core/onnx_reader/own_shapes.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr std::size_t longest_name = 200;
constexpr std::size_t max_named = 6;
constexpr std::int64_t max_runs = 1'000'000;    // the maximum multiplicity of a layer in a network
constexpr std::size_t max_sources = 1'000'000;  // paths between layers: their number explodes in a hostile
                                                // model

// These operators return the same bytes in another shape, or a part of them, without computation. Branches
// and loops forward the results of their bodies.
constexpr std::array<std::string_view, 11> views{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                 "Identity", "Dropout", "Shape",   "Size",
                                                 "If",       "Loop",    "Scan"};
constexpr std::array<std::string_view, 6> random_operators{
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"};

// Operators of ONNX that may be newer than its library, and multiply no matrices.
constexpr auto newer_operators = std::to_array<std::string_view>(
    {"BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "CenterCropPad", "Col2Im", "CumProd", "Gelu",
     "GroupNormalization", "ImageDecoder", "Mish", "RMSNormalization", "RegexFullMatch", "RotaryEmbedding",
     "StringConcat", "StringSplit", "Swish", "TensorScatter"});

// Operators of com.microsoft without a shape rule that multiply no matrices.
constexpr auto plain_microsoft_operators = std::to_array<std::string_view>({"BiasAdd",
                                                                            "BiasDropout",
                                                                            "BiasSoftmax",
                                                                            "BiasSplitGelu",
                                                                            "ComplexMul",
                                                                            "CropAndResize",
                                                                            "EmbedLayerNormalization",
                                                                            "ExpandDims",
                                                                            "GatherBlockQuantized",
                                                                            "GatherND",
                                                                            "GridSample",
                                                                            "GroupNorm",
                                                                            "MaxpoolWithMask",
                                                                            "MulInteger",
                                                                            "NhwcMaxPool",
                                                                            "Pad",
                                                                            "QEmbedLayerNormalization",
                                                                            "QLinearAveragePool",
                                                                            "QLinearGlobalAveragePool",
                                                                            "Range",
                                                                            "ReduceSumInteger",
                                                                            "RemovePadding",
                                                                            "RestorePadding",
                                                                            "SkipGroupNorm",
                                                                            "Trilu",
                                                                            "UnfoldTensor",
                                                                            "Unique"});

bool is_named_in(const auto& names, const onnx::NodeProto& node) {
  return node.domain().empty() && std::ranges::find(names, node.op_type()) != names.end();
}

class ModelReading {
 public:
  ModelReading(onnx::ModelProto& model, FlatGraph flat)
      : graph_(*model.mutable_graph()),
        flat_(std::move(flat)),
        shapes_(ModelShapes::infer(model, take_declared(*model.mutable_graph()))) {
    for (const auto& constant : graph_.initializer()) constants_.insert(constant.name());
    for (const auto& constant : graph_.sparse_initializer()) constants_.insert(constant.values().name());
  }

  void read(measure::ModelReply& reply) {
    for (const auto& node : graph_.node()) read_node(node, reply);
    if (sources_kept_ > max_sources) {
      for (measure::ModelLayer& layer : reply.layers) layer.first = layer.second = {};
      reply.notices.emplace_back("it has too many paths between layers: their order is unknown");
      reply.order_known = false;
    }
    for (auto& [key, operators] : operators_) reply.operators.push_back(std::move(operators));
    std::ranges::stable_sort(reply.operators, [](const measure::ModelOperator& a,
                                                 const measure::ModelOperator& b) {
      return std::tuple(a.once, a.reason.empty(), -a.bytes) < std::tuple(b.once, b.reason.empty(), -b.bytes);
    });
    add_notices(reply);
  }

 private:
  static std::string layers_text(std::int64_t layers, std::string_view one, std::string_view several) {
    return layers == 1 ? fmt::format("1 layer {}", one) : fmt::format("{} layers {}", layers, several);
  }

  void add_notices(measure::ModelReply& reply) const {
    if (quantised_ > 0) {
      reply.notices.push_back(
          layers_text(quantised_, "is", "are") +
          " int8: the task is the sum of u8 x i8, padded with 0. Scales, rounding, and the zero points with "
          "which a model pads are not part of the task and of measured times");
    }
    if (repeated_ > 0) {
      reply.notices.push_back(
          layers_text(repeated_, "multiplies", "multiply") +
          " several matrices of a batch by the same matrix: a task reads a separate copy for each");
    }
    if (reordered_ > 0) {
      reply.notices.push_back(layers_text(reordered_, "reads or writes", "read or write") +
                              " tensors in another order of dimensions than a task: reordering is not part "
                              "of the task and of measured times");
    }
    add_body_notices(reply);
    if (unknown_ > 0) {
      reply.notices.push_back(
          fmt::format("unknown operators: {} ({}). They may contain convolutions or matrix multiplications",
                      unknown_, fmt::join(unknown_names_, ", ")));
    }
  }

  void add_body_notices(measure::ModelReply& reply) const {
    std::size_t named = 0;
    std::int64_t others = 0;
    for (const auto& [text, layers] : layers_in_bodies_) {
      if (++named > max_named) {
        others += layers;
      } else {
        reply.notices.push_back(layers_text(layers, "is in ", "are in ") + text);
      }
    }
    if (others > 0)
      reply.notices.push_back(layers_text(others, "stands", "stand") + " in other branches and loops");
  }

  /** How often one pass executes the nodes of a body, and a text about it. */
  struct Runs {
    std::int64_t times = 1;
    std::string text;
  };
  Runs runs_of(const onnx::NodeProto& node) const {
    Runs runs;
    const auto found = node.output_size() > 0 ? flat_.body_of.find(node.output(0)) : flat_.body_of.end();
    for (int at = found == flat_.body_of.end() ? -1 : found->second; at >= 0;) {
      const NodeBody& body = flat_.bodies[static_cast<std::size_t>(at)];
      const std::int64_t times = times_of(body);
      std::int64_t all = 0;
      const bool bounded = !__builtin_mul_overflow(runs.times, std::max<std::int64_t>(times, 1), &all);
      if (bounded && all <= max_runs) runs.times = all;
      runs.text += fmt::format(
          "{}{}, which {}", runs.text.empty() ? "" : ", in ", body.text,
          body.branch ? "is counted as if it were executed in each pass"
          : times > 0 ? fmt::format("is executed at most {} times", times)
                      : std::string("is executed an unknown number of times and is counted once"));
      at = body.around;
    }
    return runs;
  }

  std::int64_t times_of(const NodeBody& body) const {
    if (body.times > 0) return body.times;
    if (body.sequence.empty()) {
      const std::int64_t trips = shapes_.number(body.trips).value_or(0);
      return trips > max_runs ? 0 : trips;
    }
    const TensorFacts& sequence = shapes_.of(body.sequence);
    if (!sequence.shape) return 0;
    const auto rank = static_cast<std::int64_t>(sequence.shape->size());
    const std::int64_t axis = body.axis < 0 ? body.axis + rank : body.axis;
    return axis >= 0 && axis < rank ? (*sequence.shape)[static_cast<std::size_t>(axis)] : 0;
  }

  void read_node(const onnx::NodeProto& node, measure::ModelReply& reply) {
    const std::vector<std::string> read = names_read(node);
    const bool between = node.domain() == body_domain;
    const bool once =
        !is_named_in(random_operators, node) && !(between && node.op_type() != "Element") &&
        std::ranges::all_of(read, [&](const std::string& name) { return constants_.contains(name); });
    if (once) constants_.insert(node.output().begin(), node.output().end());
    const Runs runs = runs_of(node);
    std::string reason;
    if (may_be_layer(node) && !once) {
      const Result<NodeLayer> layer = layer_task(graph_, node, shapes_);
      if (layer) return add_layer(node, *layer, runs, reply);
      reason = fmt::format("{}: {}", base::one_line(node_text(node), longest_name), describe(layer.error()));
    }
    if (!once) pass_on(node, read);
    if (!between) count(node, once, reason, runs.times);
  }

  void add_layer(const onnx::NodeProto& node, const NodeLayer& layer, const Runs& runs,
                 measure::ModelReply& reply) {
    const auto place = static_cast<std::int64_t>(reply.layers.size());
    std::string text = base::one_line(node_text(node), longest_name);
    if (!runs.text.empty()) {
      text += ", in " + base::one_line(runs.text, longest_name);
      ++layers_in_bodies_[base::one_line(runs.text, longest_name)];
      // Branches and repetitions cannot be represented in one list of calls.
      reply.order_known = false;
    }
    reply.layers.push_back({layer.task.text, std::move(text), operand(node.input(layer.sums.first)),
                            operand(node.input(layer.sums.second)), runs.times});
    if (layer.quantised) ++quantised_;
    if (layer.sums.repeated) ++repeated_;
    if (layer.sums.reordered) ++reordered_;
    for (const std::string& output : node.output()) keep_sources(output, {place});
  }

  measure::ModelOperand operand(const std::string& name) const {
    measure::ModelOperand operand{constants_.contains(name), {}};
    const auto found = sources_.find(name);
    if (found != sources_.end()) operand.nodes.assign(found->second.begin(), found->second.end());
    return operand;
  }

  /** Forwards the sources of all inputs of an operator that is not a layer to all its results. */
  void pass_on(const onnx::NodeProto& node, const std::vector<std::string>& read) {
    if (sources_kept_ > max_sources) return;
    std::set<std::int64_t> sources;
    for (const std::string& name : read)
      if (const auto found = sources_.find(name); found != sources_.end())
        sources.insert(found->second.begin(), found->second.end());
    for (const std::string& output : node.output()) keep_sources(output, sources);
  }

  void keep_sources(const std::string& name, const std::set<std::int64_t>& sources) {
    sources_kept_ += sources.size();
    if (sources_kept_ <= max_sources) sources_[name] = sources;
  }

  void count(const onnx::NodeProto& node, bool once, std::string reason, std::int64_t times) {
    const std::string name = base::one_line(operator_text(node), longest_name);
    const std::optional<HiddenSums> hidden = once ? std::nullopt : hidden_sums(graph_, node, shapes_);
    if (hidden && reason.empty()) reason = hidden->reason;
    if (!once && !hidden && is_unknown(node)) {
      reason = "is unknown, and may contain convolutions or matrix multiplications";
      note_unknown(name);
    }
    const double flops = hidden ? hidden->flops : 0;
    measure::ModelOperator& operators = operators_[{once, name, reason, flops > 0}];
    operators.name = name;
    operators.once = once;
    operators.reason = reason;
    operators.flops += flops * static_cast<double>(times);
    operators.count += times;
    if (is_named_in(views, node)) return;
    std::int64_t bytes = 0;
    for (const auto* names : {&node.input(), &node.output()})
      for (const std::string& tensor : *names) {
        if (tensor.empty()) continue;
        const std::optional<std::int64_t> known = shapes_.of(tensor).bytes();
        if (!known || __builtin_add_overflow(bytes, *known, &bytes)) {
          ++operators.unknown;
          return;
        }
      }
    if (__builtin_mul_overflow(bytes, times, &bytes) ||
        __builtin_add_overflow(operators.bytes, bytes, &operators.bytes))
      ++operators.unknown;
  }

  /** Returns true for operators with unknown content. Markers of bodies are known. */
  static bool is_unknown(const onnx::NodeProto& node) {
    onnx::NodeProto copy = node;
    if (node.domain() == body_domain || node.domain().starts_with("ai.onnx") || take_own_shape_rule(copy))
      return false;
    return !node.domain().empty() ||
           (onnx::OpSchemaRegistry::Schema(node.op_type()) == nullptr && !is_named_in(newer_operators, node));
  }

  void note_unknown(const std::string& name) {
    ++unknown_;
    if (unknown_names_.size() < max_named) unknown_names_.insert(name);
  }

  onnx::GraphProto& graph_;
  FlatGraph flat_;
  ModelShapes shapes_;
  std::set<std::string> constants_;
  std::map<std::string, std::set<std::int64_t>> sources_;  ///< by tensor: the layers that reach it
  std::size_t sources_kept_ = 0;
  std::map<std::tuple<bool, std::string, std::string, bool>, measure::ModelOperator> operators_;
  std::map<std::string, std::int64_t> layers_in_bodies_;  ///< by the text of the body
  std::set<std::string> unknown_names_;
  std::int64_t unknown_ = 0;
  std::int64_t quantised_ = 0;
  std::int64_t repeated_ = 0;
  std::int64_t reordered_ = 0;
};

}  // namespace

Result<measure::ModelReply> read_onnx_model(const measure::ModelRequest& request) {
  onnx::ModelProto model = TRY(parse_model(request.model));
  measure::ModelReply reply;
  reply.name = base::one_line(model.graph().name(), longest_name);
  TRY(settle_operator_sets(model, reply.notices));
  FlatGraph flat = TRY(flatten_graph(model));
  TRY(set_dimensions(*model.mutable_graph(), request.dimensions));
  TRY(sort_nodes(*model.mutable_graph()));
  ModelReading(model, std::move(flat)).read(reply);
  return reply;
}

}  // namespace kernelscape::onnx_reader
