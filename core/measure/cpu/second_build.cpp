#include "core/measure/cpu/second_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "core/measure/cpu/compiler.h"

namespace kernelscape {
namespace {

/** Instructions with labels numbered as they are first named. */
std::vector<std::string> with_numbered_labels(std::string_view assembly, const std::string& entry) {
  const MachineCode code = parse_assembly(assembly, {.language = own_machine_language(), .entry = entry});
  std::map<std::string, std::size_t> numbers;
  std::vector<std::string> result;
  for (const MachineLine& line : code.lines) {
    std::string text = line.text;
    // Compilers' own labels alone: a number, perhaps behind letters and a dot.
    const std::size_t at = text.find(".L");
    if (at != std::string::npos) {
      const std::size_t end = std::min(text.find_first_of(" ,()", at), text.size());
      const std::size_t number = numbers.try_emplace(text.substr(at, end - at), numbers.size()).first->second;
      text = fmt::format("{}label {}{}", text.substr(0, at), number, text.substr(end));
    }
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace

Result<std::string> second_build(const KernelSource& kernel, const std::string& compiler,
                                 double timeout_seconds) {
  const TemporaryFolder folder = TRY(TemporaryFolder::make());
  BuildRequest request;
  request.compiler = compiler;
  request.flags = kernel.flags.words();
  // GCC names with -dA what the tables hold: from which line a helper's instructions were called.
  for (const char* flag : {"-S", "-g1", "-dA"}) request.flags.emplace_back(flag);
  request.text = kernel.text;
  request.timeout_seconds = timeout_seconds;
  BuildReply reply = compile_shared_object(request, folder);
  if (reply.status == BuildStatus::Built) return std::move(reply.artefact);
  return fail(ErrorCode::Environment, fmt::format("the compiler made no assembly: {}", reply.message),
              reply.hint);
}

bool instructions_alike(std::string_view one, std::string_view other, const std::string& entry) {
  return with_numbered_labels(one, entry) == with_numbered_labels(other, entry);
}

}  // namespace kernelscape
