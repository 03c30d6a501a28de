#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/project/program_data.h"

namespace kernelscape {

/**
 * Returns the source of the function that workers call (see callable_source()) for an entry in C++, which may
 * be in a namespace, an instance of a template or one of several overloads. Pointers are passed with the
 * types of the project's arguments or, if the entry takes other types, with those of its parameters. An
 * exception that leaves the entry ends the process, which then writes the exception's type and text.
 */
std::string cpp_call(const KernelSource& source, const std::vector<ProgramArgument>& arguments);

}  // namespace kernelscape
