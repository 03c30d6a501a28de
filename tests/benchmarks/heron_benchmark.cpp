// Heron's search on a recorded space of constraints (its Figures 2 and 12), in both encodings:
//   heron_benchmark [--seeds N] [--recording FILE] [--trials N] [--tuners NAMES] [--set NAME=VALUE] [PART...]
//   searches   all rivals: how near they come, what share of their children are members, what they cost
//   keys       heron against cga-1: what key variables from the model are worth, by paired seeds
//   explorers  heron against searches of the same model, and against the model alone, by paired seeds
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>

#include "core/base/quantile.h"
#include "core/base/random.h"
#include "core/task/data_folder.h"
#include "tests/benchmarks/benchmark_parts.h"
#include "tests/benchmarks/search_curve.h"

namespace {

using namespace kernelscape;

struct Options {
  int seeds = 40;
  std::int64_t trials = 1000;
  std::string recording;                        ///< empty: the built-in one
  std::string tuners;                           ///< with commas; empty: all
  std::map<std::string, std::string> settings;  ///< of heron and cga-1
};

constexpr std::array<const char*, 2> encodings{"levels", "factorizations"};
constexpr std::array<const char*, 10> tuners{"heron", "cga-1", "ga-1",   "ga-2", "ga-3",
                                             "ga",    "sa",    "random", "gp",   "xgb"};
/** Not among those that heron is held against: the search of other surrogates. */
constexpr std::array<const char*, 3> beside{"heron", "gp", "xgb"};
constexpr std::array<std::size_t, 4> checkpoints{100, 250, 500, 1000};

std::shared_ptr<const trial::Recording> open_recording(const Options& options) {
  const std::filesystem::path bundled =
      task::data_folder() / "recorded" / "matmul-64x256x256-matmul-tiled.ksrec";
  return value_or_stop(
      trial::Recording::open(options.recording.empty() ? bundled : options.recording.c_str()));
}

/** Of the seeds 1 to `seeds`, on all cores. */
std::vector<SearchCurve> follow_seeds(const Search& search, const Oracle& oracle, int seeds) {
  std::vector<SearchCurve> curves(static_cast<std::size_t>(seeds));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < curves.size(); i = next++) {
      Search seeded = search;
      seeded.seed = i + 1;
      curves[i] = follow(seeded, oracle);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  workers.clear();
  return curves;
}

Search search_of(const trial::Recording& recording, std::string_view tuner, const char* encoding,
                 const Options& options) {
  Search search{.tuner = std::string(tuner),
                .space = recording.space(),
                .batch = 0,
                .trials = options.trials,
                .seed = 0,
                .settings = {{"encoding", encoding}}};
  if (tuner == "heron" || tuner == "cga-1")
    search.settings.insert(options.settings.begin(), options.settings.end());
  return search;
}

bool is_asked_for(std::string_view tuner, const Options& options) {
  return options.tuners.empty() || ("," + options.tuners + ",").contains(fmt::format(",{},", tuner));
}

double median_after(const std::vector<SearchCurve>& curves, std::size_t trials) {
  std::vector<double> values;
  for (const SearchCurve& curve : curves) values.push_back(curve.best_after(trials));
  return base::quantile(std::move(values), 0.5);
}

/** How many trials until `share` of the optimum, as a median; runs that never get there count as endless. */
std::string median_trials_to(const std::vector<SearchCurve>& curves, double goal) {
  std::vector<std::size_t> trials;
  for (const SearchCurve& curve : curves)
    trials.push_back(static_cast<std::size_t>(
        std::ranges::find_if(curve.best, [&](double best) { return best >= goal; }) - curve.best.begin()));
  std::ranges::sort(trials);
  const std::size_t middle = trials[trials.size() / 2];
  return middle >= curves[0].best.size() ? "never" : fmt::format("{}", middle + 1);
}

std::string mean_member_share(const std::vector<SearchCurve>& curves) {
  double sum = 0;
  std::size_t count = 0;
  for (const SearchCurve& curve : curves) {
    for (const double share : curve.member_shares) sum += share;
    count += curve.member_shares.size();
  }
  return count == 0 ? "draws none" : fmt::format("{:.2f} %", 100 * sum / static_cast<double>(count));
}

double milliseconds_per_trial(const std::vector<SearchCurve>& curves) {
  std::vector<double> milliseconds;
  for (const SearchCurve& curve : curves)
    milliseconds.push_back(1e3 * curve.search_seconds / static_cast<double>(curve.best.size()));
  return base::quantile(std::move(milliseconds), 0.5);
}

/** The bootstrap's 95 % interval of a mean. */
std::pair<double, double> bootstrap_interval(const std::vector<double>& values) {
  constexpr int resamples = 10'000;
  base::Random random(1);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t draw = 0; draw < values.size(); ++draw) sum += values[random.below(values.size())];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  std::ranges::sort(means);
  return {base::sorted_quantile(means, 0.025), base::sorted_quantile(means, 0.975)};
}

