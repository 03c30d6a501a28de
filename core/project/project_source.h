#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/project/kernel_project.h"
#include "core/space/search_space.h"

namespace kernelscape {

/** What names of expressions mean in a configuration: parameters their values, ProblemSize its list. */
PythonNames names_of_configuration(const KernelProject& project, const SearchSpace& space,
                                   const Configuration& configuration);

/** The name of a file as #line takes it. */
std::string name_in_line_directive(std::string_view file);

/**
 * The project's source with its macros set, as it is compiled: a line for each parameter, then the file. A
 * truth value is 1 or 0, a text stands as it is. Compilers count lines as the file does.
 */
std::string expanded_source(const KernelProject& project, const SearchSpace& space,
                            const Configuration& configuration);

/** The longest extent of a block, threads in all and bytes that a device can launch. 0: not limited. */
struct LaunchLimits {
  std::array<std::int64_t, 3> block{};
  std::array<std::int64_t, 3> grid{};
  std::int64_t threads = 0;
  std::int64_t shared_bytes = 0;  ///< CUDA's dynamic shared memory, or Local arguments together
};

/**
 * Grid, block and memory of a configuration by T1's rules, and flags; all ones for C. InvalidArgument says
 * which rule gives what can't be launched: a size that is no whole number or below 1, threads of OpenCL that
 * no whole blocks make, more than the limits.
 */
Result<Launch> launch_of(const KernelProject& project, const PythonNames& names, const LaunchLimits& limits);

/** The function of a C source that callable_source() adds. */
inline constexpr std::string_view program_entry = "kernelscape_program_entry";

/**
 * Returns lines of C that end the macros named like an identifier of `text`: a parameter of a project may
 * have any name, `int` and `const` included. Macros named like an identifier of `entry` stay, since they may
 * choose the function.
 */
std::string without_macros(std::string_view text, std::string_view entry);

/**
 * A user's C source as workers call it:
 *
 *   void kernelscape_program_entry(int part, int parts, void* const* arguments)
 *
 * The added function calls the entry with each argument from its pointer: that of a Vector as it is, a Scalar
 * by value. It stands behind the source, so that the compiler checks the call and knows how arguments are
 * passed. No macro of the source or of a parameter reaches it, except one named like the entry.
 */
KernelSource callable_source(KernelSource source, const std::vector<ProgramArgument>& arguments);

}  // namespace kernelscape
