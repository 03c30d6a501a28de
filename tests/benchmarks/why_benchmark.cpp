// Whether asking why a kernel is fast changes the timings that follow: one stored configuration is tuned
// again and again, in turns with and without `kernelscape why --measure` right before it.
//   why_benchmark [--pairs N] [DATABASE SESSION]    (default: 40 of a session of its own, resnet18/C6)
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/base/quantile.h"
#include "core/measure/kernel_measurer.h"
#include "core/session/preparation.h"
#include "tests/benchmarks/benchmark_support.h"
#include "tests/benchmarks/tuning_runs.h"

using namespace kernelscape;

namespace {

constexpr std::chrono::seconds patience{1};

/** A session with a best trial, and what times that. */
struct Stored {
  std::filesystem::path database;
  store::SessionId session = 0;
  session::PreparedTuning tuning;
  space::Configuration configuration;
};

Stored read_session(const std::filesystem::path& database, store::SessionId session) {
  const store::Store store = value_or_stop(store::Store::open(database, store::OpenMode::ReadOnly));
  const std::int64_t best = value_or_stop(store.sessions().get(session)).status.best_trial;
  if (best < 0) stop(fmt::format("session {} has no valid trial", session));
  session::PreparedTuning tuning = value_or_stop(session::prepare_resume(store, session));
  if (!tuning.family) stop(fmt::format("session {} has no kernels: it replays a recorded space", session));
  return {database, session, std::move(tuning),
          value_or_stop(store.trials().get(session, best)).configuration};
}

store::SessionId tune_a_session(const tuning_runs::Workspace& workspace) {
  const tuning_runs::Comparison comparison{.vendor = "oneDNN", .trials = 20};
  const auto summary = tuning_runs::run_tuning({"resnet18/C6", "conv2d-packed"}, comparison, workspace);
  if (!summary) stop("the session to ask about was not made");
  return summary->value("session", store::SessionId{0});
}

void ask_why(const Stored& stored) {
  const std::string command = fmt::format("'{}' why {} --measure --json --db '{}' > /dev/null",
                                          tuning_runs::program(), stored.session, stored.database.string());
  if (std::system(command.c_str()) != 0) stop("`" + command + "` failed");
}

/** The median of a trial as a tuning of nothing else measures it, workers and build included. */
double tuned_seconds(const Stored& stored) {
  const session::Setup& setup = stored.tuning.setup;
  const auto measurer =
      value_or_stop(measure::make_kernel_measurer(stored.tuning.family, setup.target, setup.options));
  check(measurer->submit(std::span(&stored.configuration, 1)));
  std::vector<measure::Completed> done;
  while (done.empty()) done = value_or_stop(measurer->collect(patience));
  if (!done.front().measurement.valid()) stop("the kernel gave no time: " + done.front().measurement.message);
  return done.front().measurement.median_seconds();
}

double seconds_after(const Stored& stored, bool asked) {
  if (asked) ask_why(stored);
  return tuned_seconds(stored);
}

/** With / without of each pair; which of the two comes first changes from pair to pair. */
std::vector<double> measure_ratios(const Stored& stored, int pairs) {
  tuned_seconds(stored);
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const bool asked_first = pair % 2 == 0;
    const double first = seconds_after(stored, asked_first);
    const double second = seconds_after(stored, !asked_first);
    ratios.push_back(asked_first ? first / second : second / first);
  }
  return ratios;
}

void print_ratios(const std::vector<double>& ratios) {
  const auto interval = analysis::bootstrap_median_interval(ratios);
  fmt::print("| what | measured | goal |\n|---|---|---|\n");
  fmt::print(
      "| timings right after `why --measure` / without, {} pairs: median ratio (95 % interval) | {:.3f}",
      ratios.size(), base::quantile(ratios, 0.5));
  if (interval) fmt::print(" ({:.3f} to {:.3f})", interval->low, interval->high);
  fmt::print(" | 0.99 to 1.01 |\n| the same, quartiles | {:.3f}, {:.3f} | |\n", base::quantile(ratios, 0.25),
             base::quantile(ratios, 0.75));
}

}  // namespace

int main(int argc, char** argv) {
  int pairs = 40;
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words.front() == "--pairs") {
    pairs = std::max(1, std::atoi(words[1].c_str()));
    words.erase(words.begin(), words.begin() + 2);
  }
  if (!words.empty() && words.size() != 2) {
    fmt::print(stderr, "why_benchmark [--pairs N] [DATABASE SESSION]\n");
    return 2;
  }
  const tuning_runs::Workspace workspace;
  const bool given = words.size() == 2;
  const store::SessionId session = given ? std::atoll(words[1].c_str()) : tune_a_session(workspace);
  print_ratios(measure_ratios(
      read_session(given ? std::filesystem::path(words[0]) : workspace.database(), session), pairs));
  return 0;
}
