#include "core/measure/worker/openmp_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/visible_text.h"

namespace kernelscape {
namespace {

/** Prefixes of OpenMP itself, and of the libraries of GCC and LLVM. */
constexpr auto prefixes = std::to_array<std::string_view>({"OMP_", "GOMP_", "KMP_", "LIBOMP_"});
constexpr auto binding_variables =
    std::to_array<const char*>({"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"});

}  // namespace

std::vector<std::string> openmp_notices() {
  std::vector<std::string> notices;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (std::ranges::none_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); }))
      continue;
    const bool binds = std::ranges::any_of(
        binding_variables, [&](std::string_view name) { return text.substr(0, text.find('=')) == name; });
    notices.push_back(fmt::format(
        "the environment had {}: {}", one_line(std::string(text)),
        binds ? "it was not passed to kernels, whose threads can't be bound; unset it, since it may "
                "bind this program to one processor"
              : "kernels inherited it"));
  }
  std::ranges::sort(notices);
  return notices;
}

std::vector<std::string> openmp_environment(int threads) {
  std::vector<std::string> variables{"OMP_PROC_BIND=false"};  // the other variables are then ignored
  if (std::getenv("KMP_AFFINITY") != nullptr) variables.emplace_back("KMP_AFFINITY=disabled");
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    variables.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  return variables;
}

}  // namespace kernelscape
