// Heron's Figure 8 on this machine: int8 kernels against oneDNN's, for every operator of its DL Boost
// experiments, and on GEMM and C2D against the best of TVM's knobs, which AutoTVM's xgb searches. Every run
// ends with both sides measured in turns; of two runs each one's ratio to oneDNN is compared.
//   int8_benchmark [--trials N] [--tuner NAME] [OPERATOR...]     GEMM, BMM, C1D, C2D, C3D, DIL, T2D, GEMV,
//   SCAN
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <variant>

#include "core/task/catalogue.h"
#include "tests/benchmarks/benchmark_support.h"
#include "tests/benchmarks/tuning_runs.h"

namespace {

using namespace kernelscape;
using namespace kernelscape::tuning_runs;

constexpr double min_vendor_seconds = 20e-6;  // below, starting threads is most of what is measured
const std::string catalogue_name = "heron-i8/";

struct Operator {
  std::string name;
  std::vector<task::Task> tasks;
};

/** "GEMM" of "heron-i8/GEMM3". */
std::string operator_of(const task::Task& task) {
  std::string name = task.name.substr(catalogue_name.size());
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
  return name;
}

std::vector<Operator> operators() {
  static const task::Catalogue catalogue = value_or_stop(task::Catalogue::load_default());
  std::vector<Operator> result;
  for (const task::Task& task : catalogue.tasks()) {
    if (!task.name.starts_with(catalogue_name)) continue;
    if (result.empty() || result.back().name != operator_of(task)) result.push_back({operator_of(task), {}});
    result.back().tasks.push_back(task);
  }
  return result;
}

double geometric_mean(const std::vector<double>& ratios) {
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  return ratios.empty() ? 0 : std::exp(logarithms / static_cast<double>(ratios.size()));
}

struct Options {
  Comparison comparison{.vendor = "oneDNN", .trials = 100};
  std::string tuner = "gp";
  std::vector<std::string> operators;
};

/** The template that AutoTVM searches for this operator; empty: TVM has none for bytes. */
std::string template_of_tvm(const std::string& name) {
  return name == "GEMM" ? "dense-vnni" : name == "C2D" ? "conv2d-nchwc-int8" : "";
}

void run(const Operator& of, const Options& options) {
  const bool multiplication = std::holds_alternative<task::MatrixMultiplication>(of.tasks.front().definition);
  const std::string tvm = template_of_tvm(of.name);
  const Workspace workspace;
  std::vector<double> over_vendor;
  std::vector<double> over_tvm;
  for (const task::Task& task : of.tasks) {
    const auto ours = measure({task.name, multiplication ? "matmul-vnni" : "conv2d-vnni", options.tuner},
                              options.comparison, workspace);
    std::optional<Outcome> theirs;
    if (!tvm.empty()) theirs = measure({task.name, tvm, "xgb"}, options.comparison, workspace);
    if (!ours) {
      fmt::print("| {} | failed: see above | | | | | |\n", task.name);
      continue;
    }
    const bool compared = ours->vendor_gflops > 0;
    const bool long_enough = ours->vendor_seconds >= min_vendor_seconds;
    double to_tvm = 0;
    if (theirs && compared && theirs->vendor_gflops > 0)
      to_tvm = ours->ratio() / theirs->ratio();
    else if (theirs && theirs->gflops > 0)
      to_tvm = ours->gflops / theirs->gflops;
    if (compared && long_enough) over_vendor.push_back(ours->ratio());
    if (to_tvm > 0) over_tvm.push_back(to_tvm);
    fmt::print("| {} | {:.0f} | {} | {} | {} | {} | {:.0f} |\n", task.name.substr(catalogue_name.size()),
               ours->gflops,
               ours->limit_gflops > 0 ? fmt::format("{:.0f} %", 100 * ours->gflops / ours->limit_gflops) : "",
               compared ? fmt::format("{:.0f} ({})", ours->vendor_gflops, ours->vendor_kernel) : "only ref",
               compared ? fmt::format("{:.2f}{}", ours->ratio(), long_enough ? "" : " (short)") : "",
               to_tvm > 0 ? fmt::format("{:.2f}", to_tvm) : "", ours->seconds);
    std::fflush(stdout);
  }
  fmt::print("| **{}**, geometric mean of {} | | | | {} | {} | |\n", of.name, over_vendor.size(),
             over_vendor.empty() ? "" : fmt::format("**{:.2f}**", geometric_mean(over_vendor)),
             over_tvm.empty() ? "" : fmt::format("**{:.2f}**", geometric_mean(over_tvm)));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--trials" && i + 1 < argc) {
      options.comparison.trials = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--tuner" && i + 1 < argc) {
      options.tuner = argv[++i];
    } else {
      options.operators.push_back(argument);
    }
  }
  const std::vector<Operator> all = operators();
  for (const std::string& name : options.operators) {
    if (std::ranges::find(all, name, &Operator::name) != all.end()) continue;
    fmt::print(stderr, "\"{}\" is no operator of Heron's DL Boost experiments\n", name);
    return 2;
  }
  fmt::print("{}, {} trials each, seed 1\n\n", options.tuner, options.comparison.trials);
  fmt::print(
      "| shape | ours GOP/s | of the machine's limit | oneDNN GOP/s | ratio | over the best of TVM's knobs "
      "(xgb) | seconds |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const Operator& of : all)
    if (options.operators.empty() || std::ranges::find(options.operators, of.name) != options.operators.end())
      run(of, options);
  return 0;
}
