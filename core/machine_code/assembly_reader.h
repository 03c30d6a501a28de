#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace kernelscape::machine_code {

/**
 * Splits an assembly text into lines. Comments and directives are dropped. Lines of source are taken from
 * .loc and from the information on inlined calls of GCC's -dA and of Clang: an instruction of a helper is
 * attributed to the line that calls the helper. The lines have text, kind and line of source; all labels are
 * kept.
 */
std::vector<MachineLine> read_assembly(std::string_view text, const AssemblyOptions& options);

}  // namespace kernelscape::machine_code
