#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/task/task.h"

namespace kernelscape::task {
namespace {

using enum ScalarType;

constexpr std::array<std::pair<const char*, OperandTypes>, 5> named_types = {{
    {"f32", {F32, F32, F32, F32}},
    {"f64", {F64, F64, F64, F64}},
    {"f16", {F16, F16, F32, F32}},
    {"bf16", {BF16, BF16, F32, F32}},
    {"i8", {U8, I8, I32, I32}},
}};

}  // namespace

std::string to_string(const OperandTypes& types) {
  for (const auto& [name, named] : named_types) {
    if (named == types) return name;
  }
  return {};
}

Result<OperandTypes> parse_operand_types(std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [name, named] : named_types) {
    if (text == name) return named;
    known.emplace_back(name);
  }
  return fail(ErrorCode::NotFound, fmt::format("unknown type {}", base::quoted_line(text)),
              base::suggest(text, known));
}

OperandTypes operand_types(const TensorOperator& op) {
  return {op.inputs.at(0).type, op.inputs.at(1).type, op.output.type, op.accumulator};
}

double task_bytes(const Task& task) {
  if (const auto* generic = std::get_if<GenericProblem>(&task.definition)) return generic->bytes;
  if (!task.op) return 0;
  const auto bytes = [](const TensorAccess& tensor) {
    return static_cast<double>(tensor.element_count()) * static_cast<double>(bytes_of(tensor.type));
  };
  double total = bytes(task.op->output);
  for (const TensorAccess& input : task.op->inputs) total += bytes(input);
  for (const TensorAccess& operand : task.op->operands) total += bytes(operand);
  return total;
}

}  // namespace kernelscape::task
