#include "core/onnx_reader/model_graph.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr std::string_view own_domain = "ai.onnx";

void visit_graphs(const onnx::NodeProto& node, const auto& visit) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) visit(attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs()) visit(graph);
  }
}

void add_names_read(const onnx::NodeProto& node, std::vector<std::string>& names) {
  for (const std::string& input : node.input())
    if (!input.empty()) names.push_back(input);
  visit_graphs(node, [&](const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& inner : graph.node()) add_names_read(inner, names);
  });
}

/** Sets the domains of the nodes of a graph or a function, and of the graphs in their attributes. */
void settle_domains(auto& graph, std::set<std::string>& domains) {
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (node.domain() == own_domain) node.clear_domain();
    domains.insert(node.domain());
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) settle_domains(*attribute.mutable_g(), domains);
      for (onnx::GraphProto& inner : *attribute.mutable_graphs()) settle_domains(inner, domains);
    }
  }
}

/** Returns the node that gives each result. */
Result<std::map<std::string, int>> producers_of(const onnx::GraphProto& graph) {
  std::map<std::string, int> producers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (output.empty() || producers.emplace(output, i).second) continue;
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("two nodes give the result {}: {} and {}", base::quoted_line(output),
                              node_text(graph.node(producers.at(output))), node_text(graph.node(i))),
                  "export the model again");
    }
  }
  return producers;
}

/** Returns for every node the nodes whose results it reads. */
std::vector<std::vector<int>> dependencies_of(const onnx::GraphProto& graph,
                                              const std::map<std::string, int>& producers) {
  std::vector<std::vector<int>> dependencies;
  for (const onnx::NodeProto& node : graph.node()) {
    std::vector<int>& found = dependencies.emplace_back();
    for (const std::string& name : names_read(node))
      if (const auto producer = producers.find(name); producer != producers.end())
        found.push_back(producer->second);
  }
  return dependencies;
}

/**
 * Returns the indices of nodes in an order that satisfies the dependencies and is otherwise unchanged; nodes
 * of cycles are missing.
 */
std::vector<int> sorted_positions(const std::vector<std::vector<int>>& dependencies) {
  std::vector<std::size_t> missing;
  std::vector<std::vector<int>> waiting(dependencies.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t node = 0; node < dependencies.size(); ++node) {
    missing.push_back(dependencies[node].size());
    for (const int before : dependencies[node])
      waiting[static_cast<std::size_t>(before)].push_back(static_cast<int>(node));
    if (dependencies[node].empty()) ready.push(static_cast<int>(node));
  }
  std::vector<int> positions;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    positions.push_back(node);
    for (const int other : waiting[static_cast<std::size_t>(node)])
      if (--missing[static_cast<std::size_t>(other)] == 0) ready.push(other);
  }
  return positions;
}

/** Returns the names of the nodes of one cycle among the nodes that were not sorted. */
std::string cycle_text(const onnx::GraphProto& graph, const std::vector<std::vector<int>>& dependencies,
                       const std::vector<int>& sorted) {
  std::vector<bool> in_cycles(dependencies.size(), true);
  for (const int node : sorted) in_cycles[static_cast<std::size_t>(node)] = false;
  std::vector<int> path{static_cast<int>(std::ranges::find(in_cycles, true) - in_cycles.begin())};
  for (;;) {
    const auto& before = dependencies[static_cast<std::size_t>(path.back())];
    const int next =
        *std::ranges::find_if(before, [&](int node) { return in_cycles[static_cast<std::size_t>(node)]; });
    const bool met = std::ranges::find(path, next) != path.end();
    path.push_back(next);
    if (!met) continue;
    path.erase(path.begin(), std::ranges::find(path, next));
    break;
  }
  constexpr std::size_t max_listed = 6;
  std::vector<std::string> names;
  for (const int node : path) names.push_back(node_text(graph.node(node)));
  std::ranges::reverse(names);
  if (names.size() > max_listed) {
    names.resize(max_listed);
    names.emplace_back("...");
  }
  return base::join(names, " -> ");
}

