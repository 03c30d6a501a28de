// How fast a network's layers become together, by who gets the next trials of their one budget: every layer
// is its recorded space (data/recorded), so that a network's time is known exactly, in parts:
//   schedulers_benchmark [--seeds N] [PART...]
//   random           random search in every layer of ResNet-18, of which all configurations are recorded
//   gp               the default tuner
//   sampled-random   random search in those of MobileNet-v2 and BERT-base, of which 150 members are
//   sampled-gp       the default tuner
// Asked: is the network, after a fifth of the trials given out by gradient, as fast as after all of them in
// turn?
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "core/base/text.h"
#include "core/study/layer_scheduler.h"
#include "core/task/catalogue.h"
#include "core/task/data_folder.h"
#include "core/task/network.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/study_runs.h"

namespace {

using namespace kernelscape;

struct Options {
  int seeds = 0;  ///< 0: the part's own
};

constexpr std::int64_t fewer = 5;        // times fewer trials for gradient
constexpr double greatest_ratio = 1.02;  // of its network's time then, to that of all trials in turn

/** Layers as a study, and the time of the network with the best recorded kernel of each. */
struct RecordedNetwork {
  study::Definition study;
  double optimum_seconds = 0;
  std::size_t members = 0;  ///< of all spaces together
};

RecordedNetwork recorded_network(const std::string& name, const std::string& tuner) {
  const task::WholeNetwork network =
      value_or_stop(task::find_whole_network(value_or_stop(task::Catalogue::load_default()), name));
  RecordedNetwork recorded;
  study::Definition& study = recorded.study;
  study.name = name;
  study.purpose = study::Purpose::Network;
  study.network = name;
  study.search_time.kind = trial::SearchTime::Kind::None;
  study.arms = {value_or_stop(study::parse_arm(tuner))};
  for (const task::WholeLayer& layer : network.layers) {
    std::string file_name = layer.task.name;
    std::ranges::replace(file_name, '/', '-');
    std::filesystem::path file = task::data_folder() / "recorded" / (file_name + "-conv2d-nchwc.ksrec");
    if (!std::filesystem::exists(file))
      file = task::data_folder() / "recorded" / (file_name + "-sample.ksrec");
    if (!std::filesystem::exists(file)) {
      fmt::print("{} is not recorded, and left out\n", layer.task.name);
      continue;
    }
    const auto recording = value_or_stop(trial::Recording::open(file));
    recorded.optimum_seconds +=
        static_cast<double>(layer.multiplicity) * recording->seconds(recording->best().value());
    recorded.members += recording->size();
    study::Task& task = study.tasks.emplace_back();
    task.target = std::string(session::recorded_target_prefix) + file.string();
    task.multiplicity = layer.multiplicity;
  }
  return recorded;
}

/** Of the network with what was found within a budget. */
double network_seconds(study::Definition study, study::LayerScheduler scheduler, std::int64_t trials,
                       std::uint64_t seed) {
  study.scheduler = study::to_string(scheduler);
  study.budget.trials = trials;
  study.seed = seed;
  const ScratchFolder folder;
  store::Store store = value_or_stop(store::Store::open(folder.file("network.db")));
  const store::StudyId id = value_or_stop(study::create_study(store, study));
  study::Observer silent;
  std::ignore = value_or_stop(study::run_study(store.path(), id, {}, silent, session::StopRequest()));
  double seconds = 0;
  std::int64_t measured = 0;
  for (const store::StudyRun& run : value_or_stop(store.studies().runs(id))) {
    if (!run.session || run.status.best_trial < 0) stop("a layer has no kernel");
    const study::PlannedRun plan = study::plan_runs(study)[static_cast<std::size_t>(run.run)];
    seconds += static_cast<double>(study.tasks[plan.task].multiplicity) * run.status.best_seconds;
    measured += run.status.trial_count;
  }
  if (measured != trials) stop(fmt::format("{} of {} trials were measured", measured, trials));
  return seconds;
}

std::string median_text(std::vector<double> values) {
  const std::optional<analysis::ConfidenceInterval> interval = analysis::bootstrap_median_interval(values);
  const double median = analysis::median_with_infinities(values);
  return interval ? fmt::format("{:.3f} ({:.3f} to {:.3f})", median, interval->low, interval->high)
                  : fmt::format("{:.3f}", median);
}

std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> all;
  for (std::size_t seed = 0; seed < of.size(); ++seed) all.push_back(of[seed] / to[seed]);
  return all;
}

