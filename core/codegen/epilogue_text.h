#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "core/codegen/dialect.h"
#include "core/task/epilogue.h"

namespace kernelscape::codegen {

/**
 * Returns the C expression of a step without an operand on `lanes` floats: "clip_x8(value, 0.0f, 6.0f)". The
 * value is a vector of epilogue_functions(); a float if `lanes` is 1.
 */
std::string step_expression(const task::EpilogueStep& step, std::string_view value, std::int64_t lanes);

/**
 * Returns the C functions that step_expression() calls for these steps and `lanes`, without headers, for GCC
 * and Clang. They expect the types float_xLANES and int_xLANES, and define them themselves for 1 lane. All
 * keep NaN, as ONNX's operators do.
 *
 * exp is 2^k times a polynomial of degree 7 (that of Cephes' expf), with a relative error below 2e-7 between
 * -87 and 88; arguments beyond are clamped. Sigmoid, SiLU, tanh and the approximation of GELU by tanh follow
 * from it. GELU takes erf from formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions,
 * whose absolute error is below 1.5e-7: that of GELU is then below 7.5e-8 |x|, plus roundings.
 */
std::string epilogue_functions(const std::set<task::EpilogueKind>& kinds, std::int64_t lanes);

/** Returns the expression of a step without an operand on the variable `value`, in CUDA C++ or OpenCL C. */
std::string gpu_step_expression(const task::EpilogueStep& step, Dialect dialect);

}  // namespace kernelscape::codegen
