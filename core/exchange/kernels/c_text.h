#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/media/c_source.h"
#include "core/loop_nest/layout.h"

namespace kernelscape::exchange {

/** Returns true if the name is valid as a function name in C, a file name and a CMake target. */
bool is_c_name(std::string_view name);

/** An element type of an exported tensor: its name in this program, and in C. */
struct TensorElement {
  base::Literal name;      ///< "u8"
  base::Literal c_name;    ///< "unsigned char"
  std::int64_t bytes = 0;  ///< of one element
};

/**
 * Returns the properties of a type that CPU kernels have: f32, f16, bf16, u8, i8 and i32; nullopt for any
 * other type. The bits of f16 and bf16 are stored.
 */
std::optional<TensorElement> tensor_element(std::string_view name);

/**
 * Returns the physical offset of an element as an expression of C in elements: "(i0 * 4 + i1 / 16) * 16 + i1
 * % 16", where i0, i1, ... are the indices into the layout's shape.
 */
base::CSourceText offset_expression(const loop_nest::Layout& layout);

/** Returns "data[i0][i1][i2]" with as many indices as the layout's shape has dimensions. */
base::CSourceText indexed(const base::CSourceText& tensor, const loop_nest::Layout& layout);

/** Returns the extents of the physical box: "[4][56][56][16]". */
base::CSourceText physical_extents(const loop_nest::Layout& layout);

}  // namespace kernelscape::exchange