/** How far `heron` is ahead with half of the trials. */
void print_lead(const std::vector<SearchCurve>& heron, std::string_view tuner,
                const std::vector<SearchCurve>& curves, double optimum) {
  std::vector<double> leads;
  double mean = 0;
  for (std::size_t seed = 0; seed < heron.size(); ++seed) {
    leads.push_back((heron[seed].best_after(500) - curves[seed].best_after(1000)) / optimum);
    mean += leads.back() / static_cast<double>(heron.size());
  }
  const auto [low, high] = bootstrap_interval(leads);
  fmt::print("`heron` after 500 - `{}` after 1,000, mean and 95 % interval: {:+.4f} ({:+.4f} to {:+.4f})\n",
             tuner, mean, low, high);
}

void print_searches(const Options& options) {
  const auto recording = open_recording(options);
  const Oracle oracle = recorded_oracle(recording);
  const double optimum = recorded_optimum(*recording);
  fmt::print("{}, {} members, medians of {} seeds of best / optimum after so many trials\n\n",
             recording->header().name, recording->size(), options.seeds);
  for (const char* encoding : encodings) {
    fmt::print(
        "| {} | 100 | 250 | 500 | 1000 | trials to 95 % | children that were members | search ms a trial |\n",
        encoding);
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    double own = 0;
    double best_other = 0;
    std::map<std::string_view, std::vector<SearchCurve>> all;
    for (const char* tuner : tuners) {
      if (!is_asked_for(tuner, options)) continue;
      const auto& curves = all[tuner] =
          follow_seeds(search_of(*recording, tuner, encoding, options), oracle, options.seeds);
      fmt::print("| `{}` |", tuner);
      for (const std::size_t trials : checkpoints)
        fmt::print(" {:.4f} |", median_after(curves, trials) / optimum);
      fmt::print(" {} | {} | {:.2f} |\n", median_trials_to(curves, 0.95 * optimum), mean_member_share(curves),
                 milliseconds_per_trial(curves));
      std::fflush(stdout);
      if (std::string_view(tuner) == "heron") own = median_after(curves, 500);
      if (std::ranges::find(beside, std::string_view(tuner)) == beside.end())
        best_other = std::max(best_other, median_after(curves, 1000));
    }
    if (own == 0 || best_other == 0) continue;
    fmt::print("\n");
    for (const auto& [tuner, curves] : all)
      if (tuner != "heron") print_lead(all.at("heron"), tuner, curves, optimum);
    fmt::print(
        "\n`heron` after 500 against the best of the others but `gp` and `xgb` after 1,000: {:.4f} (goal "
        "0.99)\n\n",
        own / best_other);
  }
}

/** Mean of best / optimum over all trials. */
double area_under(const SearchCurve& curve, std::int64_t trials, double optimum) {
  double sum = 0;
  for (std::size_t trial = 1; trial <= static_cast<std::size_t>(trials); ++trial)
    sum += curve.best_after(trial);
  return sum / static_cast<double>(trials) / optimum;
}

void print_keys(const Options& options) {
  const auto recording = open_recording(options);
  const Oracle oracle = recorded_oracle(recording);
  const double optimum = recorded_optimum(*recording);
  fmt::print(
      "| encoding | area under best / optimum, {} trials: `heron` | `cga-1` | heron - cga-1, mean of {} "
      "paired seeds "
      "| 95 % interval |\n|---|---|---|---|---|\n",
      options.trials, options.seeds);
  for (const char* encoding : encodings) {
    const auto with_model =
        follow_seeds(search_of(*recording, "heron", encoding, options), oracle, options.seeds);
    const auto random_keys =
        follow_seeds(search_of(*recording, "cga-1", encoding, options), oracle, options.seeds);
    std::vector<double> differences;
    double heron = 0;
    double cga_1 = 0;
    for (std::size_t seed = 0; seed < with_model.size(); ++seed) {
      const double first = area_under(with_model[seed], options.trials, optimum);
      const double second = area_under(random_keys[seed], options.trials, optimum);
      differences.push_back(first - second);
      heron += first / options.seeds;
      cga_1 += second / options.seeds;
    }
    const auto [low, high] = bootstrap_interval(differences);
    fmt::print("| {} | {:.4f} | {:.4f} | {:+.4f} | {:+.4f} to {:+.4f} |\n", encoding, heron, cga_1,
               heron - cga_1, low, high);
    std::fflush(stdout);
  }
}

/** A search of heron's cost model. */
struct Explorer {
  const char* name;
  const char* tuner;
  std::map<std::string, std::string> settings = {};
};

