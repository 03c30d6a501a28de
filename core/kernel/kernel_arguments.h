#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/task/tensor_operator.h"

namespace kernelscape {

/** Whether a kernel's arguments are the operator's tensors, inputs first: count, types, shapes, sane layouts.
 */
Status check_arguments(const TensorOperator& op, const std::vector<KernelArgument>& arguments);

}  // namespace kernelscape
