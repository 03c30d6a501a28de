#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernelscape::codegen {

// How a CPU's kernels in C add up the products of a group of elements in each 32-bit lane of a vector: by an
// instruction where the compiler's flags allow it, else in plain C.

/**
 * Returns the body of a function of (sum, data, weight) that adds to each lane of the sum, an int, the
 * products of the four int8 that the lanes of data (u8) and weight (i8) hold.
 */
std::string byte_dot_product(std::int64_t lanes);

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
