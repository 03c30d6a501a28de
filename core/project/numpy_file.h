#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/project/program_data.h"

namespace kernelscape {

/** Whether a file begins as NumPy's. */
bool is_numpy_file(std::string_view file);

/**
 * The elements of a .npy file, versions 1 to 3 (NEP 1), in this machine's order. Errors say what is refused:
 * another type, another byte order, columns first, structures and objects, another number of elements, an end
 * too early or bytes behind it.
 * @param elements that the file has to have
 */
Result<std::string> numpy_elements(std::string_view file, ElementType type, std::uint64_t elements);

}  // namespace kernelscape
