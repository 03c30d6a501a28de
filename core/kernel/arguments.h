#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/task/tensor_operator.h"

namespace kernelscape::kernel {

/**
 * Checks that a kernel's arguments are the operator's tensors (inputs, the output, operands of the epilogue):
 * their count, types, shapes and layouts.
 */
Status check_arguments(const task::TensorOperator& op, const std::vector<codegen::KernelArgument>& arguments);

}  // namespace kernelscape::kernel
