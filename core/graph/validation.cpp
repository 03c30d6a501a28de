#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/visible_text.h"
#include "core/graph/graph.h"

namespace kernelscape::graph {
namespace {

std::unexpected<Error> invalid_graph(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message), "Export the model again.");
}

std::string quoted_value(const Value& value) { return "the value " + base::quoted_line(value.name); }
std::string quoted_node(const Node& node) {
  return fmt::format("the node {} ({})", base::quoted_line(node.name), base::one_line(node.operation));
}

class GraphValidation {
 public:
  explicit GraphValidation(const Graph& graph) : graph_(graph), known_(graph.values.size(), false) {}

  Status run() {
    TRY(check_values());
    for (const std::size_t input : graph_.inputs) {
      if (input >= graph_.values.size())
        return invalid_graph(fmt::format("there is no input value {}", input));
      if (known_[input])
        return invalid_graph(quoted_value(graph_.values[input]) +
                             " is an input twice, or an input and a constant");
      known_[input] = true;
    }
    for (const Node& node : graph_.nodes) TRY(check_node(node));
    for (const std::size_t output : graph_.outputs) {
      if (output >= graph_.values.size())
        return invalid_graph(fmt::format("there is no output value {}", output));
      if (!known_[output])
        return invalid_graph("nothing gives the output " + quoted_value(graph_.values[output]));
    }
    return {};
  }

 private:
  Status check_values() {
    std::unordered_set<std::string_view> names;
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const Value& value = graph_.values[i];
      if (!names.insert(value.name).second)
        return invalid_graph("two values are named " + base::quoted_line(value.name));
      const Result<std::int64_t> count = checked_element_count(value);
      if (!count) return std::unexpected(count.error());
      if (*count > count_limit - elements)
        return invalid_graph(fmt::format("the tensors up to {} have more than {} elements together",
                                         quoted_value(value), count_limit));
      elements += *count;
      if (value.constant) TRY(check_constant(value, *count * bytes_of(value.type)));
      known_[i] = value.constant;
    }
    return {};
  }

  static Status check_constant(const Value& value, std::int64_t wanted) {
    std::uint64_t bytes = 0;
    if (const auto* range = std::get_if<FileRange>(&value.data)) {
      bytes = range->byte_count;
    } else if (const auto& data = std::get<std::shared_ptr<const std::vector<std::byte>>>(value.data)) {
      bytes = data->size();
    }
    if (bytes == static_cast<std::uint64_t>(wanted)) return {};
    return invalid_graph(
        fmt::format("{} has {} bytes, but its shape needs {}", quoted_value(value), bytes, wanted));
  }

  Status check_node(const Node& node) {
    std::size_t operands = 0;
    for (const task::EpilogueStep& step : node.epilogue)
      if (task::has_operand(step.kind)) ++operands;
    if (operands > node.inputs.size())
      return invalid_graph(quoted_node(node) + " has fewer inputs than steps that read one");
    if (!node.epilogue.empty() && node.outputs.size() != 1)
      return invalid_graph(quoted_node(node) + " has an epilogue, but not one output");
    for (const std::size_t input : node.inputs) {
      if (input == absent) continue;
      if (input >= graph_.values.size())
        return invalid_graph(
            fmt::format("{} reads the value {}, which does not exist", quoted_node(node), input));
      if (!known_[input])
        return invalid_graph(fmt::format("{} reads {}, which nothing before it gives", quoted_node(node),
                                         quoted_value(graph_.values[input])));
    }
    for (const std::size_t output : node.outputs) {
      if (output == absent) continue;
      if (output >= graph_.values.size())
        return invalid_graph(
            fmt::format("{} gives the value {}, which does not exist", quoted_node(node), output));
      if (known_[output])
        return invalid_graph(fmt::format("{} gives {}, which is given already", quoted_node(node),
                                         quoted_value(graph_.values[output])));
      known_[output] = true;
    }
    return {};
  }

  const Graph& graph_;
  std::vector<bool> known_;  ///< by value: it is a constant, an input, or the result of an earlier node
};

}  // namespace

Result<std::int64_t> checked_element_count(const Value& value) {
  for (const std::int64_t extent : value.shape)
    if (extent < 0)
      return invalid_graph(fmt::format("{} has a dimension of {}", quoted_value(value), extent));
  // Products of some extents, such as strides, must not overflow beside an extent of 0 either.
  std::int64_t count = 1;
  for (const std::int64_t extent : value.shape)
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(extent, 1), &count) || count > count_limit)
      return invalid_graph(fmt::format("{} has more than {} elements", quoted_value(value), count_limit));
  if (std::ranges::find(value.shape, 0) != value.shape.end()) return 0;
  return count;
}

Status validate(const Graph& graph) { return GraphValidation(graph).run(); }

}  // namespace kernelscape::graph
