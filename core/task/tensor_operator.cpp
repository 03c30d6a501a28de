#include "core/task/tensor_operator.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kernelscape::task {
namespace {

/** Returns a name that no operand has yet. */
std::string operand_name(const std::vector<TensorAccess>& operands, const std::string& name) {
  const auto taken = [&](const std::string& text) {
    return std::ranges::find(operands, text, &TensorAccess::tensor) != operands.end();
  };
  std::string numbered = name;
  for (int number = 2; taken(numbered); ++number) numbered = name + std::to_string(number);
  return numbered;
}

}  // namespace

std::string to_string(ScalarType type) {
  switch (type) {
    case ScalarType::F16:
      return "f16";
    case ScalarType::BF16:
      return "bf16";
    case ScalarType::F32:
      return "f32";
    case ScalarType::F64:
      return "f64";
    case ScalarType::I8:
      return "i8";
    case ScalarType::U8:
      return "u8";
    case ScalarType::I32:
      return "i32";
  }
  throw std::logic_error("unknown scalar type");
}

std::int64_t bytes_of(ScalarType type) {
  switch (type) {
    case ScalarType::I8:
    case ScalarType::U8:
      return 1;
    case ScalarType::F16:
    case ScalarType::BF16:
      return 2;
    case ScalarType::F32:
    case ScalarType::I32:
      return 4;
    case ScalarType::F64:
      return 8;
  }
  throw std::logic_error("unknown scalar type");
}

std::int64_t TensorAccess::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

double TensorOperator::flops() const {
  double count = 2;
  for (const TensorAxis& axis : axes) count *= static_cast<double>(axis.extent);
  return count;
}

void set_epilogue(TensorOperator& op, const std::vector<EpilogueStep>& steps, std::size_t first,
                  std::size_t count) {
  op.epilogue = steps;
  op.operands.clear();
  for (const EpilogueStep& step : steps) {
    if (!has_operand(step.kind)) continue;
    TensorAccess operand = op.output;
    if (step.kind == EpilogueKind::Add) {
      operand.tensor = operand_name(op.operands, "residual");
    } else {
      operand.tensor = operand_name(op.operands, step.kind == EpilogueKind::Bias ? "bias" : "scale");
      const auto begin = static_cast<std::ptrdiff_t>(first);
      const auto end = static_cast<std::ptrdiff_t>(first + count);
      operand.shape.assign(op.output.shape.begin() + begin, op.output.shape.begin() + end);
      operand.indices.assign(op.output.indices.begin() + begin, op.output.indices.begin() + end);
    }
    op.operands.push_back(std::move(operand));
  }
}

}  // namespace kernelscape::task
