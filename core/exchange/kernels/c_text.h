#pragma once

#include <string>
#include <string_view>

#include "core/loop_nest/layout.h"

namespace kernelscape {

/** A text inside a comment of C: it cannot end it, begin another, or break the line. */
std::string c_comment(std::string_view text);

/** A string literal of C with its quotes. */
std::string c_string(std::string_view text);

/** An argument of CMake with its quotes, as it stands: nothing in it is expanded or taken apart. */
std::string cmake_string(std::string_view text);

/** A word of a shell's command line: in single quotes where the shell would take it apart. */
std::string shell_word(std::string_view text);

/** Whether C and CMake take it as the name of a function, a file and a target. */
bool is_c_name(std::string_view name);

/**
 * The physical offset of an element as an expression of C in elements: "(i0 * 4 + i1 / 16) * 16 + i1 % 16",
 * with i0, i1, ... the indices into the layout's shape.
 */
std::string offset_expression(const Layout& layout);

/** "data[i0][i1][i2]" with as many indices as the layout's shape has. */
std::string indexed(std::string_view tensor, const Layout& layout);

/** "[4][56][56][16]": extents of the physical box. */
std::string physical_extents(const Layout& layout);

}  // namespace kernelscape
