#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/project/program_data.h"

namespace kernelscape::project {

/**
 * Returns the source of the function that workers call (see callable_source()) for an entry in C++, which may
 * be in a namespace, an instance of a template or one of several overloads. Pointers are passed with the
 * types of the project's arguments or, if the entry takes other types, with those of its parameters. An
 * exception that leaves the entry ends the process, which then writes the exception's type and text.
 */
std::string cpp_call(const codegen::KernelSource& source, const std::vector<ProgramArgument>& arguments);

/** A function that calls an entry in C++ and has C's linkage, for programs that take the kernel home. */
struct CppWrapper {
  std::string declaration;  ///< for C with <stdbool.h> and C++; a header gives it C's linkage
  std::string definition;   ///< to stand behind the source, as what cpp_call() returns
};

/**
 * Returns the wrapper of an entry: it takes the part and the number of parts where the entry does, then the
 * project's arguments in their order, and calls the entry as cpp_call() does.
 */
CppWrapper cpp_wrapper(const codegen::KernelSource& source, const std::vector<ProgramArgument>& arguments,
                       std::string_view name);

}  // namespace kernelscape::project
