#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/project/kernel_project.h"

namespace kernelscape {

/**
 * Kernels of the CPU are in C or C++; both are Dialect::C, since targets, builders and workers treat them
 * alike. A source in C++ has this flag, which tells the compiler so: the language is thus stored, hashed and
 * sent wherever the flags are.
 */
inline constexpr std::string_view cpp_flag = "-xc++";

/** Whether the flags compile a source of Dialect::C as C++. */
bool is_cpp(const std::vector<std::string>& flags);

/** Whether compilers take a file for C++ by its ending: .cpp, .cc, .cxx, .C and the like. */
bool has_cpp_ending(std::string_view file_name);

/** "C", "C++", "CUDA" or "OpenCL". */
std::string language_of(const KernelProject& project);

/** Says how many processors a kernel of the CPU gets, such as "2, one for each part".
 * @param threads of the session, see MeasureOptions::kernel_threads() */
std::string processors_text(bool parts, int threads);

}  // namespace kernelscape
