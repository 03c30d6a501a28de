#include "core/measure/cpu/second_build.h"

#include <fmt/format.h>

#include <utility>

#include "core/measure/cpu/compiler.h"

namespace kernelscape::measure {

Result<std::string> second_build(const codegen::KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds) {
  const base::TemporaryFolder folder = TRY(base::TemporaryFolder::make());
  BuildRequest request;
  request.compiler = compiler;
  request.flags = kernel.flags.words();
  // With -dA, GCC names the contents of the tables: from which line a helper's instructions were called.
  for (const char* flag : {"-S", "-g1", "-dA"}) request.flags.emplace_back(flag);
  request.text = kernel.text;
  request.timeout_seconds = timeout_seconds;
  BuildReply reply = compile_shared_object(request, folder);
  if (reply.status == BuildStatus::Built) return std::move(reply.artefact);
  return fail(ErrorCode::Environment, fmt::format("the compiler made no assembly: {}", reply.message),
              reply.hint);
}

}  // namespace kernelscape::measure
