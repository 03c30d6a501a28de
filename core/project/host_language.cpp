#include "core/project/host_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/project/names.h"

namespace kernelscape::project {

bool is_cpp(const std::vector<std::string>& flags) {
  bool cpp = false;
  for (std::size_t index = 0; index < flags.size(); ++index) {
    const std::string_view flag = flags[index];
    if (!flag.starts_with("-x")) continue;
    // The last flag counts; "-x" may be a separate word.
    const bool apart = flag == "-x" && index + 1 < flags.size();
    cpp = (apart ? std::string_view(flags[index + 1]) : flag.substr(2)) == "c++";
  }
  return cpp;
}

bool has_cpp_ending(std::string_view file_name) {
  static constexpr auto endings =
      std::to_array<std::string_view>({".cpp", ".cc", ".cxx", ".C", ".c++", ".cp", ".CPP"});
  return std::ranges::any_of(endings, [&](std::string_view ending) { return file_name.ends_with(ending); });
}

std::string language_of(const KernelProject& project) {
  if (project.program) return "Program";
  if (project.dialect == codegen::Dialect::C && is_cpp(project.flags)) return "C++";
  return name_of(language_names, project.dialect);
}

std::string processors_text(bool parts, int threads) {
  if (parts) return fmt::format("{}, one for each of {} parts", threads, threads);
  return fmt::format("{}, for one call and the threads that the kernel starts", threads);
}

}  // namespace kernelscape::project
