#pragma once

#include <vector>

#include "core/machine_code/decoded_instruction.h"
#include "core/machine_code/machine_code.h"

namespace kernelscape {

/**
 * Natural loops of the lines' flow of control (A. V. Aho, M. S. Lam, R. Sethi, J. D. Ullman,
 * "Compilers", 9.6): fills in `loops` but for their mixes, and every line's `loop`. `decoded` has an element
 * per line.
 */
void find_loops(MachineCode& code, const std::vector<DecodedInstruction>& decoded);

}  // namespace kernelscape
