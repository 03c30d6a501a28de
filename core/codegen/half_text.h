#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelscape::codegen {

// How a CPU's kernels in C read f16 and bf16, which they store as unsigned short and convert to f32. The
// texts need no header and no compiler that has types of 16 bits: Clang 14 has _Float16 on x86 only with
// AVX512-FP16, and __bf16 differs between GCC 12 and 13.

/** Returns true for the element types f16 and bf16. */
bool is_half(std::string_view element_type);

/** Returns the definitions of from_f16 and from_bf16 that `body` calls: an element as a float. */
std::string half_scalar_functions(std::string_view body);

/**
 * Returns the definitions of load_f16_xN, broadcast_f16_xN, load_bf16_xN and broadcast_bf16_xN for N lanes
 * that `body` calls. They return a float_xN, which must be defined before. Every value is converted exactly,
 * including infinities, NaN and denormals: those of f16 only while the processor does not take denormals for
 * zero (DAZ), unless the conversion is an instruction.
 */
std::string half_vector_functions(std::string_view body, std::int64_t lanes);

}  // namespace kernelscape::codegen