/** Returns all explorers; the first is the one that the others are compared with. */
std::vector<Explorer> explorers() {
  return {{"heron", "heron"},
          {"heron, no generations", "heron", {{"generations", "0"}}},
          {"heron-rand", "heron-rand"},
          {"heron-sa", "heron-sa"},
          {"heron-sa, annealing", "heron-sa", {{"acceptance", "annealing"}}},
          {"heron-ga", "heron-ga"}};
}

/** Returns the number of trials to a goal of each seed; one more than all trials if it was not reached. */
std::vector<double> trials_to(const std::vector<SearchCurve>& curves, double goal) {
  std::vector<double> trials;
  for (const SearchCurve& curve : curves) {
    const auto reached = std::ranges::find_if(curve.best, [&](double best) { return best >= goal; });
    trials.push_back(static_cast<double>(reached - curve.best.begin() + 1));
  }
  return trials;
}

/** Returns the bootstrap's 95 % interval of the ratio of two medians over the same seeds. */
std::pair<double, double> ratio_interval(const std::vector<double>& above, const std::vector<double>& below) {
  constexpr int resamples = 10'000;
  base::Random random(1);
  std::vector<double> ratios;
  for (int i = 0; i < resamples; ++i) {
    std::vector<double> first;
    std::vector<double> second;
    for (std::size_t draw = 0; draw < above.size(); ++draw) {
      const std::size_t seed = random.below(above.size());
      first.push_back(above[seed]);
      second.push_back(below[seed]);
    }
    ratios.push_back(base::quantile(std::move(first), 0.5) / base::quantile(std::move(second), 0.5));
  }
  std::ranges::sort(ratios);
  return {base::sorted_quantile(ratios, 0.025), base::sorted_quantile(ratios, 0.975)};
}

void print_explorer(const Explorer& explorer, const std::vector<SearchCurve>& curves,
                    const std::vector<SearchCurve>& heron, std::int64_t trials, double optimum) {
  const std::vector<double> reached = trials_to(curves, 0.95 * optimum);
  const std::vector<double> of_heron = trials_to(heron, 0.95 * optimum);
  const double median = base::quantile(reached, 0.5);
  const auto [ratio_low, ratio_high] = ratio_interval(reached, of_heron);
  std::vector<double> leads;
  double mean = 0;
  for (std::size_t seed = 0; seed < curves.size(); ++seed) {
    leads.push_back(area_under(heron[seed], trials, optimum) - area_under(curves[seed], trials, optimum));
    mean += leads.back() / static_cast<double>(curves.size());
  }
  const auto [low, high] = bootstrap_interval(leads);
  fmt::print("| `{}` | {:g} | {:.2f} ({:.2f} to {:.2f}) | {:+.4f} ({:+.4f} to {:+.4f}) | {} | {:.2f} |\n",
             explorer.name, median, median / base::quantile(of_heron, 0.5), ratio_low, ratio_high, mean, low,
             high, mean_member_share(curves), milliseconds_per_trial(curves));
  std::fflush(stdout);
}

void print_explorers(const Options& options) {
  const auto recording = open_recording(options);
  const Oracle oracle = recorded_oracle(recording);
  const double optimum = recorded_optimum(*recording);
  for (const char* encoding : encodings) {
    fmt::print(
        "| {}, {} trials, {} paired seeds | trials to 95 % | / heron's | area under best / optimum, heron's "
        "lead | children that were members | search ms a trial |\n|---|---|---|---|---|---|\n",
        encoding, options.trials, options.seeds);
    std::vector<SearchCurve> heron;
    for (const Explorer& explorer : explorers()) {
      Search search = search_of(*recording, explorer.tuner, encoding, options);
      search.settings.insert(explorer.settings.begin(), explorer.settings.end());
      const std::vector<SearchCurve> curves = follow_seeds(search, oracle, options.seeds);
      if (heron.empty()) heron = curves;
      print_explorer(explorer, curves, heron, options.trials, optimum);
    }
    fmt::print("\n");
  }
}

constexpr std::array<BenchmarkPart<Options>, 3> parts{
    {{"searches", print_searches}, {"keys", print_keys}, {"explorers", print_explorers}}};

}  // namespace

int main(int argc, char** argv) {
  const auto take = [](Options& options, std::string_view name, const char* value) {
    if (name == "--seeds") {
      options.seeds = std::max(1, std::atoi(value));
    } else if (name == "--trials") {
      options.trials = std::max(1, std::atoi(value));
    } else if (name == "--tuners") {
      options.tuners = value;
    } else if (name == "--set") {
      const std::string_view text = value;
      const std::size_t equals = std::min(text.find('='), text.size() - 1);
      options.settings[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    } else if (name == "--recording") {
      options.recording = value;
    } else {
      return false;
    }
    return true;
  };
  return run_parts<Options>(argc, argv, parts, take);
}
