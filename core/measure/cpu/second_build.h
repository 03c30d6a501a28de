#pragma once

#include <string>

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

}  // namespace kernelscape