std::string verdict(const std::vector<double>& ratio) {
  const std::optional<analysis::ConfidenceInterval> interval = analysis::bootstrap_median_interval(ratio);
  if (!interval) return "not shown";
  if (interval->high <= greatest_ratio) return "shown";
  return interval->low > greatest_ratio ? "contradicted" : "not shown";
}

/** A row for each budget: the same seeds for every scheduler. */
void print_tuner(const std::string& name, const std::string& tuner, int seeds,
                 std::span<const std::int64_t> budgets) {
  const RecordedNetwork network = recorded_network(name, tuner);
  fmt::print(
      "{}, {} recorded layers of {} members in all, {}, seeds 1 to {}; the network's time over the "
      "least there "
      "is, and ratios of times by seed: medians with 95 % bootstrap intervals over the seeds\n\n"
      "| trials | round-robin | gradient | proportional | gradient, a fifth | gradient / round-robin | "
      "proportional / round-robin | gradient, a fifth / round-robin | at most {} |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      name, network.study.tasks.size(), network.members, tuner, seeds, greatest_ratio);
  for (const std::int64_t trials : budgets) {
    std::map<study::LayerScheduler, std::vector<double>> all;
    std::vector<double> fifth;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
      const auto over_least = [&](study::LayerScheduler scheduler, std::int64_t most) {
        return network_seconds(network.study, scheduler, most, seed) / network.optimum_seconds;
      };
      for (const study::LayerScheduler scheduler :
           {study::LayerScheduler::RoundRobin, study::LayerScheduler::Gradient,
            study::LayerScheduler::Proportional})
        all[scheduler].push_back(over_least(scheduler, trials));
      fifth.push_back(over_least(study::LayerScheduler::Gradient, trials / fewer));
    }
    const std::vector<double>& in_turn = all[study::LayerScheduler::RoundRobin];
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", trials, median_text(in_turn),
               median_text(all[study::LayerScheduler::Gradient]),
               median_text(all[study::LayerScheduler::Proportional]), median_text(fifth),
               median_text(ratios(all[study::LayerScheduler::Gradient], in_turn)),
               median_text(ratios(all[study::LayerScheduler::Proportional], in_turn)),
               median_text(ratios(fifth, in_turn)), verdict(ratios(fifth, in_turn)));
    std::fflush(stdout);
  }
}

void print_random(const Options& options) {
  constexpr std::array<std::int64_t, 4> budgets{120, 240, 480, 960};
  print_tuner("resnet-18", "random", options.seeds > 0 ? options.seeds : 100, budgets);
}

void print_gp(const Options& options) {
  constexpr std::array<std::int64_t, 4> budgets{120, 240, 480, 960};
  print_tuner("resnet-18", "gp", options.seeds > 0 ? options.seeds : 40, budgets);
}

/** Ten, twenty and forty trials for each layer. */
void print_sampled(const std::string& tuner, int seeds) {
  constexpr std::array<std::int64_t, 3> of_31_layers{310, 620, 1240};
  constexpr std::array<std::int64_t, 3> of_6_layers{60, 120, 240};
  print_tuner("mobilenet-v2", tuner, seeds, of_31_layers);
  fmt::print("\n");
  print_tuner("bert-base", tuner, seeds, of_6_layers);
}

void print_sampled_random(const Options& options) {
  print_sampled("random", options.seeds > 0 ? options.seeds : 100);
}

void print_sampled_gp(const Options& options) { print_sampled("gp", options.seeds > 0 ? options.seeds : 40); }

constexpr std::array<BenchmarkPart<Options>, 4> parts{{{"random", print_random},
                                                       {"gp", print_gp},
                                                       {"sampled-random", print_sampled_random},
                                                       {"sampled-gp", print_sampled_gp}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name != "--seeds") return false;
    options.seeds = std::max(1, std::atoi(value));
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
