#include "core/exchange/model/operators.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/base/visible_text.h"

namespace kernelscape::exchange {

WriteOperator find_operator(std::string_view operation) {
  for (const auto find : {elementwise_operator, quantisation_operator, layer_operator, shape_operator,
                          window_operator, row_operator})
    if (const WriteOperator found = find(operation)) return found;
  return nullptr;
}

Status write_node(ModelSteps& steps, const graph::Node& node) {
  const WriteOperator write = find_operator(node.operation);
  if (write == nullptr) return unsupported(node, "a model's library has no such operator");
  TRY(write(steps, node));
  if (layer_operator(node.operation) != nullptr || !needs_epilogue(node, 0)) return {};
  const ValueForm result = TRY(steps.first_form(node.outputs[0]));
  if (result.memory != ModelMemory::Arena) return unsupported(node, "its epilogue follows a constant");
  return write_epilogue(steps, node, 0, result, result);
}

std::string about_node(const graph::Node& node) {
  return fmt::format("{} {}", node.operation, base::quoted_line(node.name));
}

std::unexpected<Error> unsupported(const graph::Node& node, std::string_view why) {
  return fail(ErrorCode::Refused, fmt::format("no library can be written for {}: {}", about_node(node), why),
              "tune the model's layers, and export their kernels with --network STUDY");
}

Status check_floats(const ModelSteps& steps, const graph::Node& node, std::size_t inputs) {
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!has_input(node, i)) continue;
    if (const graph::ElementType type = steps.value(node.inputs[i]).type; type != graph::ElementType::F32)
      return unsupported(
          node, fmt::format("its operand is of type {}, and only f32 is supported", graph::to_string(type)));
  }
  return {};
}

base::CSourceText float_text(double number) {
  if (std::isnan(number)) return base::Literal("(0.0f / 0.0f)");
  if (number > 3.4028234e38) return base::Literal("HUGE_VALF");
  if (number < -3.4028234e38) return base::Literal("(-HUGE_VALF)");
  return base::write<base::CSource>("{:.9e}f", number);
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Result<std::vector<std::int64_t>> constant_input(const ModelSteps& steps, const graph::Node& node,
                                                 std::size_t input) {
  const graph::Value& value = steps.value(node.inputs[input]);
  if (!value.constant)
    return unsupported(
        node, fmt::format("its input {} is not known before the model runs", base::quoted_line(value.name)));
  return graph::constant_integers(value);
}

}  // namespace kernelscape::exchange