/** The dimensions that a user gives, and which of them were found. */
class GivenDimensions {
 public:
  explicit GivenDimensions(const std::vector<measure::ModelDimension>& dimensions) {
    for (const measure::ModelDimension& dimension : dimensions) values_[dimension.name] = dimension.value;
  }

  /**
   * Sets the dimensions of an input of the graph, also by their positions, and notes dimensions that stay
   * open.
   */
  void set_input(onnx::ValueInfoProto& input) {
    if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) return;
    int number = 0;
    for (auto& dimension : *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      const std::string place = fmt::format("{}[{}]", input.name(), number++);
      names_.push_back(place);
      if (dimension.has_dim_param() && !dimension.dim_param().empty())
        names_.push_back(dimension.dim_param());
      if (set(place, dimension)) continue;
      set_by_name(dimension);
      if (dimension.has_dim_value() && dimension.dim_value() > 0) continue;
      if (dimension.has_dim_value() && dimension.dim_value() == 0) {
        empty_.emplace(place, input.name());
        continue;
      }
      const bool named = dimension.has_dim_param() && !dimension.dim_param().empty();
      open_.emplace(named ? dimension.dim_param() : place, input.name());
    }
  }

  /** Sets the dimensions of declarations inside the graph. */
  void set_declared(onnx::ValueInfoProto& declared) {
    if (!declared.type().has_tensor_type() || !declared.type().tensor_type().has_shape()) return;
    for (auto& dimension : *declared.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      set_by_name(dimension);
  }

  Status all_found() const {
    for (const auto& [name, value] : values_) {
      if (used_.contains(name)) continue;
      return fail(
          ErrorCode::NotFound,
          fmt::format("no input of the model has a dimension {}", base::quoted_line(name)),
          names_.empty() ? "remove it: the model's inputs have no shapes" : base::suggest(name, names_));
    }
    return {};
  }

  /** Checks that no input is empty: a network computes nothing from it, and has no layer to tune. */
  Status none_empty() const {
    if (empty_.empty()) return {};
    const auto& [place, input] = *empty_.begin();
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the model's input {} has a dimension of length 0, {}: it has no elements, and "
                            "nothing is computed from it",
                            base::quoted_line(input), base::quoted_line(place)),
                fmt::format("Pass --dim \"{}=1\" to set another length, or export the model again.",
                            base::one_line(place)));
  }

  Status all_given() const {
    if (open_.empty()) return {};
    std::vector<std::string> words;
    std::vector<std::string> options;
    for (const auto& [name, input] : open_) {
      words.push_back(fmt::format("{} of input {}", base::quoted_line(name), base::quoted_line(input)));
      options.push_back(fmt::format("--dim {}=1", base::one_line(name)));
    }
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the model leaves open how long a dimension is: {}", base::join(words, ", ")),
                fmt::format("set it, such as {}", base::join(options, " ")));
  }

 private:
  bool set(const std::string& name, onnx::TensorShapeProto_Dimension& dimension) {
    const auto found = values_.find(name);
    if (found == values_.end()) return false;
    used_.insert(name);
    dimension.set_dim_value(found->second);
    return true;
  }
  void set_by_name(onnx::TensorShapeProto_Dimension& dimension) {
    if (dimension.has_dim_param()) set(std::string(dimension.dim_param()), dimension);
  }

  std::map<std::string, std::int64_t> values_;
  std::set<std::string> used_;
  std::vector<std::string> names_;            ///< names of the inputs' dimensions
  std::map<std::string, std::string> open_;   ///< open dimensions with the first input that has each
  std::map<std::string, std::string> empty_;  ///< dimensions of length 0, and their inputs
};

}  // namespace

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t whole_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  return attribute == nullptr ? otherwise : attribute->i();
}

