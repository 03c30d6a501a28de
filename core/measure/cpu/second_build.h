#pragma once

#include <string>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"

namespace kernelscape::measure {

/**
 * Returns the assembly of a CPU kernel with line tables, for parse_assembly(). It is compiled with the
 * kernel's own flags by `compiler`, which must not be named by an imported file. Line tables change no
 * instruction: the timed kernel is a separate build without them. Returns Environment with the compiler's
 * message on failure.
 */
Result<std::string> second_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds);

}  // namespace kernelscape::measure
