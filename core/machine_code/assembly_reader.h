#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace kernelscape {

/**
 * Takes a text apart: comments and directives go, lines of source come from .loc and from what GCC's -dA and
 * Clang say of inlined calls: an instruction of a helper belongs to the line that calls it. Lines have text,
 * kind and line of source; all labels are there.
 */
std::vector<MachineLine> read_assembly(std::string_view text, const AssemblyOptions& options);

}  // namespace kernelscape
