#include "core/onnx_reader/graph.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/graph_operators.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/model_shapes.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr std::size_t longest_graph_name = 200;
constexpr int max_graph_nodes = 100'000;

std::unexpected<Error> unreadable(std::string message, std::string hint = "Export the model again.") {
  return fail(ErrorCode::InvalidArgument, std::move(message), std::move(hint));
}

/** Checks that each name belongs to one tensor. A constant may be named as an input that it is the default
 * of. */
Status check_names(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> names;
  for (const auto& constant : graph.initializer())
    if (!names.insert(constant.name()).second)
      return unreadable(fmt::format("two constants are named {}", base::quoted_line(constant.name())));
  for (const auto& node : graph.node())
    for (const std::string& output : node.output())
      if (!output.empty() && !names.insert(output).second)
        return unreadable(fmt::format("two tensors are named {}", base::quoted_line(output)));
  std::unordered_set<std::string> inputs;
  for (const auto& input : graph.input())
    if (!inputs.insert(input.name()).second)
      return unreadable(fmt::format("two inputs are named {}", base::quoted_line(input.name())));
  for (const auto& node : graph.node())
    for (const std::string& output : node.output())
      if (inputs.contains(output))
        return unreadable(fmt::format("an input and a result are named {}", base::quoted_line(output)));
  return {};
}

/** Writes a converted model with known shapes as a message. */
class GraphWriting {
 public:
  GraphWriting(const onnx::GraphProto& graph, const ModelShapes& shapes, measure::ModelGraph& target)
      : graph_(graph), shapes_(shapes), target_(target) {
    for (const auto& constant : graph.initializer()) constants_.emplace(constant.name(), &constant);
  }

  Status run() {
    for (const auto& input : graph_.input())
      if (!constants_.contains(input.name()))
        target_.inputs.push_back(TRY(add_computed(input.name(), "an input of the model")));
    for (const auto& node : graph_.node()) TRY(add_node(node));
    if (!unknown_.empty()) {
      return unreadable(fmt::format("the shapes of {} of its tensors are not known: {}", unknown_count_,
                                    base::join(unknown_, "; ")),
                        "A library needs all shapes before it runs. Set the dimensions that the model leaves "
                        "open with --dim, "
                        "or export it with fixed shapes. Its layers can still be tuned.");
    }
    for (const auto& output : graph_.output()) {
      const std::optional<std::int64_t> position = TRY(position_of(output.name()));
      if (!position)
        return unreadable(fmt::format("nothing gives its output {}", base::quoted_line(output.name())));
      target_.outputs.push_back(*position);
    }
    return {};
  }

 private:
  std::int64_t add(measure::ModelValue value) {
    const std::int64_t position = std::ssize(target_.values);
    positions_.emplace(value.name, position);
    target_.values.push_back(std::move(value));
    return position;
  }

  /** Adds a value that is no constant. @param origin for messages */
  Result<std::int64_t> add_computed(const std::string& name, std::string_view origin) {
    const TensorFacts& facts = shapes_.of(name);
    measure::ModelValue value{.name = name};
    const std::optional<graph::ElementType> type = element_type(facts.type);
    if (!facts.complete()) {
      note_unknown(name, origin);
    } else if (!type) {
      return unreadable(fmt::format("{}, {}, is not a tensor of numbers of a supported type",
                                    base::quoted_line(name), origin),
                        "Its layers can still be tuned. For a library, export the model with other types.");
    } else {
      value.type = static_cast<std::uint8_t>(*type);
      value.shape = *facts.shape;
    }
    return add(std::move(value));
  }

  void note_unknown(const std::string& name, std::string_view origin) {
    constexpr std::size_t max_named = 4;
    ++unknown_count_;
    if (unknown_.size() < max_named)
      unknown_.push_back(
          fmt::format("{}, {}: {}", base::quoted_line(name), origin, shapes_.why_unknown(graph_, name)));
  }

  /** Returns the position of a tensor, which is added if it is a constant; nullopt: nothing gives it. */
  Result<std::optional<std::int64_t>> position_of(const std::string& name) {
    if (const auto found = positions_.find(name); found != positions_.end()) return found->second;
    const auto constant = constants_.find(name);
    if (constant == constants_.end()) return std::nullopt;
    measure::ModelValue value{.name = name};
    if (const Status read = set_constant(*constant->second, value); !read)
      return unreadable(
          fmt::format("the constant {} cannot be read: {}", base::quoted_line(name), read.error().message),
          read.error().hint);
    return add(std::move(value));
  }

  Status add_node(const onnx::NodeProto& node) {
    if (node.op_type() == "ConstantOfShape") return add_repeated(node);
    measure::ModelNode& added = target_.nodes.emplace_back();
    added.operation = node.op_type();
    added.name =
        node.name().empty() ? fmt::format("{}_{}", node.op_type(), target_.nodes.size()) : node.name();
    for (const std::string& input : node.input()) {
      const std::optional<std::int64_t> position =
          input.empty() ? std::optional<std::int64_t>(-1) : TRY(position_of(input));
      if (!position)
        return unreadable(
            fmt::format("{} reads {}, which nothing gives", node_text(node), base::quoted_line(input)));
      added.inputs.push_back(*position);
    }
    while (!added.inputs.empty() && added.inputs.back() < 0) added.inputs.pop_back();
    for (const auto& attribute : node.attribute()) TRY(add_attribute(node, attribute, added));
    const std::string origin = "a result of " + node_text(node);
    for (const std::string& output : node.output())
      added.outputs.push_back(output.empty() ? -1 : TRY(add_computed(output, origin)));
    return {};
  }

