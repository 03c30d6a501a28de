// Our best kernels against oneDNN's: real tuning runs of the command line, each with its own database entry,
// ending with both sides measured again in turns.
//   kernels_benchmark [--trials N] [TASK:TEMPLATE...]
#include <cstdlib>

#include "tests/benchmarks/tuning_runs.h"

using namespace kernelscape::tuning_runs;

int main(int argc, char** argv) {
  Comparison comparison{.vendor = "oneDNN"};
  std::vector<Job> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--trials" && i + 1 < argc) {
      comparison.trials = std::max(1, std::atoi(argv[++i]));
      continue;
    }
    const std::size_t colon = argument.rfind(':');
    if (colon == std::string::npos) {
      fmt::print(stderr, "\"{}\" is no TASK:TEMPLATE\n", argument);
      return 2;
    }
    chosen.push_back({argument.substr(0, colon), argument.substr(colon + 1)});
  }
  if (!chosen.empty()) {
    compare(chosen, comparison);
    return 0;
  }
  std::vector<Job> convolutions;
  for (int layer = 1; layer <= 12; ++layer)
    convolutions.push_back({fmt::format("resnet18/C{}", layer), "conv2d-packed"});
  comparison.goal = 0.90;
  compare(convolutions, comparison);
  comparison.goal = 0.85;
  compare({{"matmul 512x1024 1024x1024 f32", "matmul-packed"},
           {"matmul 1024x1024 1024x1024 f32", "matmul-packed"},
           {"matmul 32x2048 2048x1000 f32", "matmul-packed"}},
          comparison);
  return 0;
}
