// How soon the tuner gp finds good kernels, and what its search costs, in parts:
//   gp_benchmark [--seeds N] [--tuner NAME] [--set NAME=VALUE]... [--batch N] [--database FILE] [PART...]
//   public     best / optimum on three public recordings, where they are at hand
//   time       search time per trial, in a space of 20,736 members and in one of 90,316,800
//   recorded   all tuners on recorded spaces: the built-in study gp-recorded
//   real       the newest study in the database FILE, such as gp-real; left out without one
// --tuner: another one in the place of gp; --set: a setting of it, of the parts public and time
// --batch: of the part public, instead of 1 and 4; the seeds are the same in every batch
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "core/analysis/comparison/bootstrap.h"
#include "core/base/quantile.h"
#include "core/schedule/template.h"
#include "core/study/tasks.h"
#include "core/task/catalogue.h"
#include "core/task/data_folder.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/compared_goals.h"
#include "tests/benchmarks/search_curve.h"
#include "tests/benchmarks/study_runs.h"
#include "tests/benchmarks/synthetic_kernel.h"

namespace {

using namespace kernelscape;

struct Options {
  int seeds = 0;  ///< 0: the part's own
  std::string tuner = "gp";
  std::map<std::string, std::string> settings;
  std::int64_t batch = 0;  ///< 0: those of the goals
  std::string database;
};

constexpr std::array<std::size_t, 5> checkpoints{25, 50, 100, 200, 400};
using Shares = std::array<double, checkpoints.size()>;

// With one candidate at a time, each seen before the next; batches of four are held against that.
constexpr Shares public_goal{.86, .925, .977, .997, .999};
constexpr std::int64_t compared_batch = 4;

/** A run's best / optimum after so many trials, by seed. */
using SeedShares = std::vector<Shares>;

std::string share_text(std::span<const double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const std::optional<analysis::ConfidenceInterval> interval = analysis::bootstrap_mean_interval(values);
  return interval ? fmt::format("{:.4f} ({:.4f} to {:.4f})", mean, interval->low, interval->high)
                  : fmt::format("{:.4f}", mean);
}

/** Means over the seeds, and their 95 % intervals. */
void print_shares(std::string_view what, const SeedShares& shares) {
  fmt::print("| {} |", what);
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    std::vector<double> values;
    for (const Shares& seed : shares) values.push_back(seed[i]);
    fmt::print(" {} |", share_text(values));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/** Best / optimum of the seeds 1 to `seeds`, on all cores. */
SeedShares shares_by_seed(const Search& search, const Oracle& oracle, double optimum, int seeds) {
  SeedShares found(static_cast<std::size_t>(seeds));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t seed = next++; seed < found.size(); seed = next++) {
      Search seeded = search;
      seeded.seed = seed + 1;
      const SearchCurve curve = follow(seeded, oracle);
      for (std::size_t i = 0; i < checkpoints.size(); ++i)
        found[seed][i] = curve.best_after(checkpoints[i]) / optimum;
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  workers.clear();  // waits for them
  return found;
}

struct PublicSpace {
  std::string name;
  std::shared_ptr<const trial::Recording> recording;
};

/** The recordings of the built-in study that are here. */
std::vector<PublicSpace> public_spaces() {
  study::Definition study = value_or_stop(bundled_study("all-tuners-public"));
  for (const std::string& notice : study::leave_out_missing(study)) fmt::print("{}\n", notice);
  const std::vector<std::string> labels = study::task_labels(study);
  std::vector<PublicSpace> spaces;
  for (std::size_t task = 0; task < study.tasks.size(); ++task) {
    const std::string file = study.tasks[task].target.substr(session::recorded_target_prefix.size());
    spaces.push_back({labels[task], value_or_stop(study::open_recorded_file(file))});
  }
  return spaces;
}

/** Of each seed over the spaces. Prints a row for each space and one for the mean. */
SeedShares print_batch(const Options& options, const std::vector<PublicSpace>& spaces, std::int64_t batch,
                       int seeds) {
  SeedShares mean(static_cast<std::size_t>(seeds));
  for (const PublicSpace& space : spaces) {
    const Search search{options.tuner,   space.recording->space(), batch, checkpoints.back(), 0,
                        options.settings};
    const SeedShares shares =
        shares_by_seed(search, recorded_oracle(space.recording), recorded_optimum(*space.recording), seeds);
    print_shares(fmt::format("{}, batches of {}", space.name, batch), shares);
    for (std::size_t seed = 0; seed < mean.size(); ++seed)
      for (std::size_t i = 0; i < checkpoints.size(); ++i)
        mean[seed][i] += shares[seed][i] / static_cast<double>(spaces.size());
  }
  print_shares(fmt::format("**mean, batches of {}**", batch), mean);
  return mean;
}

void print_public(const Options& options) {
  const std::vector<PublicSpace> spaces = public_spaces();
  if (spaces.empty()) return fmt::print("no public recordings here: their table is left out\n");
  const int seeds = options.seeds > 0 ? options.seeds : 100;
  fmt::print(
      "best / optimum after so many trials, {}, seeds 1 to {}, failures counted as trials; means with "
      "95 % bootstrap intervals over the seeds\n\n",
      options.tuner, seeds);
  fmt::print("| space | 25 | 50 | 100 | 200 | 400 |\n|---|---|---|---|---|---|\n");
  if (options.batch > 0) {
    print_batch(options, spaces, options.batch, seeds);
    return;
  }
  const SeedShares one_at_a_time = print_batch(options, spaces, 1, seeds);
  fmt::print("| goal |");
  for (const double goal : public_goal) fmt::print(" {:.3f} |", goal);
  fmt::print("\n");
  SeedShares difference = print_batch(options, spaces, compared_batch, seeds);
  for (std::size_t seed = 0; seed < difference.size(); ++seed)
    for (std::size_t i = 0; i < checkpoints.size(); ++i) difference[seed][i] -= one_at_a_time[seed][i];
  print_shares(fmt::format("batches of {} - one at a time, by seed", compared_batch), difference);
}

/** The median over three seeds; a row for the tuner's own batch and one for single trials. */
void print_search_times(const std::string& what, Search search, const Oracle& oracle,
                        double goal_milliseconds) {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{0}}) {
    search.batch = batch;
    std::vector<double> milliseconds;
    double best = 0;
    for (search.seed = 1; search.seed <= 3; ++search.seed) {
      const SearchCurve curve = follow(search, oracle);
      milliseconds.push_back(1e3 * curve.search_seconds / static_cast<double>(curve.best.size()));
      best += curve.best.back() / 3;
    }
    fmt::print("| {} | {} | {} | {:.2f} | {:.0f} | {:.4g} |\n", what, search.trials,
               batch == 0 ? "its own" : "1", base::quantile(milliseconds, 0.5), goal_milliseconds, best);
    std::fflush(stdout);
  }
}

