#include "core/measure/cpu/second_build.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/machine_code/instruction_table.h"
#include "core/measure/cpu/compiler.h"

namespace kernelscape::measure {
namespace {

/** Compiles or assembles a kernel's text with its flags and further ones, and returns what was made. */
Result<std::string> made_by_compiler(const codegen::KernelSource& kernel, const std::string& compiler,
                                     std::string text, const std::vector<std::string>& further_flags,
                                     const std::string& wanted, double timeout_seconds) {
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make());
  BuildRequest request;
  request.compiler = compiler;
  request.flags = kernel.flags.words();
  request.flags.insert(request.flags.end(), further_flags.begin(), further_flags.end());
  request.text = std::move(text);
  request.timeout_seconds = timeout_seconds;
  BuildReply reply = compile_shared_object(request, folder);
  if (reply.status == BuildStatus::Built) return std::move(reply.artefact);
  return fail(ErrorCode::Environment, fmt::format("the compiler made no {}: {}", wanted, reply.message),
              reply.hint);
}

}  // namespace

Result<std::string> second_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds) {
  // With -dA, GCC names the contents of the tables: from which line a helper's instructions were called.
  return made_by_compiler(kernel, compiler, kernel.text, {"-S", "-g1", "-dA"}, "assembly", timeout_seconds);
}

Result<SampledBuild> sampled_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                   double timeout_seconds) {
  const std::string assembly = TRY(second_build(kernel, compiler, timeout_seconds));
  SampledBuild build;
  build.code = machine_code::parse_assembly(
      assembly, {.language = machine_code::own_machine_language(), .entry = kernel.entry});
  std::string text = machine_code::with_instruction_table(assembly, build.code);
  if (text.empty())
    return fail(ErrorCode::Environment, "the kernel's instructions are not found in its assembly",
                "compile kernels with GCC or Clang on x86-64 or AArch64");
  build.artefact = TRY(made_by_compiler(kernel, compiler, std::move(text), {"-x", "assembler"},
                                        "shared object with a table of instructions", timeout_seconds));
  return build;
}

}  // namespace kernelscape::measure
