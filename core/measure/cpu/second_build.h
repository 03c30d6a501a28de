#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"

namespace kernelscape {

/**
 * A CPU kernel's assembly with line tables, for parse_assembly(): compiled with the kernel's own flags by
 * `compiler`, which nothing that comes from a file may name. Tables change no instruction: what is timed is
 * another build without them. Errors: Environment, with the compiler's own words.
 */
Result<std::string> second_build(const KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds);

/** Whether two texts of assembly for this machine have the same instructions: comments, directives and the
 * names of labels do not count. @param entry the kernel's name */
bool instructions_alike(std::string_view one, std::string_view other, const std::string& entry);

}  // namespace kernelscape
