#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/media/c_source.h"
#include "core/loop_nest/layout.h"

namespace kernelscape {

/** Whether C and CMake take it as the name of a function, a file and a target. */
bool is_c_name(std::string_view name);

/** An element's type of an exported tensor: as the program calls it, and in C. */
struct TensorElement {
  Literal name;            ///< "u8"
  Literal c_name;          ///< "unsigned char"
  std::int64_t bytes = 0;  ///< of one element
};

/** What is known of a type that kernels of CPUs have: f32, u8, i8 and i32. None of any other. */
std::optional<TensorElement> tensor_element(std::string_view name);

/**
 * The physical offset of an element as an expression of C in elements: "(i0 * 4 + i1 / 16) * 16 + i1 % 16",
 * with i0, i1, ... the indices into the layout's shape.
 */
CSourceText offset_expression(const Layout& layout);

/** "data[i0][i1][i2]" with as many indices as the layout's shape has. */
CSourceText indexed(const CSourceText& tensor, const Layout& layout);

/** "[4][56][56][16]": extents of the physical box. */
CSourceText physical_extents(const Layout& layout);

}  // namespace kernelscape
