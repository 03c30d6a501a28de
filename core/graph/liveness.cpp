#include "core/graph/liveness.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace kernelscape::graph {
namespace {

/** Values that share one block of memory. */
struct MemoryGroup {
  Storage storage = Storage::Unused;
  std::size_t owner = absent;  ///< the value at the start of the block
  std::int64_t bytes = 0;
  std::size_t first_step = absent;
  std::size_t last_step = 0;
  std::vector<std::size_t> members;
};

constexpr std::array<std::string_view, 6> reshaping_operations{"Reshape",   "Flatten",  "Squeeze",
                                                               "Unsqueeze", "Identity", "Dropout"};
constexpr std::array<std::string_view, 31> elementwise_operations{"Relu",
                                                                  "Clip",
                                                                  "LeakyRelu",
                                                                  "PRelu",
                                                                  "Sigmoid",
                                                                  "HardSigmoid",
                                                                  "HardSwish",
                                                                  "Tanh",
                                                                  "Erf",
                                                                  "Gelu",
                                                                  "Exp",
                                                                  "Log",
                                                                  "Sqrt",
                                                                  "Neg",
                                                                  "Abs",
                                                                  "Reciprocal",
                                                                  "Add",
                                                                  "Sub",
                                                                  "Mul",
                                                                  "Div",
                                                                  "Pow",
                                                                  "Sum",
                                                                  "Max",
                                                                  "Min",
                                                                  "Floor",
                                                                  "Ceil",
                                                                  "Elu",
                                                                  "Softplus",
                                                                  "Round",
                                                                  "Sign",
                                                                  "BatchNormalization"};

bool is_listed(std::string_view operation, std::span<const std::string_view> operations) {
  return std::ranges::find(operations, operation) != operations.end();
}

/** Returns the first axis whose extent is not 1; the last axis if there is none. */
std::size_t outermost_axis(const Shape& shape) {
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1) ++axis;
  return axis;
}

class MemorySharing {
 public:
  MemorySharing(const Graph& graph, std::int64_t alignment) : graph_(graph), alignment_(alignment) {
    group_.resize(graph.values.size());
    offset_.assign(graph.values.size(), 0);
    for (std::size_t value = 0; value < graph.values.size(); ++value) add_group(value);
    for (const std::size_t input : graph.inputs) groups_[input].storage = Storage::Input;
    for (std::size_t step = 0; step < graph.nodes.size(); ++step) note_uses(step);
    for (const std::size_t output : graph.outputs)
      if (groups_[output].storage == Storage::Arena) groups_[output].storage = Storage::Output;
  }

  Liveness run() {
    for (std::size_t step = 0; step < graph_.nodes.size(); ++step) share_views(graph_.nodes[step]);
    for (const Node& node : graph_.nodes) share_concatenation(node);
    for (std::size_t step = 0; step < graph_.nodes.size(); ++step) overwrite_operand(step);
    return result();
  }

 private:
  std::int64_t bytes_of_value(std::size_t value) const {
    return element_count(graph_.values[value].shape) * bytes_of(graph_.values[value].type);
  }

  void add_group(std::size_t value) {
    group_[value] = value;
    groups_.push_back({.storage = graph_.values[value].constant ? Storage::Constant : Storage::Unused,
                       .owner = value,
                       .bytes = bytes_of_value(value),
                       .first_step = absent,
                       .last_step = 0,
                       .members = {value}});
  }

  void note_uses(std::size_t step) {
    for (const std::size_t output : graph_.nodes[step].outputs) {
      if (output == absent) continue;
      groups_[output].storage = Storage::Arena;
      groups_[output].first_step = step;
      groups_[output].last_step = step;
    }
    for (const std::size_t input : graph_.nodes[step].inputs)
      if (input != absent) groups_[input].last_step = std::max(groups_[input].last_step, step);
  }

  MemoryGroup& group_of(std::size_t value) { return groups_[group_[value]]; }

