#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/project/kernel_project.h"

namespace kernelscape::project {

/**
 * Returns true if a language names functions as C++ does: "scale", "ns::scale", "ns::scale<float, {TILE}>".
 */
bool names_as_cpp(codegen::Dialect dialect, const std::vector<std::string>& flags);

/** Returns true if the text is a function's name: an identifier, or a function name of C++. */
bool is_function_name(std::string_view name, bool as_cpp);

/** Returns the identifier in the function's definition: "scale" for "ns::scale<float, 4>". */
std::string_view identifier_of_function(std::string_view name);

/** Returns the function's name for a configuration: expressions in braces are replaced by their values. */
Result<std::string> entry_of(const KernelProject& project, const PythonNames& names);

}  // namespace kernelscape::project
