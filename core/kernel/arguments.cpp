#include "core/kernel/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/task/winograd.h"

namespace kernelscape::kernel {
namespace {

constexpr std::int64_t max_elements = 1LL << 34;

/**
 * Returns true if a template may access the elements in this shape, which may differ from the tensor's: an
 * image's rows as one long row, a row as an image.
 */
bool is_reshape(const std::vector<std::int64_t>& shape, std::int64_t elements) {
  std::int64_t rest = elements;
  for (const std::int64_t extent : shape) {
    if (extent < 1 || rest % extent != 0) return false;
    rest /= extent;
  }
  return rest == 1;
}

/** Returns true if a layout arranges the tensor's elements, or its kernels of 3x3 transformed by Winograd. */
bool is_shape_of(const loop_nest::Layout& layout, const task::TensorAccess& tensor) {
  if (layout.winograd_tile == 0) return is_reshape(layout.shape, tensor.element_count());
  if (std::ranges::find(task::winograd_tiles(), layout.winograd_tile) == task::winograd_tiles().end())
    return false;
  constexpr std::int64_t taps = task::winograd_kernel;
  const std::int64_t size = layout.winograd_tile + taps - 1;
  return tensor.shape.size() == 4 && tensor.shape[2] == taps && tensor.shape[3] == taps &&
         layout.shape == std::vector<std::int64_t>{tensor.shape[0], tensor.shape[1], size, size};
}

Status check_argument(const task::TensorAccess& tensor, const codegen::KernelArgument& argument,
                      bool output) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::Internal, fmt::format("the kernel's argument `{}` is not the tensor `{}`: {}",
                                                 argument.name, tensor.tensor, reason));
  };
  if (argument.output != output) return refuse("inputs come first, then the output, then its operands");
  if (argument.element_type != task::to_string(tensor.type)) {
    return refuse(fmt::format("{} instead of {}", argument.element_type, task::to_string(tensor.type)));
  }
  if (!is_shape_of(argument.layout, tensor)) {
    return refuse(fmt::format("shape {} instead of {}", argument.layout.shape, tensor.shape));
  }
  double elements = 1;
  for (const loop_nest::LayoutDimension& dimension : argument.layout.dimensions) {
    const bool known =
        dimension.source >= 0 && static_cast<std::size_t>(dimension.source) < argument.layout.shape.size();
    if (!known || dimension.divisor < 1 || dimension.extent < 1) return refuse("its layout is damaged");
    elements *= static_cast<double>(dimension.extent);
  }
  if (elements > static_cast<double>(max_elements)) return refuse("its layout takes too much memory");
  return {};
}

}  // namespace

Status check_arguments(const task::TensorOperator& op,
                       const std::vector<codegen::KernelArgument>& arguments) {
  const std::size_t tensors = op.inputs.size() + 1 + op.operands.size();
  if (op.inputs.size() != 2 || arguments.size() != tensors) {
    return fail(ErrorCode::Internal,
                fmt::format("the kernel takes {} tensors, the operator has {}", arguments.size(), tensors));
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) TRY(check_argument(op.inputs[i], arguments[i], false));
  TRY(check_argument(op.output, arguments[op.inputs.size()], true));
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    TRY(check_argument(op.operands[i], arguments[op.inputs.size() + 1 + i], false));
  return {};
}

}  // namespace kernelscape::kernel
