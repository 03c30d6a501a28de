// Multiplications of f32 against the fastest library that is installed: tuning runs of the command line, each
// ending with both sides measured again in turns. Finished shapes are kept in a file, and are not run again.
//   matmul_benchmark [--trials N] [--seed N] [--results FILE] [--random N] [TEMPLATE...]
// The templates are those of multiplications without a batch (default: matmul-packed matmul-blocked); shapes
// with a batch use the same with "batch-" before the name. All shapes with one template come before those
// with the next.
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "tests/benchmarks/tuning_runs.h"

using namespace kernelscape::tuning_runs;

namespace {

constexpr double mean_goal = 1.05;
constexpr double worst_goal = 0.97;

struct Options {
  Comparison comparison{.vendor = "best library", .trials = 60};
  unsigned seed = 1;
  int random_shapes = 40;
  std::string results = "matmul_benchmark.jsonl";
  std::vector<std::string> templates;
};

/** Returns shapes with logarithms of their extents drawn uniformly, at most 2^29 multiply-adds each. */
std::vector<std::string> random_shapes(int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto extent = [&](double least, double most) {
    const double uniform = static_cast<double>(random()) / 4294967296.0;
    return static_cast<long>(std::exp(std::log(least) + uniform * std::log(most / least)));
  };
  std::vector<std::string> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    const long m = extent(1, 2048);
    const long n = extent(16, 4096);
    const long k = extent(16, 4096);
    if (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > 536870912.0) continue;
    shapes.push_back(fmt::format("matmul {0}x{1} {1}x{2} f32", m, k, n));
  }
  return shapes;
}

std::vector<std::string> all_shapes(const Options& options) {
  std::vector<std::string> shapes;
  for (int layer = 1; layer <= 6; ++layer) shapes.push_back(fmt::format("bert-base/L0{}", layer));
  for (const char* name : {"MM1", "MM2", "MM3", "BMM1", "BMM2", "BMM3"})
    shapes.push_back(fmt::format("opevo-cpu/{}", name));
  // The last layers of classifiers.
  for (const char* text :
       {"matmul 1x512 512x1000 f32", "matmul 1x1280 1280x1000 f32", "matmul 1x2048 2048x1000 f32",
        "matmul 1x4096 4096x1000 f32", "matmul 8x2048 2048x1000 f32", "matmul 16x4096 4096x1000 f32",
        "matmul 32x2048 2048x1000 f32", "matmul 64x512 512x1000 f32"})
    shapes.emplace_back(text);
  for (std::string& shape : random_shapes(options.random_shapes, options.seed))
    shapes.push_back(std::move(shape));
  return shapes;
}

/** Returns the results of earlier runs, by what identifies a run. */
std::map<std::string, nlohmann::json> read_results(const std::string& path) {
  std::map<std::string, nlohmann::json> results;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto result = nlohmann::json::parse(line, nullptr, false);
    if (result.is_object() && result.contains("run")) results[result["run"].get<std::string>()] = result;
  }
  return results;
}

std::optional<nlohmann::json> run_shape(const std::string& shape, const std::string& template_name,
                                        const Options& options, const Workspace& workspace) {
  const bool batched = shape.starts_with("bmm") || shape.find("/BMM") != std::string::npos ||
                       shape == "bert-base/L04" || shape == "bert-base/L05";
  const Job job{shape, (batched ? "batch-" : "") + template_name, "gp"};
  const auto summary = run_tuning(job, options.comparison, workspace);
  if (!summary || !(*summary)["best"].is_object() || !(*summary)["vendor"].is_object()) return std::nullopt;
  const auto& best = (*summary)["best"];
  const auto& vendor = (*summary)["vendor"];
  return nlohmann::json{{"ours", number(best, "median_seconds")},
                        {"ours_first_quartile", number(best, "first_quartile_seconds")},
                        {"ours_third_quartile", number(best, "third_quartile_seconds")},
                        {"library", number(vendor, "median_seconds")},
                        {"name", text(vendor, "name")},
                        {"mark", text(best, "mark")},
                        {"configuration", best["configuration"]}};
}

void print_row(const std::string& shape, const std::string& template_name, const nlohmann::json& result) {
  constexpr double microseconds = 1e6;
  fmt::print("| {} | `{}` | {:.1f} ({:.1f} to {:.1f}) | {:.1f}, {} | {:.3f} | {} |\n", shape, template_name,
             microseconds * number(result, "ours"), microseconds * number(result, "ours_first_quartile"),
             microseconds * number(result, "ours_third_quartile"), microseconds * number(result, "library"),
             text(result, "name"), number(result, "library") / number(result, "ours"), text(result, "mark"));
  std::fflush(stdout);
}

void print_ratios(const std::vector<double>& ratios) {
  if (ratios.empty()) return;
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  fmt::print("\ngeometric mean of {} ratios: {:.3f} (goal {:.2f}), worst {:.3f} (goal {:.2f})\n\n",
             ratios.size(), std::exp(logarithms / static_cast<double>(ratios.size())), mean_goal,
             *std::ranges::min_element(ratios), worst_goal);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool valued = i + 1 < argc;
    if (argument == "--trials" && valued)
      options.comparison.trials = std::max(1, std::atoi(argv[++i]));
    else if (argument == "--seed" && valued)
      options.seed = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    else if (argument == "--random" && valued)
      options.random_shapes = std::max(0, std::atoi(argv[++i]));
    else if (argument == "--results" && valued)
      options.results = argv[++i];
    else
      options.templates.push_back(argument);
  }
  if (options.templates.empty()) options.templates = {"matmul-packed", "matmul-blocked"};

  const Workspace workspace;
  std::map<std::string, nlohmann::json> results = read_results(options.results);
  std::ofstream file(options.results, std::ios::app);
  fmt::print("| task | template | ours: median (quartiles), us | best library, us | ratio | mark |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const std::string& template_name : options.templates) {
    std::vector<double> ratios;
    for (const std::string& shape : all_shapes(options)) {
      const std::string run = fmt::format("{} {} {}", shape, template_name, options.comparison.trials);
      if (!results.contains(run)) {
        std::optional<nlohmann::json> result = run_shape(shape, template_name, options, workspace);
        if (!result) {
          fmt::print("| {} | `{}` | failed: see above | | | |\n", shape, template_name);
          continue;
        }
        (*result)["run"] = run;
        file << result->dump() << std::endl;
        results[run] = std::move(*result);
      }
      print_row(shape, template_name, results[run]);
      ratios.push_back(number(results[run], "library") / number(results[run], "ours"));
    }
    print_ratios(ratios);
  }
  return 0;
}
