#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelscape::codegen {

// How a CPU's kernels in C read f16 and bf16, which they store as unsigned short and convert to f32, and how
// they multiply bf16 in pairs. The texts need no header and no compiler that has types of 16 bits: Clang 14
// has _Float16 on x86 only with AVX512-FP16, and __bf16 differs between GCC 12 and 13.

/** Returns true for the element types f16 and bf16. */
bool is_half(std::string_view element_type);

/** Returns the definitions of from_f16 and from_bf16 that `body` calls: an element as a float. */
std::string half_scalar_functions(std::string_view body);

/**
 * Returns the definitions of load_f16_xN, broadcast_f16_xN, load_bf16_xN and broadcast_bf16_xN for N lanes
 * that `body` calls. They return a float_xN, which must be defined before. Every value is converted exactly,
 * including denormals, infinities and NaN.
 */
std::string half_vector_functions(std::string_view body, std::int64_t lanes);

/** Returns a note for a kernel that multiplies bf16 in pairs. */
std::string bf16_group_note(std::string_view body);

/**
 * Returns the body of a function of (sum, data, weight) as that of bf16_dot_product(), by two multiply-adds
 * of f32.
 */
std::string bf16_products(std::int64_t lanes);

/**
 * Returns the body of a function of (sum, data, weight) that adds to each lane of the sum, a float, the
 * products of the two bf16 that the 32-bit lanes of data and weight hold.
 */
std::string bf16_dot_product(std::int64_t lanes);

}  // namespace kernelscape::codegen
