#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/project/kernel_project.h"
#include "core/space/search_space.h"

namespace kernelscape::project {

/** Returns the meaning of names in a configuration: values of parameters, and the list ProblemSize. */
PythonNames names_of_configuration(const KernelProject& project, const space::SearchSpace& space,
                                   const space::Configuration& configuration);

/** Returns the name of a file in the form of a #line directive. */
std::string name_in_line_directive(std::string_view file);

/**
 * Returns the project's source as it is compiled: a line that defines the macro of each parameter, then the
 * file. Truth values are 1 or 0; texts are inserted unchanged. Line numbers of compilers are those of the
 * file.
 */
std::string expanded_source(const KernelProject& project, const space::SearchSpace& space,
                            const space::Configuration& configuration);

/**
 * The launch limits of a device: extents of a block, threads of a block, and bytes of shared memory. 0: not
 * limited.
 */
struct LaunchLimits {
  std::array<std::int64_t, 3> block{};
  std::array<std::int64_t, 3> grid{};
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;  ///< CUDA's dynamic shared memory, or the sum of Local arguments
};

/**
 * Computes grid, block and memory of a configuration by T1's rules and flags; all ones for C. InvalidArgument
 * names the rule whose result can't be launched: a size that is no integer or below 1, OpenCL threads that
 * are no multiple of the block, or values above the limits.
 */
Result<codegen::Launch> launch_of(const KernelProject& project, const PythonNames& names,
                                  const LaunchLimits& limits);

/** The name of the function that callable_source() adds to a C source. */
inline constexpr std::string_view program_entry = "kernelscape_program_entry";

/**
 * Returns lines of C that undefine the macros named like an identifier of `text`: a parameter of a project
 * may have any name, `int` and `const` included. Macros named like an identifier of `entry` stay defined,
 * since they may choose the function.
 */
std::string without_macros(std::string_view text, std::string_view entry);

/**
 * Returns a user's C source in the form that workers call:
 *
 *   void kernelscape_program_entry(int part, int parts, void* const* arguments)
 *
 * The added function calls the entry with each argument from its pointer: a Vector is passed as the pointer,
 * a Scalar by value. It follows the source, so that the compiler checks the call and knows how arguments are
 * passed. No macro of the source or of a parameter affects it, except a macro named like the entry.
 */
codegen::KernelSource callable_source(codegen::KernelSource source,
                                      const std::vector<ProgramArgument>& arguments);

}  // namespace kernelscape::project
