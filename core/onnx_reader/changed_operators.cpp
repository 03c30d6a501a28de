#include "core/onnx_reader/changed_operators.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/visible_text.h"
#include "core/onnx_reader/flat_graph.h"
#include "core/onnx_reader/model_graph.h"
#include "core/onnx_reader/own_shapes.h"

namespace kernelscape::onnx_reader {
namespace {

constexpr const char* opaque_domain = "kernelscape.opaque";

/** An operator of ONNX, and the first version that 1.12 does not implement. */
struct Newer {
  std::string_view name;
  std::int64_t version;
};

// The results have the shape of the first input, according to the change log of ONNX's operators.
constexpr std::array same_shape{Newer{"Mish", 18},
                                Newer{"GroupNormalization", 18},
                                Newer{"Gelu", 20},
                                Newer{"RMSNormalization", 23},
                                Newer{"RotaryEmbedding", 23},
                                Newer{"Swish", 24}};
// The axes were an attribute and became an input.
constexpr std::array with_axes{
    Newer{"ReduceL1", 18},        Newer{"ReduceL2", 18},   Newer{"ReduceLogSum", 18},
    Newer{"ReduceLogSumExp", 18}, Newer{"ReduceMax", 18},  Newer{"ReduceMean", 18},
    Newer{"ReduceMin", 18},       Newer{"ReduceProd", 18}, Newer{"ReduceSumSquare", 18}};
// An attribute that was added later and changes shapes.
struct NewAttribute {
  std::string_view name;
  std::int64_t version;
  std::string_view attribute;
};
constexpr std::array with_attributes{
    NewAttribute{"Resize", 18, "axes"}, NewAttribute{"Resize", 18, "keep_aspect_ratio_policy"},
    NewAttribute{"AveragePool", 19, "dilations"}, NewAttribute{"LpPool", 18, "dilations"},
    NewAttribute{"LpPool", 18, "ceil_mode"}};
// The operation or the order of inputs changed.
constexpr std::array changed{Newer{"GridSample", 20}, Newer{"DFT", 20}};

bool is_one_of(const auto& list, const onnx::NodeProto& node, std::int64_t version) {
  return node.domain().empty() && std::ranges::any_of(list, [&](const Newer& newer) {
           return newer.name == node.op_type() && version >= newer.version;
         });
}

bool has_attribute(const onnx::NodeProto& node, std::string_view name) {
  return std::ranges::any_of(node.attribute(),
                             [&](const auto& attribute) { return attribute.name() == name; });
}

void remove_attribute(onnx::NodeProto& node, std::string_view name) {
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size() - 1; i >= 0; --i)
    if (attributes.Get(i).name() == name) attributes.DeleteSubrange(i, 1);
}

/** Returns the integers of a short constant. */
std::optional<std::vector<std::int64_t>> numbers_of(const onnx::TensorProto& tensor) {
  if (tensor.data_type() != onnx::TensorProto::INT64) return std::nullopt;
  if (!tensor.has_raw_data()) {
    if (tensor.int64_data_size() == 0) return std::nullopt;
    return std::vector<std::int64_t>(tensor.int64_data().begin(), tensor.int64_data().end());
  }
  const std::string& bytes = tensor.raw_data();
  if (bytes.empty() || bytes.size() % sizeof(std::int64_t) != 0) return std::nullopt;
  std::vector<std::int64_t> numbers(bytes.size() / sizeof(std::int64_t));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::optional<std::vector<std::int64_t>> constant_numbers(const onnx::GraphProto& graph,
                                                          const std::string& name) {
  for (const auto& constant : graph.initializer())
    if (constant.name() == name) return numbers_of(constant);
  for (const auto& node : graph.node()) {
    if (node.op_type() != "Constant" || node.output_size() != 1 || node.output(0) != name) continue;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") return numbers_of(attribute.t());
      if (attribute.name() == "value_ints")
        return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    }
  }
  return std::nullopt;
}

class Replacement {
 public:
  explicit Replacement(onnx::ModelProto& model)
      : graph_(*model.mutable_graph()), model_(model), version_(operator_set_version(model)) {}