  /** Returns true if a value is all of its block. */
  bool covers_group(std::size_t value) {
    return offset_[value] == 0 && bytes_of_value(value) == group_of(value).bytes;
  }

  /** Places a group within another one. */
  void merge(std::size_t from, std::size_t to, std::int64_t byte_offset) {
    MemoryGroup& source = groups_[from];
    MemoryGroup& target = groups_[to];
    for (const std::size_t member : source.members) {
      group_[member] = to;
      offset_[member] += byte_offset;
    }
    target.members.insert(target.members.end(), source.members.begin(), source.members.end());
    target.first_step = std::min(target.first_step, source.first_step);
    target.last_step = std::max(target.last_step, source.last_step);
    source.members.clear();
  }

  /** Makes a result a part of its operand's memory, or the operand a part of an output of the graph. */
  void share_view(std::size_t operand, std::size_t result, std::int64_t byte_offset) {
    const std::size_t from = group_[result];
    const std::size_t to = group_[operand];
    if (from == to || groups_[from].storage == Storage::Unused) return;
    if (groups_[from].storage == Storage::Output) {
      const bool whole = byte_offset == 0 && bytes_of_value(operand) == bytes_of_value(result);
      if (whole && groups_[to].storage == Storage::Arena && covers_group(operand)) merge(to, from, 0);
      return;
    }
    const std::int64_t offset = offset_[operand] + byte_offset;
    if (offset % alignment_ == 0) merge(from, to, offset);
  }

  void share_views(const Node& node) {
    if (!node.epilogue.empty() || node.inputs.empty() || node.inputs[0] == absent || node.outputs.empty())
      return;
    const std::size_t operand = node.inputs[0];
    if (is_listed(node.operation, reshaping_operations) && node.outputs[0] != absent) {
      if (bytes_of_value(operand) == bytes_of_value(node.outputs[0])) share_view(operand, node.outputs[0], 0);
    } else if (node.operation == "Split") {
      share_parts(node);
    } else if (node.operation == "Slice") {
      if (const auto start = start_of_slice(node)) share_view(operand, node.outputs[0], *start);
    }
  }

  void share_parts(const Node& node) {
    const Shape& shape = graph_.values[node.inputs[0]].shape;
    const std::int64_t axis = integer_attribute(node, "axis", 0);
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (static_cast<std::size_t>(axis < 0 ? axis + rank : axis) > outermost_axis(shape)) return;
    std::int64_t offset = 0;
    for (const std::size_t output : node.outputs) {
      if (output == absent) return;
      share_view(node.inputs[0], output, offset);
      offset += bytes_of_value(output);
    }
  }

