#include "core/onnx_reader/flat_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph_parts.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr int max_depth = 100;  // of nested functions and bodies
constexpr std::int64_t max_added_nodes = 200'000;
constexpr std::uint64_t max_added_bytes = 64ULL << 20;
// The maximum multiplicity of a layer in a network; exporters write the largest integer for "no limit".
constexpr std::int64_t max_iterations = 1'000'000;
constexpr std::size_t max_prefix = 200;

std::int64_t element_of(const onnx::NodeProto& node, std::string_view attribute_name, int place) {
  const onnx::AttributeProto* attribute = find_attribute(node, attribute_name);
  return attribute != nullptr && place < attribute->ints_size() ? attribute->ints(place) : 0;
}

const onnx::GraphProto* graph_attribute(const onnx::NodeProto& node, std::string_view name) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  return attribute != nullptr && attribute->has_g() ? &attribute->g() : nullptr;
}

class Flattening {
 public:
  explicit Flattening(onnx::ModelProto& model) : model_(model), graph_(*model.mutable_graph()) {
    for (const auto& function : model.functions())
      functions_.emplace(
          std::tuple(function.domain(), function.name(), overload_of(function, function_overload_field)),
          &function);
  }

  Result<FlatGraph> run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(graph_.mutable_node());
    for (const auto& input : graph_.input()) names_.note_used(input.name());
    for (const auto& constant : graph_.initializer()) {
      names_.note_used(constant.name());
      numbers_.note(constant.name(), constant);
    }
    for (const auto& constant : graph_.sparse_initializer()) names_.note_used(constant.values().name());
    for (const auto& node : nodes) {
      for (const std::string& output : node.output()) names_.note_used(output);
      if (node.output_size() > 0) numbers_.note(node.output(0), node);
    }
    NameScope scope{.is_model = true};
    TRY(emit_all(nodes, scope, 0));
    model_.clear_functions();
    return std::move(flat_);
  }

 private:
  /** Counts the size of expanded functions and bodies, which nested calls can multiply exponentially. */
  Status count(std::size_t bytes) {
    added_bytes_ += bytes;
    if (++added_nodes_ <= max_added_nodes && added_bytes_ <= max_added_bytes) return {};
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format(
            "the functions and bodies of the model expand to more than {} operators, or to more than {} MiB",
            max_added_nodes, max_added_bytes >> 20),
        "Export the important layers as a separate model.");
  }

  /** Adds a node to the flat graph. */
  Status emit(onnx::NodeProto node, const NameScope& scope) {
    if (!scope.is_model) TRY(count(node.ByteSizeLong()));
    if (node.output_size() > 0) numbers_.note(node.output(0), node);
    if (scope.body >= 0 && node.output_size() > 0) flat_.body_of.emplace(node.output(0), scope.body);
    *graph_.add_node() = std::move(node);
    return {};
  }

  Status emit_all(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, NameScope& scope,
                  int depth) {
    if (depth > max_depth) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("functions and bodies of the model are nested more than {} levels deep", max_depth),
          "Export the model again.");
    }
    for (const onnx::NodeProto& node : nodes) {
      const auto function =
          functions_.find({node.domain(), node.op_type(), overload_of(node, node_overload_field)});
      if (function != functions_.end()) {
        TRY(call(*function->second, node, scope, depth));
        continue;
      }
      onnx::NodeProto copy = renamed(node, scope);
      if (!has_graph(node)) {
        TRY(emit(std::move(copy), scope));
      } else if (node.domain().empty() && node.op_type() == "If") {
        TRY(flatten_if(node, std::move(copy), scope, depth));
      } else if (node.domain().empty() && node.op_type() == "Loop") {
        TRY(flatten_loop(node, std::move(copy), scope, depth));
      } else if (node.domain().empty() && node.op_type() == "Scan" &&
                 find_attribute(node, "num_scan_inputs")) {
        TRY(flatten_scan(node, std::move(copy), scope, depth));
      } else {
        TRY(flatten_other(node, std::move(copy), scope, depth));
      }
    }
    return {};
  }

  /**
   * Returns the node with the names of the flat graph, without graphs, and with the attributes of the
   * function's call.
   */
  onnx::NodeProto renamed(const onnx::NodeProto& node, NameScope& scope) {
    onnx::NodeProto copy;
    copy.set_op_type(node.op_type());
    copy.set_domain(node.domain());
    if (node.domain().empty()) copy.clear_domain();
    if (!node.name().empty())
      copy.set_name(scope.prefix.empty() ? node.name() : scope.prefix + "/" + node.name());
    for (const std::string& input : node.input()) copy.add_input(names_.resolve(scope, input));
    for (const std::string& output : node.output()) copy.add_output(names_.define(scope, output));
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) continue;
      if (attribute.ref_attr_name().empty() || scope.attributes == nullptr) {
        *copy.add_attribute() = attribute;
      } else if (const auto found = scope.attributes->find(attribute.ref_attr_name());
                 found != scope.attributes->end()) {
        *copy.add_attribute() = found->second;
        copy.mutable_attribute()->rbegin()->set_name(attribute.name());
      }
    }
    return copy;
  }

  Status call(const onnx::FunctionProto& function, const onnx::NodeProto& node, NameScope& scope, int depth) {
    if (!calls_.insert(&function).second) {
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("the function {} of the model calls itself", base::quoted_line(operator_text(node))),
          "Export the model again.");
    }
    TRY(count(0));
    const onnx::NodeProto outer = renamed(node, scope);
    NodeAttributes attributes = default_attributes(function);
    for (const auto& attribute : outer.attribute()) attributes[attribute.name()] = attribute;
    NameScope inner{.body = scope.body, .attributes = &attributes};
    inner.prefix = !outer.name().empty()     ? outer.name()
                   : outer.output_size() > 0 ? outer.output(0)
                                             : function.name();
    if (inner.prefix.size() > max_prefix) inner.prefix.erase(0, inner.prefix.size() - max_prefix);
    for (int i = 0; i < function.input_size(); ++i)
      inner.names[function.input(i)] = i < outer.input_size() ? outer.input(i) : std::string();
    for (int i = 0; i < std::min(function.output_size(), outer.output_size()); ++i) {
      if (outer.output(i).empty()) continue;
      const auto [found, added] = inner.names.emplace(function.output(i), outer.output(i));
      if (!added) TRY(emit(identity(found->second, outer.output(i)), inner));
    }
    note_inner(function.node(), inner);
    TRY(emit_all(function.node(), inner, depth + 1));
    calls_.erase(&function);
    return {};
  }

  /** Defines the names of the results of the nodes of a body or function, in any order of the nodes. */
  void note_inner(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, NameScope& scope) {
    for (const onnx::NodeProto& node : nodes) {
      for (const std::string& output : node.output()) names_.define(scope, output);
      if (node.output_size() > 0) numbers_.note(names_.define(scope, node.output(0)), node);
    }
  }

  /** Adds the nodes and constants of a body. @return its results, by their names in the flat graph */
  Result<std::vector<std::string>> emit_body(const onnx::GraphProto& body, NameScope& scope, int depth) {
    TRY(count(0));
    for (const auto& constant : body.initializer()) {
      if (scope.names.contains(constant.name())) continue;
      TRY(count(constant.ByteSizeLong()));
      onnx::TensorProto& copy = *graph_.add_initializer();
      copy = constant;
      copy.set_name(names_.define(scope, constant.name()));
      numbers_.note(copy.name(), copy);
    }
    for (const auto& constant : body.sparse_initializer()) {
      if (scope.names.contains(constant.values().name())) continue;
      TRY(count(constant.ByteSizeLong()));
      onnx::SparseTensorProto& copy = *graph_.add_sparse_initializer();
      copy = constant;
      copy.mutable_values()->set_name(names_.define(scope, constant.values().name()));
    }
    note_inner(body.node(), scope);
    for (const auto& declared : body.value_info()) {
      if (!scope.names.contains(declared.name())) continue;
      TRY(count(declared.ByteSizeLong()));
      onnx::ValueInfoProto& copy = *graph_.add_value_info();
      copy = declared;
      copy.set_name(scope.names.at(declared.name()));
    }
    TRY(emit_all(body.node(), scope, depth + 1));
    std::vector<std::string> results;
    for (const auto& output : body.output()) results.push_back(names_.resolve(scope, output.name()));
    return results;
  }

  NameScope inner_scope(NameScope& scope, NodeBody body) {
    body.around = scope.body;
    flat_.bodies.push_back(std::move(body));
    return {.around = &scope,
            .body = static_cast<int>(flat_.bodies.size()) - 1,
            .prefix = scope.prefix,
            .attributes = scope.attributes};
  }

  static std::string body_text(std::string_view attribute, const onnx::NodeProto& node) {
    return fmt::format("{} of {}", base::one_line(attribute), node_text(node));
  }

  Status flatten_if(const onnx::NodeProto& node, onnx::NodeProto copy, NameScope& scope, int depth) {
    const std::optional<std::int64_t> condition =
        copy.input_size() > 0 ? numbers_.find(copy.input(0)) : std::nullopt;
    const std::int64_t first = copy.input_size();
    std::int64_t then_results = 0;
    for (const bool then : {true, false}) {
      const std::string_view name = then ? "then_branch" : "else_branch";
      const onnx::GraphProto* branch = graph_attribute(node, name);
      if (branch == nullptr || (condition && (*condition != 0) != then)) continue;
      NameScope inner = condition
                            ? NameScope{.around = &scope,
                                        .body = scope.body,
                                        .prefix = scope.prefix,
                                        .attributes = scope.attributes}
                            : inner_scope(scope, {.text = body_text(name, copy), .branch = true, .times = 1});
      const std::vector<std::string> results = TRY(emit_body(*branch, inner, depth));
      for (const std::string& result : results) copy.add_input(result);
      if (then) then_results = std::ssize(results);
    }
    copy.clear_attribute();
    add_number(copy, first_result_attribute, first);
    add_number(copy, then_results_attribute, then_results);
    return emit(std::move(copy), scope);
  }

  /** Adds a state that a body reads from its previous run, and initially from the graph around it. */
  Status emit_state(const onnx::NodeProto& owner, const std::string& initial, const std::string& inside,
                    const std::string& result, const NameScope& scope) {
    onnx::NodeProto node = marker(
        "Carried", fmt::format("the state {} of {}", base::one_line(inside), node_text(owner)), inside);
    node.add_input(initial);
    add_text(node, "result", result);
    return emit(std::move(node), scope);
  }

  /** Adds a number that is an input of a loop's body. */
  void add_scalar_input(NameScope& scope, const std::string& name, int type) {
    onnx::ValueInfoProto& input = *graph_.add_input();
    input.set_name(names_.define(scope, name));
    input.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    input.mutable_type()->mutable_tensor_type()->mutable_shape();
  }

  /** Replaces a loop that is never executed by its initial states. */
  Status skip_loop(const onnx::NodeProto& loop, int states, const NameScope& scope) {
    for (int i = 0; i < loop.output_size(); ++i) {
      if (loop.output(i).empty()) continue;
      if (i < states)
        TRY(emit(identity(loop.input(2 + i), loop.output(i)), scope));
      else
        TRY(emit(marker("Input", fmt::format("what {} never gives", node_text(loop)), loop.output(i)),
                 scope));
    }
    return {};
  }

  Status flatten_loop(const onnx::NodeProto& node, onnx::NodeProto copy, NameScope& scope, int depth) {
    const onnx::GraphProto* body = graph_attribute(node, "body");
    if (body == nullptr || body->input_size() < 2 || body->input_size() > copy.input_size())
      return flatten_other(node, std::move(copy), scope, depth);
    std::int64_t iterations = numbers_.find(copy.input(0)).value_or(0);
    if (numbers_.find(copy.input(0)).value_or(1) < 1 || numbers_.find(copy.input(1)).value_or(1) == 0)
      return skip_loop(copy, body->input_size() - 2, scope);
    if (iterations > max_iterations) iterations = 0;
    NameScope inner =
        inner_scope(scope, {.text = body_text("body", copy), .times = iterations, .trips = copy.input(0)});
    add_scalar_input(inner, body->input(0).name(), onnx::TensorProto::INT64);
    add_scalar_input(inner, body->input(1).name(), onnx::TensorProto::BOOL);
    const int states = body->input_size() - 2;
    for (int i = 0; i < states; ++i) names_.define(inner, body->input(2 + i).name());
    const std::vector<std::string> results = TRY(emit_body(*body, inner, depth));
    const std::int64_t first = copy.input_size();
    for (std::size_t i = 1; i < results.size(); ++i) copy.add_input(results[i]);
    for (int i = 0; i < states && i + 1 < std::ssize(results); ++i)
      TRY(emit_state(copy, copy.input(2 + i), names_.define(inner, body->input(2 + i).name()),
                     results[static_cast<std::size_t>(i) + 1], inner));
    copy.clear_attribute();
    add_number(copy, first_result_attribute, first);
    add_number(copy, states_attribute, states);
    add_number(copy, length_attribute, iterations);
    return emit(std::move(copy), scope);
  }

  Status flatten_scan(const onnx::NodeProto& node, onnx::NodeProto copy, NameScope& scope, int depth) {
    const onnx::GraphProto* body = graph_attribute(node, "body");
    const std::int64_t sequences = whole_attribute(node, "num_scan_inputs", 0);
    if (body == nullptr || body->input_size() != copy.input_size() || sequences < 1 ||
        sequences > copy.input_size())
      return flatten_other(node, std::move(copy), scope, depth);
    const int states = copy.input_size() - static_cast<int>(sequences);
    NameScope inner = inner_scope(scope, {.text = body_text("body", copy),
                                          .sequence = copy.input(states),
                                          .axis = element_of(node, "scan_input_axes", 0)});
    for (const auto& input : body->input()) names_.define(inner, input.name());
    const std::vector<std::string> results = TRY(emit_body(*body, inner, depth));
    for (int i = 0; i < body->input_size(); ++i) {
      const std::string inside = names_.define(inner, body->input(i).name());
      if (i < states && i < std::ssize(results)) {
        TRY(emit_state(copy, copy.input(i), inside, results[static_cast<std::size_t>(i)], inner));
      } else if (i >= states) {
        onnx::NodeProto element = marker(
            "Element", fmt::format("an element of {} in {}", base::one_line(copy.input(i)), node_text(copy)),
            inside);
        element.add_input(copy.input(i));
        add_number(element, axis_attribute, element_of(node, "scan_input_axes", i - states));
        TRY(emit(std::move(element), inner));
      }
    }
    const std::int64_t first = copy.input_size();
    for (const std::string& result : results) copy.add_input(result);
    copy.clear_attribute();
    add_number(copy, first_result_attribute, first);
    add_number(copy, states_attribute, states);
    add_number(copy, sequence_attribute, states);
    add_number(copy, axis_attribute, element_of(node, "scan_input_axes", 0));
    onnx::AttributeProto& axes = *copy.add_attribute();
    axes.set_name(std::string(result_axes_attribute));
    axes.set_type(onnx::AttributeProto::INTS);
    for (int i = states; i < std::ssize(results); ++i)
      axes.add_ints(element_of(node, "scan_output_axes", i - states));
    return emit(std::move(copy), scope);
  }

  /** Flattens another operator, whose bodies have unknown inputs. */
  Status flatten_other(const onnx::NodeProto& node, onnx::NodeProto copy, NameScope& scope, int depth) {
    std::vector<std::pair<std::string, const onnx::GraphProto*>> bodies;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) bodies.emplace_back(attribute.name(), &attribute.g());
      for (const onnx::GraphProto& graph : attribute.graphs()) bodies.emplace_back(attribute.name(), &graph);
    }
    add_number(copy, first_result_attribute, copy.input_size());
    for (const auto& [name, body] : bodies) {
      NameScope inner = inner_scope(scope, {.text = body_text(name, copy)});
      for (const auto& input : body->input()) {
        const std::string inside = names_.define(inner, input.name());
        TRY(emit(
            marker("Input", fmt::format("the input {} of {}", base::one_line(inside), body_text(name, copy)),
                   inside),
            inner));
      }
      for (const std::string& result : TRY(emit_body(*body, inner, depth))) copy.add_input(result);
    }
    return emit(std::move(copy), scope);
  }

  onnx::ModelProto& model_;
  onnx::GraphProto& graph_;
  FlatGraph flat_;
  /** by domain, name and overload */
  std::map<std::tuple<std::string, std::string, std::string>, const onnx::FunctionProto*> functions_;
  std::set<const onnx::FunctionProto*> calls_;  ///< functions that are being expanded
  FlatNames names_;
  ConstantNumbers numbers_;
  std::int64_t added_nodes_ = 0;
  std::uint64_t added_bytes_ = 0;
};

}  // namespace

Result<FlatGraph> flatten_graph(onnx::ModelProto& model) { return Flattening(model).run(); }

}  // namespace kernelscape::onnx_reader
