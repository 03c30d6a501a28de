#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/project/program_data.h"

namespace kernelscape::project {

/** Returns true if a file begins with the signature of NumPy files. */
bool is_numpy_file(std::string_view file);

/**
 * Returns the elements of a .npy file, versions 1 to 3 (NEP 1), in this machine's byte order. Errors name the
 * reason: another type, another byte order, column-major order, structures and objects, another number of
 * elements, a truncated file, or bytes behind the data.
 * @param elements required number of elements
 */
Result<std::string> numpy_elements(std::string_view file, ElementType type, std::uint64_t elements);

}  // namespace kernelscape::project