  /** Adds the result of a ConstantOfShape as a constant. */
  Status add_repeated(const onnx::NodeProto& node) {
    if (!shapes_.of(node.output(0)).complete()) {
      std::ignore = TRY(add_computed(node.output(0), "a result of " + node_text(node)));
      return {};
    }
    measure::ModelValue value{.name = node.output(0)};
    onnx::TensorProto zero;
    zero.set_data_type(onnx::TensorProto::FLOAT);
    zero.add_float_data(0);
    const onnx::AttributeProto* element = find_attribute(node, "value");
    const Status read = set_constant(element == nullptr ? zero : element->t(), value);
    if (!read || value.data != measure::ModelData::Bytes)
      return unreadable(fmt::format("the value of {} cannot be read", node_text(node)));
    value.data = measure::ModelData::Repeated;
    value.shape = *shapes_.of(node.output(0)).shape;
    add(std::move(value));
    return {};
  }

  static Status add_attribute(const onnx::NodeProto& node, const onnx::AttributeProto& attribute,
                              measure::ModelNode& added) {
    measure::ModelAttribute value{.name = attribute.name()};
    if (has_cut_data(attribute))
      return unreadable(fmt::format("the attribute {} of {} has more than 4 KiB",
                                    base::quoted_line(value.name), node_text(node)));
    switch (attribute.type()) {
      case onnx::AttributeProto::INT:
        value.integer = attribute.i();
        break;
      case onnx::AttributeProto::FLOAT:
        value.number = attribute.f();
        break;
      case onnx::AttributeProto::STRING:
        value.text = attribute.s();
        break;
      case onnx::AttributeProto::INTS:
        value.integers.emplace(attribute.ints().begin(), attribute.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        value.numbers.emplace(attribute.floats().begin(), attribute.floats().end());
        break;
      case onnx::AttributeProto::STRINGS:
        value.texts.emplace(attribute.strings().begin(), attribute.strings().end());
        break;
      default:
        return unreadable(fmt::format("the attribute {} of {} is no number and no text",
                                      base::quoted_line(value.name), node_text(node)));
    }
    added.attributes.push_back(std::move(value));
    return {};
  }

  const onnx::GraphProto& graph_;
  const ModelShapes& shapes_;
  measure::ModelGraph& target_;
  std::unordered_map<std::string, const onnx::TensorProto*> constants_;
  std::unordered_map<std::string, std::int64_t> positions_;
  std::vector<std::string> unknown_;  ///< the first values without a shape, with the reasons
  std::size_t unknown_count_ = 0;
};

Status check_size(const onnx::GraphProto& graph) {
  if (graph.node_size() <= max_graph_nodes) return {};
  return unreadable(
      fmt::format("it has {} operators, and a library has at most {}", graph.node_size(), max_graph_nodes),
      "Export a part of the model.");
}

/** Infers shapes, and converts what only shapes allow to convert, until nothing changes. */
ModelShapes infer_and_convert(onnx::ModelProto& model) {
  // The first round converts all nodes; more are for those whose shapes are only known afterwards.
  constexpr int max_rounds = 16;
  const DeclaredResults declared = take_declared(*model.mutable_graph());
  for (int round = 1;; ++round) {
    ModelShapes shapes = ModelShapes::infer(model, declared);
    if (round == max_rounds || !convert_with_shapes(model, shapes)) return shapes;
  }
}

}  // namespace

Result<measure::ModelReply> read_onnx_graph(const measure::ModelRequest& request) {
  onnx::ModelProto model = TRY(parse_model(request.model));
  measure::ModelReply reply;
  reply.name = base::one_line(model.graph().name(), longest_graph_name);
  // The notices are about layers; the graph is in another operator set.
  std::vector<std::string> notices;
  TRY(settle_operator_sets(model, notices));
  const std::int64_t version = operator_set_version(model);
  if (version < oldest_graph_operator_set)
    return unreadable(
        fmt::format("its operators have version {}, and a library needs version {} or a newer one", version,
                    oldest_graph_operator_set),
        "Convert it with onnx.version_converter.");
  if (version > newest_graph_operator_set)
    reply.notices.push_back(fmt::format("its operators have version {}, and are read as those of version {}",
                                        version, newest_graph_operator_set));
  TRY(flatten_graph(model));
  onnx::GraphProto& graph = *model.mutable_graph();
  TRY(check_size(graph));
  if (graph.output_size() == 0) return unreadable("it has no outputs, so that nothing needs to be computed");
  for (const auto& constant : graph.sparse_initializer())
    return unreadable(fmt::format("the constant {} is sparse", base::quoted_line(constant.values().name())),
                      "Its layers can still be tuned. For a library, export the model with dense constants.");
  TRY(set_dimensions(graph, request.dimensions));
  TRY(sort_nodes(graph));
  TRY(check_names(graph));
  UnsupportedNodes unsupported;
  convert_operators(model, unsupported);
  TRY(unsupported.status());
  const ModelShapes shapes = infer_and_convert(model);
  TRY(GraphWriting(graph, shapes, reply.graph).run());
  return reply;
}

}  // namespace kernelscape::onnx_reader