  /** Returns the offset in bytes of a Slice that takes a contiguous part; nullopt for another. */
  std::optional<std::int64_t> start_of_slice(const Node& node) const {
    const Shape& from = graph_.values[node.inputs[0]].shape;
    const Shape& to = graph_.values[node.outputs[0]].shape;
    if (from.empty() || to.size() != from.size() || node.inputs.size() > 5) return std::nullopt;
    std::array<std::vector<std::int64_t>, 5> operands;  // starts, ends, axes and steps, by their positions
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == absent) continue;
      const Value& value = graph_.values[node.inputs[i]];
      if (!value.constant) return std::nullopt;
      auto integers = constant_integers(value);
      if (!integers) return std::nullopt;
      operands[i] = std::move(*integers);
    }
    const auto& [unused, starts, ends, axes, steps] = operands;
    const auto fits = [&](const auto& numbers) { return numbers.empty() || numbers.size() == starts.size(); };
    if (!fits(axes) || !fits(steps)) return std::nullopt;
    const std::size_t outermost = outermost_axis(from);
    std::int64_t start = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t given = axes.empty() ? static_cast<std::int64_t>(i) : axes[i];
      const auto axis =
          static_cast<std::size_t>(given < 0 ? given + static_cast<std::int64_t>(from.size()) : given);
      if (axis >= from.size() || (!steps.empty() && steps[i] != 1)) return std::nullopt;
      if (axis == outermost) {
        start = std::clamp(starts[i] < 0 ? starts[i] + from[axis] : starts[i], std::int64_t{0}, from[axis]);
      } else if (from[axis] != to[axis]) {
        return std::nullopt;
      }
    }
    const std::int64_t elements = element_count(to);
    return to[outermost] == 0
               ? 0
               : start * (elements / to[outermost]) * bytes_of(graph_.values[node.inputs[0]].type);
  }

  /** Has the operands of a Concat written into its result. */
  void share_concatenation(const Node& node) {
    if (node.operation != "Concat" || !node.epilogue.empty() || node.outputs.size() != 1) return;
    const std::size_t result = node.outputs[0];
    const Shape& shape = graph_.values[result].shape;
    const std::int64_t axis = integer_attribute(node, "axis", 0);
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (static_cast<std::size_t>(axis < 0 ? axis + rank : axis) > outermost_axis(shape)) return;
    std::int64_t offset = offset_[result];
    for (const std::size_t input : node.inputs) {
      if (input == absent) return;
      const bool alone = group_[input] != group_[result] && group_of(input).storage == Storage::Arena;
      if (alone && covers_group(input) && offset % alignment_ == 0)
        merge(group_[input], group_[result], offset);
      offset += bytes_of_value(input);
    }
  }

  /** Has an elementwise operator write over an operand that nobody reads later. */
  void overwrite_operand(std::size_t step) {
    const Node& node = graph_.nodes[step];
    if (!is_listed(node.operation, elementwise_operations) || !node.epilogue.empty()) return;
    if (node.outputs.size() != 1 || node.outputs[0] == absent) return;
    const std::size_t result = node.outputs[0];
    for (const std::size_t operand : node.inputs) {
      if (operand == absent || !may_overwrite(node, operand, step)) continue;
      const std::size_t from = group_[result];
      if (groups_[from].storage == Storage::Arena && covers_group(result)) {
        merge(from, group_[operand], 0);
      } else {
        merge(group_[operand], from, offset_[result]);
      }
      return;
    }
  }

  bool may_overwrite(const Node& node, std::size_t operand, std::size_t step) {
    const Value& value = graph_.values[operand];
    const Value& result = graph_.values[node.outputs[0]];
    const MemoryGroup& group = group_of(operand);
    if (value.type != result.type || value.shape != result.shape) return false;
    if (group.storage != Storage::Arena || group.last_step != step || !covers_group(operand)) return false;
    if (group_[operand] == group_[node.outputs[0]]) return false;
    // Another view of the same memory may be read in another order, where shapes are broadcast.
    return std::ranges::all_of(node.inputs, [&](std::size_t other) {
      return other == absent || other == operand || group_[other] != group_[operand];
    });
  }

  Liveness result() const {
    Liveness liveness;
    std::vector<std::size_t> buffers(groups_.size(), absent);
    liveness.values.resize(graph_.values.size());
    for (std::size_t value = 0; value < graph_.values.size(); ++value) {
      const MemoryGroup& group = groups_[group_[value]];
      ValuePlace& place = liveness.values[value];
      place.storage = group.storage;
      if (group.storage == Storage::Unused) continue;
      place.byte_offset = offset_[value];
      place.buffer = group.owner;
      if (group.storage != Storage::Arena) continue;
      std::size_t& buffer = buffers[group_[value]];
      if (buffer == absent) {
        buffer = liveness.buffers.size();
        liveness.buffers.push_back({group.bytes, group.first_step, group.last_step});
      }
      place.buffer = buffer;
    }
    return liveness;
  }

  const Graph& graph_;
  std::int64_t alignment_;
  std::vector<std::size_t> group_;    ///< of each value
  std::vector<std::int64_t> offset_;  ///< of each value in its group
  std::vector<MemoryGroup> groups_;   ///< one for each value, empty after it was merged into another
};

}  // namespace

Liveness find_liveness(const Graph& graph, std::int64_t alignment) {
  return MemorySharing(graph, alignment).run();
}

}  // namespace kernelscape::graph
