#pragma once

#include <vector>

#include "core/machine_code/decoded_instruction.h"
#include "core/machine_code/machine_code.h"

namespace kernelscape::machine_code {

/**
 * Finds the natural loops of the lines' control flow (A. V. Aho, M. S. Lam, R. Sethi, J. D. Ullman,
 * "Compilers", 9.6): fills in `loops` except for their mixes, and every line's `loop`. `decoded` has one
 * element per line.
 */
void find_loops(MachineCode& code, const std::vector<DecodedInstruction>& decoded);

}  // namespace kernelscape::machine_code
