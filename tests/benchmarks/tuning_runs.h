#pragma once

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

/** Real tuning runs of the command line against the vendor's library, in a database of their own. */
namespace kernelscape::tuning_runs {

struct Job {
  std::string task;
  std::string template_name = {};  ///< empty: the one that the command line chooses
  std::string tuner = "nose";
};

/** What all runs of one table share. */
struct Comparison {
  std::string target = "cpu";
  std::string vendor;  ///< "oneDNN"
  int trials = 300;
  double goal = 0;     ///< geometric mean of ours / theirs
  bool exact = false;  ///< leaves out templates whose rounding errors are larger
};

struct Outcome {
  Job job;
  double gflops = 0;
  double vendor_gflops = 0;
  double limit_gflops = 0;
  double vendor_seconds = 0;
  double speedup = 0;  ///< over the first valid configuration
  double search_share = 0;
  double seconds = 0;
  std::string configuration;
  std::string vendor_kernel;
  std::string template_name;
  bool confirmed = false;

  double ratio() const { return gflops / vendor_gflops; }
};

/** A folder for the databases of these runs. */
class Workspace {
 public:
  Workspace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kernelscape-benchmark-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path database() const { return path_ / "benchmark.db"; }

 private:
  std::filesystem::path path_;
};

/** The command line's program, which was built beside the benchmark. */
inline std::string program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernelscape").string();
}

/** The summary event of one run. */
inline std::optional<nlohmann::json> run_tuning(const Job& job, const Comparison& comparison,
                                                const Workspace& workspace) {
  const std::string command =
      fmt::format("'{}' tune '{}' --target {}{}{} --tuner {} --trials {} --seed 1 --json --db '{}'",
                  program(), job.task, comparison.target, job.template_name.empty() ? "" : " --template ",
                  job.template_name, job.tuner, comparison.trials, workspace.database().string()) +
      (comparison.exact ? " --exact" : "");
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return std::nullopt;
  std::optional<nlohmann::json> summary;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (getline(&line, &capacity, pipe.get()) > 0) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == "summary") summary = event;
  }
  free(line);
  return summary;
}

inline double number(const nlohmann::json& json, const char* name) {
  const auto field = json.find(name);
  return field != json.end() && field->is_number() ? field->get<double>() : 0.0;
}

/** Empty where there is none: the library has only its reference code. */
inline std::string text(const nlohmann::json& json, const char* name) {
  const auto field = json.find(name);
  return field != json.end() && field->is_string() ? field->get<std::string>() : std::string();
}

inline std::optional<Outcome> measure(const Job& job, const Comparison& comparison,
                                      const Workspace& workspace) {
  const auto summary = run_tuning(job, comparison, workspace);
  if (!summary || !(*summary)["best"].is_object() || !(*summary)["vendor"].is_object()) return std::nullopt;
  const auto& time = (*summary)["time"];
  const double seconds = number(time, "session_seconds");
  return Outcome{job,
                 number((*summary)["best"], "gflops"),
                 number((*summary)["vendor"], "gflops"),
                 number((*summary)["limit"], "gflops"),
                 number((*summary)["vendor"], "median_seconds"),
                 number(*summary, "speedup_over_first_valid"),
                 seconds > 0 ? number(time, "search_seconds") / seconds : 0,
                 seconds,
                 (*summary)["best"]["configuration"].dump(),
                 text((*summary)["vendor"], "implementation"),
                 text(*summary, "template"),
                 (*summary)["best"].value("confirmed", false)};
}

/** The geometric mean of the ratios, and the three worst. */
inline void print_ratios(std::vector<Outcome> outcomes, const Comparison& comparison) {
  if (outcomes.empty()) return;
  double logarithms = 0;
  for (const Outcome& outcome : outcomes) logarithms += std::log(outcome.ratio());
  fmt::print("\ngeometric mean of {} ratios: {:.3f} (goal {:.2f})\n", outcomes.size(),
             std::exp(logarithms / static_cast<double>(outcomes.size())), comparison.goal);
  std::ranges::sort(outcomes, {}, &Outcome::ratio);
  outcomes.resize(std::min<std::size_t>(outcomes.size(), 3));
  for (const Outcome& outcome : outcomes)
    fmt::print("  {}: {:.2f}, {}; {}: {}\n", outcome.job.task, outcome.ratio(), outcome.configuration,
               comparison.vendor, outcome.vendor_kernel);
  fmt::print("\n");
}

/** Runs all jobs and prints their table. */
inline void compare(const std::vector<Job>& jobs, const Comparison& comparison) {
  const Workspace workspace;
  std::vector<Outcome> outcomes;
  fmt::print(
      "| task | template | ours GFLOP/s | {} GFLOP/s | ratio | over first valid | search share | seconds |\n",
      comparison.vendor);
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const Job& job : jobs) {
    const std::optional<Outcome> outcome = measure(job, comparison, workspace);
    if (!outcome) {
      fmt::print("| {} | failed: see above | | | | | | |\n", job.task);
      continue;
    }
    fmt::print("| {} | {} | {:.1f}{} | {:.1f}, {} | {:.2f} | {:.1f} x | {:.2f} % | {:.0f} |\n", job.task,
               outcome->template_name, outcome->gflops, outcome->confirmed ? "" : ", unconfirmed",
               outcome->vendor_gflops, outcome->vendor_kernel, outcome->ratio(), outcome->speedup,
               100 * outcome->search_share, outcome->seconds);
    std::fflush(stdout);
    if (outcome->vendor_gflops > 0 && outcome->gflops > 0) outcomes.push_back(*outcome);
  }
  print_ratios(std::move(outcomes), comparison);
}

}  // namespace kernelscape::tuning_runs
