#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape::project {

/**
 * The flag that marks a source as C++ and selects this language in the compiler. Kernels of the CPU are in C
 * or C++; both are Dialect::C, since targets, builders and workers treat them alike. The language is thus
 * stored, hashed and sent together with the flags.
 */
inline constexpr std::string_view cpp_flag = "-xc++";

/** Returns true if the flags compile a source of Dialect::C as C++. */
bool is_cpp(const std::vector<std::string>& flags);

/** Returns true if compilers take a file for C++ by its suffix: .cpp, .cc, .cxx, .C and the like. */
bool has_cpp_ending(std::string_view file_name);

/** Returns "C", "C++", "CUDA", "OpenCL" or "Program". */
std::string language_of(const KernelProject& project);

/**
 * Returns the number of processors that a kernel of the CPU gets, as text such as "2, one for each part".
 * @param threads threads of the session, see MeasureOptions::kernel_threads()
 */
std::string processors_text(bool parts, int threads);

}  // namespace kernelscape::project
