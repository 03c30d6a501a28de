#include "core/onnx/onnx_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/visible_text.h"
#include "core/onnx/model_graph.h"
#include "core/onnx/model_layers.h"
#include "core/onnx/model_shapes.h"

namespace kernelscape {
namespace {

constexpr std::size_t longest_name = 200;
constexpr std::size_t most_sources = 1'000'000;  // ways from layer to layer: of a hostile model they explode

// They give another view of the same bytes, or none at all, and move nothing.
constexpr std::array<std::string_view, 8> views{"Reshape",  "Flatten", "Squeeze", "Unsqueeze",
                                                "Identity", "Dropout", "Shape",   "Size"};
constexpr std::array<std::string_view, 6> random_operators{
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"};

bool is_named_in(const auto& names, const onnx::NodeProto& node) {
  return node.domain().empty() && std::ranges::find(names, node.op_type()) != names.end();
}

class ModelReading {
 public:
  explicit ModelReading(onnx::ModelProto& model)
      : graph_(*model.mutable_graph()), shapes_(ModelShapes::infer(model)) {
    for (const auto& constant : graph_.initializer()) constants_.insert(constant.name());
    for (const auto& constant : graph_.sparse_initializer()) constants_.insert(constant.values().name());
  }

  void read(ModelReply& reply) {
    for (const auto& node : graph_.node()) read_node(node, reply);
    if (sources_kept_ > most_sources) {
      for (ModelLayer& layer : reply.layers) layer.first = layer.second = {};
      reply.notices.emplace_back("it has too many ways from layer to layer: their order is not known");
      reply.order_known = false;
    }
    for (auto& [key, operators] : operators_) reply.operators.push_back(std::move(operators));
    std::ranges::stable_sort(reply.operators, [](const ModelOperator& a, const ModelOperator& b) {
      return std::pair(a.once, -a.bytes) < std::pair(b.once, -b.bytes);
    });
    if (quantised_ > 0) {
      reply.notices.push_back(
          fmt::format("{} layers are of bytes: a task is their sums of u8 x i8, padded with 0. Zero points, "
                      "which a model pads "
                      "with, scales and rounding are no part of it, and in no time that is measured",
                      quantised_));
    }
    if (hidden_ > 0) {
      reply.notices.push_back(fmt::format(
          "{} operators lie in the branches and loops of others: they are not looked into", hidden_));
    }
  }

 private:
  void read_node(const onnx::NodeProto& node, ModelReply& reply) {
    const std::vector<std::string> read = names_read(node);
    const bool once =
        !is_named_in(random_operators, node) &&
        std::ranges::all_of(read, [&](const std::string& name) { return constants_.contains(name); });
    if (once) constants_.insert(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute()) {
      hidden_ += attribute.g().node_size();
      for (const auto& inner : attribute.graphs()) hidden_ += inner.node_size();
    }
    std::string reason;
    if (may_be_layer(node) && !once) {
      const Result<Task> task = layer_task(graph_, node, shapes_);
      if (task) {
        const auto place = static_cast<std::int64_t>(reply.layers.size());
        reply.layers.push_back({task->text, one_line(node_text(node), longest_name), operand(node.input(0)),
                                operand(node.input(weight_input(node)))});
        if (is_quantised(node)) ++quantised_;
        for (const std::string& output : node.output()) keep_sources(output, {place});
        return;
      }
      reason = fmt::format("{}: {}", one_line(node_text(node), longest_name), describe(task.error()));
    }
    if (!once) pass_on(node, read);
    count(node, once, reason);
  }

  ModelOperand operand(const std::string& name) const {
    ModelOperand operand{constants_.contains(name), {}};
    const auto found = sources_.find(name);
    if (found != sources_.end()) operand.nodes.assign(found->second.begin(), found->second.end());
    return operand;
  }

  /** What reaches an operator that is no layer reaches all that it gives. */
  void pass_on(const onnx::NodeProto& node, const std::vector<std::string>& read) {
    if (sources_kept_ > most_sources) return;
    std::set<std::int64_t> sources;
    for (const std::string& name : read)
      if (const auto found = sources_.find(name); found != sources_.end())
        sources.insert(found->second.begin(), found->second.end());
    for (const std::string& output : node.output()) keep_sources(output, sources);
  }

  void keep_sources(const std::string& name, const std::set<std::int64_t>& sources) {
    sources_kept_ += sources.size();
    if (sources_kept_ <= most_sources) sources_[name] = sources;
  }

  void count(const onnx::NodeProto& node, bool once, const std::string& reason) {
    const std::string name = one_line(operator_text(node), longest_name);
    ModelOperator& operators = operators_[{once, name, reason}];
    operators.name = name;
    operators.once = once;
    operators.reason = reason;
    ++operators.count;
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
    if (__builtin_add_overflow(operators.bytes, bytes, &operators.bytes)) ++operators.unknown;
  }

  onnx::GraphProto& graph_;
  ModelShapes shapes_;
  std::set<std::string> constants_;
  std::map<std::string, std::set<std::int64_t>> sources_;  ///< of a tensor: the layers that reach it
  std::size_t sources_kept_ = 0;
  std::map<std::tuple<bool, std::string, std::string>, ModelOperator> operators_;
  std::int64_t hidden_ = 0;
  std::int64_t quantised_ = 0;
};

}  // namespace

Result<ModelReply> read_onnx_model(const ModelRequest& request) {
  onnx::ModelProto model = TRY(parse_model(request.model));
  ModelReply reply;
  reply.name = one_line(model.graph().name(), longest_name);
  TRY(settle_operator_sets(model, reply.notices));
  TRY(set_dimensions(*model.mutable_graph(), request.dimensions));
  TRY(sort_nodes(*model.mutable_graph()));
  ModelReading(model).read(reply);
  return reply;
}

}  // namespace kernelscape
