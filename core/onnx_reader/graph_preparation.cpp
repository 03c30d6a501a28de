#include "core/onnx_reader/graph_preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/onnx_reader/graph_tensors.h"
#include "core/onnx_reader/model_graph.h"

namespace kernelscape::onnx_reader {
namespace {

/** Makes an initializer of a Constant. @return why this is not possible; empty: it was done */
std::string take_constant(onnx::GraphProto& graph, const onnx::NodeProto& node) {
  if (node.output_size() != 1 || node.attribute_size() != 1) return "it has not exactly one value";
  const onnx::AttributeProto& value = node.attribute(0);
  if (has_cut_data(value))
    return fmt::format("its {} has more than 4 KiB: only `value` may be longer", value.name());
  onnx::TensorProto tensor;
  if (value.name() == "value") {
    tensor = value.t();
  } else if (value.name() == "value_int" || value.name() == "value_ints") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    if (value.name() == "value_int") tensor.add_int64_data(value.i());
    if (value.name() == "value_ints") *tensor.mutable_int64_data() = value.ints();
    if (value.name() == "value_ints") tensor.add_dims(value.ints_size());
  } else if (value.name() == "value_float" || value.name() == "value_floats") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    if (value.name() == "value_float") tensor.add_float_data(value.f());
    if (value.name() == "value_floats") *tensor.mutable_float_data() = value.floats();
    if (value.name() == "value_floats") tensor.add_dims(value.floats_size());
  } else {
    return fmt::format("a constant of the form {} is no tensor of numbers", base::one_line(value.name()));
  }
  tensor.set_name(node.output(0));
  *graph.add_initializer() = std::move(tensor);
  return {};
}

}  // namespace

void UnsupportedNodes::add(const onnx::NodeProto& node, std::string_view reason) {
  std::vector<std::string>& names = nodes_[{operator_text(node), std::string(reason)}];
  names.push_back(base::one_line(
      node.name().empty() ? (node.output_size() > 0 ? node.output(0) : std::string()) : node.name()));
  ++count_;
}

Status UnsupportedNodes::status() const {
  if (nodes_.empty()) return {};
  constexpr std::size_t max_named = 6;
  std::vector<std::string> parts;
  for (const auto& [key, names] : nodes_) {
    const std::size_t named = std::min(names.size(), max_named);
    std::string list =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (named < names.size()) list += fmt::format(" and {} more", names.size() - named);
    parts.push_back(fmt::format("{} ({}{}{})", base::one_line(key.first), list,
                                key.second.empty() ? "" : ": ", key.second));
  }
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{} of its nodes cannot be part of a library: {}", count_, base::join(parts, ", ")),
      "Its layers can still be tuned with `kernelscape tune --network`. For a library, export the model "
      "with other operators.");
}

void remove_unread_nodes(onnx::GraphProto& graph) {
  std::unordered_set<std::string> read_names;
  for (const auto& output : graph.output()) read_names.insert(output.name());
  std::vector<bool> kept(static_cast<std::size_t>(graph.node_size()), false);
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    onnx::NodeProto& node = *graph.mutable_node(i);
    const bool read = std::ranges::any_of(node.output(),
                                          [&](const std::string& name) { return read_names.contains(name); });
    if (!read) continue;
    kept[static_cast<std::size_t>(i)] = true;
    // The number of a Split's results says how long they are.
    while (node.op_type() != "Split" && !read_names.contains(*node.output().rbegin()))
      node.mutable_output()->RemoveLast();
    for (const std::string& name : names_read(node)) read_names.insert(name);
  }
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (int i = 0; i < graph.node_size(); ++i)
    if (kept[static_cast<std::size_t>(i)]) nodes.Add()->Swap(graph.mutable_node(i));
  graph.mutable_node()->Swap(&nodes);
}

void take_constant_nodes(onnx::GraphProto& graph, UnsupportedNodes& unsupported) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph.mutable_node());
  for (onnx::NodeProto& node : nodes) {
    if (node.op_type() != "Constant" || !node.domain().empty()) {
      graph.add_node()->Swap(&node);
      continue;
    }
    const std::string reason = take_constant(graph, node);
    if (!reason.empty()) unsupported.add(node, reason);
  }
}

}  // namespace kernelscape::onnx_reader
