#pragma once

#include <QTemporaryDir>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/codegen/kernel_source.h"
#include "core/machine_code/machine_code.h"
#include "tests/codegen/compiled_kernel.h"

namespace kernelscape::testing {

/** A kernel's assembly by the system's compiler, with further flags. */
inline std::string assembly_of_source(const codegen::KernelSource& kernel,
                                      const std::vector<std::string>& flags) {
  const QTemporaryDir folder;
  const std::string base = folder.filePath("kernel").toStdString();
  std::ofstream(base + ".c") << kernel.text;
  std::vector<std::string> command{"cc",    "-O2", "-fno-tree-vectorize", "-march=native", "-shared",
                                   "-fPIC", "-S"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", base + ".s", base + ".c"});
  const CompilerRun run = run_compiler(base, command);
  if (!run.succeeded) throw std::runtime_error("the compiler refuses a kernel: " + run.output);
  std::ifstream file(base + ".s");
  return {std::istreambuf_iterator<char>(file), {}};
}

/** The same with line tables, read. */
inline machine_code::MachineCode machine_code_of(const codegen::KernelSource& kernel) {
  return machine_code::parse_assembly(
      assembly_of_source(kernel, {"-g1", "-dA"}),
      {.language = machine_code::own_machine_language(), .entry = kernel.entry});
}

}  // namespace kernelscape::testing
