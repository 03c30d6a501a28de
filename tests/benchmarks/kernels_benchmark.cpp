// Our best kernels against oneDNN's: real tuning runs of the command line, each with its own database entry,
// ending with both sides measured again in turns.
//   kernels_benchmark [--trials N] [--tuner NAME] [--exact] [--epilogue +bias+relu] [TASK[:TEMPLATE]...]
// Without tasks: the twelve layers of ResNet-18, then three multiplications. Without a template: the one that
// `kernelscape tune` chooses, with --exact a direct one. The epilogue is appended to each convolution.
#include <cstdlib>

#include "tests/benchmarks/tuning_runs.h"

using namespace kernelscape::tuning_runs;

namespace {

struct Options {
  Comparison comparison{.vendor = "oneDNN", .trials = 300, .goal = 1.10};
  std::string tuner = "nose";
  std::string epilogue;
  std::vector<std::string> tasks;
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (argument == "--trials")
      options.comparison.trials = std::max(1, std::atoi(value().c_str()));
    else if (argument == "--tuner")
      options.tuner = value();
    else if (argument == "--epilogue")
      options.epilogue = value();
    else if (argument == "--exact")
      options.comparison.exact = true;
    else
      options.tasks.push_back(argument);
  }
  return options;
}

Job job_of(const std::string& task, const Options& options) {
  const std::size_t colon = task.rfind(':');
  return {.task = task.substr(0, colon) + options.epilogue,
          .template_name = colon == std::string::npos ? std::string() : task.substr(colon + 1),
          .tuner = options.tuner};
}

std::vector<Job> jobs_of(const std::vector<std::string>& tasks, const Options& options) {
  std::vector<Job> jobs;
  for (const std::string& task : tasks) jobs.push_back(job_of(task, options));
  return jobs;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = options_of(argc, argv);
  const bool all = options.tasks.empty();
  for (int layer = 1; all && layer <= 12; ++layer)
    options.tasks.push_back(fmt::format("resnet18/C{}", layer));
  compare(jobs_of(options.tasks, options), options.comparison);
  if (!all || !options.epilogue.empty()) return 0;
  options.comparison.goal = 1.05;
  compare(jobs_of({"matmul 512x1024 1024x1024 f32", "matmul 1024x1024 1024x1024 f32",
                   "matmul 32x2048 2048x1000 f32"},
                  options),
          options.comparison);
  return 0;
}