  std::map<std::string, std::string> run() {
    for (const char* domain : {opaque_domain, own_shapes_domain}) {
      auto* imported = model_.add_opset_import();
      imported->set_domain(domain);
      imported->set_version(1);
    }
    // A newer library supports newer sets: the nodes are converted to this set, independent of the library's
    // version.
    for (auto& imported : *model_.mutable_opset_import())
      if (imported.domain().empty() && imported.version() > newest_operator_set)
        imported.set_version(newest_operator_set);
    for (onnx::NodeProto& node : *graph_.mutable_node()) replace(node);
    return std::move(left_out_);
  }

 private:
  void leave_out(onnx::NodeProto& node, std::string reason) {
    if (node.output_size() > 0) left_out_.emplace(node.output(0), std::move(reason));
    node.set_domain(opaque_domain);
    node.clear_attribute();
  }

  void replace(onnx::NodeProto& node) {
    if (node.domain() == body_domain && node.op_type() == "Changed")
      return leave_out(node, "its shape changes from one iteration to the next");
    if (node.domain() == body_domain && node.op_type() == "Input")
      return leave_out(node, "its operator is unknown");
    if (find_attribute(node, first_result_attribute) != nullptr && node.op_type() != "If" &&
        node.op_type() != "Loop" && node.op_type() != "Scan")
      return leave_out(node, "the use of its bodies is unknown");
    if (take_own_shape_rule(node)) return;
    if (is_one_of(same_shape, node, version_) && node.input_size() > 0) {
      const std::string input = node.input(0);
      node.set_op_type("Identity");
      node.clear_attribute();
      node.clear_input();
      node.add_input(input);
      const std::string output = node.output_size() > 0 ? node.output(0) : std::string();
      node.clear_output();
      node.add_output(output);
    } else if (is_one_of(with_axes, node, version_)) {
      move_axes(node);
    } else if (node.domain().empty() && node.op_type() == "Split" && version_ >= 18) {
      remove_attribute(node, "num_outputs");
    } else if (is_one_of(changed, node, version_) || has_newer_attribute(node) ||
               (node.domain().empty() && node.op_type() == "Pad" && version_ >= 18 &&
                node.input_size() > 3)) {
      leave_out(node, fmt::format("{} has changed since the newest supported version",
                                  base::one_line(node.op_type())));
    } else if (!is_known(node)) {
      leave_out(node, "the operator is unknown");
    }
  }

  bool has_newer_attribute(const onnx::NodeProto& node) const {
    return node.domain().empty() && std::ranges::any_of(with_attributes, [&](const NewAttribute& newer) {
             return newer.name == node.op_type() && version_ >= newer.version &&
                    has_attribute(node, newer.attribute);
           });
  }

  void move_axes(onnx::NodeProto& node) {
    const bool given = node.input_size() > 1 && !node.input(1).empty();
    const std::optional<std::vector<std::int64_t>> axes =
        given ? constant_numbers(graph_, node.input(1)) : std::vector<std::int64_t>();
    if (!axes) return leave_out(node, "its axes are computed");
    const bool nothing_reduced =
        axes->empty() && std::ranges::any_of(node.attribute(), [](const auto& attribute) {
          return attribute.name() == "noop_with_empty_axes" && attribute.i() != 0;
        });
    const std::string input = node.input_size() > 0 ? node.input(0) : std::string();
    node.clear_input();
    node.add_input(input);
    remove_attribute(node, "noop_with_empty_axes");
    if (nothing_reduced) {
      node.set_op_type("Identity");
      node.clear_attribute();
    } else if (!axes->empty()) {
      add_numbers(node, "axes", *axes);
    }
  }

  bool is_known(const onnx::NodeProto& node) const {
    for (const auto& imported : model_.opset_import()) {
      if (imported.domain() != node.domain()) continue;
      return onnx::OpSchemaRegistry::Schema(
                 node.op_type(), static_cast<int>(std::clamp<std::int64_t>(imported.version(), 1, 1'000'000)),
                 node.domain()) != nullptr;
    }
    return false;
  }

  onnx::GraphProto& graph_;
  onnx::ModelProto& model_;
  std::int64_t version_;
  std::map<std::string, std::string> left_out_;
};

}  // namespace

std::map<std::string, std::string> replace_changed_operators(onnx::ModelProto& model) {
  return Replacement(model).run();
}

}  // namespace kernelscape::onnx_reader
