#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

/**
 * Returns "std::runtime_error: TEXT" of what the library of C++ writes when an exception ends a process (that
 * of GCC, or that of LLVM); an empty string where the output says nothing of the kind.
 */
std::string exception_in(std::string_view output);

}  // namespace kernelscape
