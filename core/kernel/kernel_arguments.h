#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/**
 * Checks that a kernel's arguments are the operator's tensors, inputs first: their count, types, shapes and
 * layouts.
 */
Status check_arguments(const TensorOperator& op, const std::vector<KernelArgument>& arguments);

}  // namespace kernelscape
