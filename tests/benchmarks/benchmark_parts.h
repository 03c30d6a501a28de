#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

/** What a benchmark's command line chooses among. */
namespace kernelscape {

template <typename Options>
struct BenchmarkPart {
  std::string_view name;
  void (*run)(const Options&);
};

/**
 * Runs the named parts, or all. @param take sets an option that has a value; false: it is none of the
 * benchmark's
 * @return the exit code
 */
template <typename Options, typename Take>
int run_parts(int argc, char** argv, std::span<const BenchmarkPart<Options>> parts, const Take& take) {
  Options options;
  std::vector<BenchmarkPart<Options>> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto part = std::ranges::find(parts, argument, &BenchmarkPart<Options>::name);
    if (i + 1 < argc && take(options, argument, argv[i + 1])) {
      ++i;
    } else if (part != parts.end()) {
      chosen.push_back(*part);
    } else {
      fmt::print(stderr, "\"{}\" is no part of this benchmark\n", argument);
      return 2;
    }
  }
  if (chosen.empty()) chosen.assign(parts.begin(), parts.end());
  for (const BenchmarkPart<Options>& part : chosen) {
    fmt::print("\n{}:\n", part.name);
    std::fflush(stdout);
    part.run(options);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace kernelscape