void print_time(const Options& options) {
  fmt::print(
      "| space | trials | batch | ms of search per trial | goal | mean best fitness "
      "|\n|---|---|---|---|---|---|\n");
  const auto recording = value_or_stop(
      trial::Recording::open(task::data_folder() / "recorded" / "resnet18-C12-conv2d-packed.ksrec"));
  print_search_times(fmt::format("{}, {} members", recording->header().name, recording->size()),
                     {options.tuner, recording->space(), 0, 200, 0, options.settings},
                     recorded_oracle(recording), 4);
  const task::Task task = value_or_stop(value_or_stop(task::Catalogue::load_default()).find("resnet18/C2"));
  const schedule::ScheduledKernel kernel =
      value_or_stop(schedule::apply_template(task, schedule::default_cuda_target(), "conv2d-direct"));
  print_search_times("resnet18/C2 conv2d-direct for CUDA, synthetic fitness",
                     {options.tuner, kernel.space(), 0, 500, 0, options.settings},
                     SyntheticKernel(kernel, base::Random(1)), 25);
}

void print_recorded(const Options& options) {
  study::Definition study = value_or_stop(bundled_study("gp-recorded"));
  if (options.seeds > 0) study.repeats = options.seeds;
  const ScratchFolder folder;
  const FinishedStudy finished = value_or_stop(run_whole(study, folder.file("recorded.db")));
  fmt::print("{}\n\n{} sessions, {} trials in {:.0f} s\n\n", study.about, finished.runs->runs.size(),
             finished.trials, finished.wall_seconds);
  print_comparison(*finished.runs, options.tuner);
}

void print_real(const Options& options) {
  if (options.database.empty())
    return fmt::print(
        "left out: run `kernelscape study gp-real --db FILE`, then name it with --database FILE\n");
  if (!std::filesystem::exists(options.database)) stop("there is no database " + options.database);
  store::Store store = value_or_stop(store::Store::open(options.database));
  const std::vector<store::StudySummary> studies = value_or_stop(store.studies().all());
  if (studies.empty()) return fmt::print("{} has no study\n", options.database);
  const auto runs = value_or_stop(study::ComparisonReader(store, studies.front().record.id).read());
  fmt::print("{}: {} of {} runs\n\n", runs->title, runs->runs.size(), runs->planned_runs);
  print_comparison(*runs, options.tuner);
}

constexpr std::array<BenchmarkPart<Options>, 4> parts{
    {{"public", print_public}, {"time", print_time}, {"recorded", print_recorded}, {"real", print_real}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name == "--seeds") {
      options.seeds = std::max(1, std::atoi(value));
    } else if (name == "--tuner") {
      options.tuner = value;
    } else if (name == "--set") {
      const std::string setting = value;
      const std::size_t equals = setting.find('=');
      if (equals == std::string::npos) stop("--set takes NAME=VALUE");
      options.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    } else if (name == "--batch") {
      options.batch = std::max(1, std::atoi(value));
    } else if (name == "--database") {
      options.database = value;
    } else {
      return false;
    }
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
