#pragma once

#include <string>
#include <string_view>

namespace kernelscape::measure {

/**
 * Returns "std::runtime_error: TEXT" from the message that the C++ library (of GCC or LLVM) writes when an
 * exception ends a process; an empty string if the output has no such message.
 */
std::string exception_in(std::string_view output);

}  // namespace kernelscape::measure
