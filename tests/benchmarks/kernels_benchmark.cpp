// Our best kernels against oneDNN's: real tuning runs of the command line, each with its own database entry,
// ending with both sides measured again in turns.
//   kernels_benchmark [--trials N] [TASK:TEMPLATE...]
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is not of <cstdlib>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct Job {
  std::string task;
  std::string template_name;
};

struct Outcome {
  Job job;
  double gflops = 0;
  double vendor_gflops = 0;
  double speedup = 0;  ///< over the first valid configuration
  double search_share = 0;
  double seconds = 0;
  std::string configuration;
  std::string vendor_kernel;

  double ratio() const { return gflops / vendor_gflops; }
};

/** A folder for the databases of this run. */
class Workspace {
 public:
  Workspace() {
    std::string pattern = (fs::temp_directory_path() / "kernelscape-benchmark-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path database() const { return path_ / "benchmark.db"; }

 private:
  fs::path path_;
};

/** The summary event of one run. */
std::optional<Json> run_tuning(const Job& job, int trials, const Workspace& workspace) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "kernelscape";
  const std::string command =
      fmt::format("'{}' tune '{}' --template {} --tuner nose --trials {} --seed 1 --json --db '{}'",
                  program.string(), job.task, job.template_name, trials, workspace.database().string());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return std::nullopt;
  std::optional<Json> summary;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (getline(&line, &capacity, pipe.get()) > 0) {
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == "summary") summary = event;
  }
  free(line);
  return summary;
}

double number(const Json& json, const char* name) {
  const auto field = json.find(name);
  return field != json.end() && field->is_number() ? field->get<double>() : 0.0;
}

std::optional<Outcome> measure(const Job& job, int trials, const Workspace& workspace) {
  const std::optional<Json> summary = run_tuning(job, trials, workspace);
  if (!summary || !(*summary)["best"].is_object() || !(*summary)["vendor"].is_object()) return std::nullopt;
  const Json& time = (*summary)["time"];
  const double seconds = number(time, "session_seconds");
  return Outcome{job,
                 number((*summary)["best"], "gflops"),
                 number((*summary)["vendor"], "gflops"),
                 number(*summary, "speedup_over_first_valid"),
                 seconds > 0 ? number(time, "search_seconds") / seconds : 0,
                 seconds,
                 (*summary)["best"]["configuration"].dump(),
                 (*summary)["vendor"].value("implementation", "")};
}

/** One table, its geometric mean, and the three worst. */
void compare(const std::vector<Job>& jobs, int trials, double goal) {
  const Workspace workspace;
  std::vector<Outcome> outcomes;
  fmt::print(
      "| task | ours GFLOP/s | oneDNN GFLOP/s | ratio | over first valid | search share | seconds |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Job& job : jobs) {
    const std::optional<Outcome> outcome = measure(job, trials, workspace);
    if (!outcome) {
      fmt::print("| {} | failed: see above | | | | | |\n", job.task);
      continue;
    }
    fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} x | {:.2f} % | {:.0f} |\n", job.task,
               outcome->gflops, outcome->vendor_gflops, outcome->ratio(), outcome->speedup,
               100 * outcome->search_share, outcome->seconds);
    std::fflush(stdout);
    if (outcome->vendor_gflops > 0 && outcome->gflops > 0) outcomes.push_back(*outcome);
  }
  if (outcomes.empty()) return;
  double logarithms = 0;
  for (const Outcome& outcome : outcomes) logarithms += std::log(outcome.ratio());
  fmt::print("\ngeometric mean of {} ratios: {:.3f} (goal {:.2f})\n", outcomes.size(),
             std::exp(logarithms / static_cast<double>(outcomes.size())), goal);
  std::ranges::sort(outcomes, {}, &Outcome::ratio);
  outcomes.resize(std::min<std::size_t>(outcomes.size(), 3));
  for (const Outcome& outcome : outcomes)
    fmt::print("  {}: {:.2f}, {}; oneDNN: {}\n", outcome.job.task, outcome.ratio(), outcome.configuration,
               outcome.vendor_kernel);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  int trials = 300;
  std::vector<Job> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--trials" && i + 1 < argc) {
      trials = std::max(1, std::atoi(argv[++i]));
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
    compare(chosen, trials, 0);
    return 0;
  }
  std::vector<Job> convolutions;
  for (int layer = 1; layer <= 12; ++layer)
    convolutions.push_back({fmt::format("resnet18/C{}", layer), "conv2d-packed"});
  compare(convolutions, trials, 0.90);
  compare({{"matmul 512x1024 1024x1024 f32", "matmul-packed"},
           {"matmul 1024x1024 1024x1024 f32", "matmul-packed"},
           {"matmul 32x2048 2048x1000 f32", "matmul-packed"}},
          trials, 0.85);
  return 0;
}
