#include "core/measure/worker/openmp_environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/visible_text.h"

namespace kernelscape::measure {
namespace {

/** Prefixes of OpenMP itself, and of the libraries of GCC and LLVM. */
constexpr auto prefixes = std::to_array<std::string_view>({"OMP_", "GOMP_", "KMP_", "LIBOMP_"});
constexpr auto binding_variables =
    std::to_array<const char*>({"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"});

/** Returns the variables as "NAME=VALUE", in order. */
std::vector<std::string> openmp_variables() {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); }))
      variables.emplace_back(text);
  }
  std::ranges::sort(variables);
  return variables;
}

}  // namespace

std::vector<std::string> openmp_notices() {
  std::vector<std::string> notices;
  for (const std::string& text : openmp_variables()) {
    const bool binds = std::ranges::any_of(binding_variables, [&](std::string_view name) {
      return std::string_view(text).substr(0, text.find('=')) == name;
    });
    notices.push_back(fmt::format(
        "the environment had {}: {}", base::one_line(text),
        binds ? "it was not passed to kernels, whose threads can't be bound; unset it, since it may "
                "bind this program to one processor"
              : "kernels inherited it"));
  }
  return notices;
}

std::vector<std::string> drop_openmp_variables() {
  std::vector<std::string> notices;
  for (const std::string& text : openmp_variables()) {
    unsetenv(text.substr(0, text.find('=')).c_str());
    notices.push_back(fmt::format(
        "the environment had {}: it was dropped, since kernels are to run alike on all machines of a fleet",
        base::one_line(text)));
  }
  return notices;
}

std::vector<std::string> openmp_environment(int threads) {
  std::vector<std::string> variables{"OMP_PROC_BIND=false"};  // the other variables are then ignored
  if (std::getenv("KMP_AFFINITY") != nullptr) variables.emplace_back("KMP_AFFINITY=disabled");
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    variables.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  return variables;
}

}  // namespace kernelscape::measure