void add_number(onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void add_numbers(onnx::NodeProto& node, std::string_view name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void add_text(onnx::NodeProto& node, std::string_view name, const std::string& value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

std::string operator_text(const onnx::NodeProto& node) {
  return node.domain().empty() ? node.op_type() : fmt::format("{}.{}", node.domain(), node.op_type());
}

std::string node_text(const onnx::NodeProto& node) {
  if (node.domain() == body_domain) return base::one_line(node.name());
  if (!node.name().empty())
    return fmt::format("{} ({})", base::one_line(node.name()), base::one_line(operator_text(node)));
  const std::string output = node.output_size() > 0 ? node.output(0) : std::string();
  return fmt::format("the {} that gives {}", base::one_line(operator_text(node)), base::one_line(output));
}

std::vector<std::string> names_read(const onnx::NodeProto& node) {
  std::vector<std::string> names;
  add_names_read(node, names);
  return names;
}

Result<onnx::ModelProto> parse_model(std::string_view bytes) {
  onnx::ModelProto model;
  if (model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && model.has_graph()) return model;
  return fail(ErrorCode::InvalidArgument,
              "it is no ONNX model, or one that is damaged: its protobuf can't be read",
              "name an .onnx file, and see whether it was copied whole");
}

Status settle_operator_sets(onnx::ModelProto& model, std::vector<std::string>& notices) {
  constexpr int first_with_operator_sets = 3;
  for (auto& imported : *model.mutable_opset_import())
    if (imported.domain() == own_domain) imported.clear_domain();
  if (model.opset_import_size() == 0 && model.ir_version() < first_with_operator_sets)
    model.add_opset_import()->set_version(1);
  std::set<std::string> used;
  settle_domains(*model.mutable_graph(), used);
  for (onnx::FunctionProto& function : *model.mutable_functions()) {
    if (function.domain() == own_domain) function.clear_domain();
    settle_domains(function, used);
  }
  for (const auto& imported : model.opset_import()) used.erase(imported.domain());
  if (used.contains("") || operator_set_version(model) < 0) {
    return fail(ErrorCode::InvalidArgument, "the model does not declare the version of its operators",
                "export it again with an operator set (opset)");
  }
  // Operators of undeclared domains are listed like those of unknown domains.
  for (const std::string& domain : used) {
    auto* imported = model.add_opset_import();
    imported->set_domain(domain);
    imported->set_version(1);
  }
  if (operator_set_version(model) > newest_operator_set) {
    notices.push_back(
        fmt::format("its operators have version {}, and the newest supported version is {}: operators that "
                    "changed since are omitted; convolutions and multiplications did not change",
                    operator_set_version(model), newest_operator_set));
  }
  return {};
}

std::int64_t operator_set_version(const onnx::ModelProto& model) {
  for (const auto& imported : model.opset_import())
    if (imported.domain().empty()) return std::max<std::int64_t>(imported.version(), 1);
  return 1;
}

Status sort_nodes(onnx::GraphProto& graph) {
  const std::map<std::string, int> producers = TRY(producers_of(graph));
  const std::vector<std::vector<int>> dependencies = dependencies_of(graph, producers);
  const std::vector<int> positions = sorted_positions(dependencies);
  if (positions.size() < dependencies.size()) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("nodes of the model form a cycle: {}", cycle_text(graph, dependencies, positions)),
        "export the model again");
  }
  if (std::ranges::is_sorted(positions)) return {};
  google::protobuf::RepeatedPtrField<onnx::NodeProto> sorted;
  for (const int position : positions) sorted.Add()->Swap(graph.mutable_node(position));
  graph.mutable_node()->Swap(&sorted);
  return {};
}

Status set_dimensions(onnx::GraphProto& graph, const std::vector<measure::ModelDimension>& dimensions) {
  std::set<std::string> constants;
  for (const auto& constant : graph.initializer()) constants.insert(constant.name());
  GivenDimensions given(dimensions);
  for (auto& input : *graph.mutable_input())
    if (!constants.contains(input.name())) given.set_input(input);
  for (auto& declared : *graph.mutable_value_info()) given.set_declared(declared);
  for (auto& output : *graph.mutable_output()) given.set_declared(output);
  TRY(given.all_found());
  TRY(given.none_empty());
  return given.all_given();
}

}  // namespace kernelscape::onnx_reader
