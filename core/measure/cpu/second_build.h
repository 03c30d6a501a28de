#pragma once

#include <string>

#include "core/base/result.h"
#include "core/codegen/kernel_source.h"
#include "core/machine_code/machine_code.h"

namespace kernelscape::measure {

/**
 * Returns the assembly of a CPU kernel with line tables, for parse_assembly(). It is compiled with the
 * kernel's own flags by `compiler`, which must not be named by an imported file. Line tables change no
 * instruction: the timed kernel is a separate build without them. Returns Environment with the compiler's
 * message on failure.
 */
Result<std::string> second_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds);

/** A shared object whose instructions can be found by their addresses. */
struct SampledBuild {
  std::string artefact;            ///< bytes of the shared object, see machine_code::with_instruction_table()
  machine_code::MachineCode code;  ///< its instructions, in the order of the table
};

/**
 * Builds a CPU kernel for sampling: assembles the text of second_build() with a table of its instructions'
 * addresses. The instructions are those of the timed build. Errors: as second_build().
 */
Result<SampledBuild> sampled_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                   double timeout_seconds);

}  // namespace kernelscape::measure
