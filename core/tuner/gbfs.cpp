#include <iterator>
#include <map>

#include "core/space/topology.h"
#include "core/tuner/factorization_moves.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

struct GbfsSettings {
  std::size_t samples = 5;
  bool stops_when_stuck = false;

  static SettingsOf<GbfsSettings> table() {
    return SettingsOf<GbfsSettings>()
        .add("samples", &GbfsSettings::samples, 1, 100'000, "moves", "rho: drawn of a state's legal moves",
             "NNI, G_BFS (num_samples)")
        .choice("when_stuck", &GbfsSettings::stops_when_stuck, {{"random-member", false}, {"stop", true}},
                "action if a state's sample has no new configuration: continue with the next best state, and "
                "finally with random feasible configurations; or end the search (published)",
                "ours; NNI, G_BFS: stop");
  }
};

/**
 * G-BFS expands the best measured state that was not expanded yet, once: some of its legal moves are drawn at
 * random, and those that lead to new states are measured. Of equally fit states the latest is first. The
 * published code ends at the first expansion without a new state, even if other states are waiting. This
 * implementation continues with these, and finally with a random member, so that the budget is used.
 */
class BestFirstTuner final : public Tuner {
 public:
  explicit BestFirstTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<GbfsSettings>(context.settings)),
        random_(context.random.fork("sampled moves")),
        visited_(context.space, context.random.fork("random members")) {
    if (auto start = take_start(context, visited_)) expansion_ = Generation({std::move(*start)});
  }

  Result<Proposal> propose(std::size_t n) override {
    if (expansion_.exhausted() && !stopped_) expand();
    std::vector<space::Configuration> candidates = expansion_.take(n);
    if (!candidates.empty()) return candidates;
    if (stopped_) return Finished{"the best state led to no new configuration"};
    return visited_.finished();
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      queue_.emplace(std::pair(observation.fitness, observed_++), observation.configuration);
    }
  }

  std::vector<trial::SeriesValue> series(std::size_t /*position*/) const override {
    if (!expanded_fitness_) return {};
    return {{"expanded_fitness", *expanded_fitness_}};
  }

 private:
  void expand() {
    expansion_ = {};
    while (!queue_.empty() && expansion_.exhausted() && !stopped_) {
      const auto best = std::prev(queue_.end());
      expanded_fitness_ = best->first.first;
      expansion_ = Generation(sample_new_neighbours(best->second));
      queue_.erase(best);
      stopped_ = expansion_.exhausted() && settings_.stops_when_stuck;
    }
    if (!expansion_.exhausted() || stopped_) return;
    expanded_fitness_.reset();
    if (auto member = visited_.take_random()) expansion_ = Generation({std::move(*member)});
  }

  /** Draws among all legal moves, including those to known states, as published. */
  std::vector<space::Configuration> sample_new_neighbours(const space::Configuration& state) {
    std::vector<space::Configuration> sampled = space::neighbours(space_, state);
    random_.shuffle(std::span(sampled));
    if (sampled.size() > settings_.samples) sampled.resize(settings_.samples);
    std::erase_if(sampled,
                  [&](const space::Configuration& neighbour) { return !visited_.insert(neighbour); });
    return sampled;
  }

  space::SearchSpace space_;
  GbfsSettings settings_;
  base::Random random_;
  Visited visited_;
  std::map<std::pair<double, std::uint64_t>, space::Configuration>
      queue_;  ///< by fitness, then order; best last
  std::uint64_t observed_ = 0;
  Generation expansion_;
  std::optional<double> expanded_fitness_;  ///< fitness of the state whose neighbours the candidates are
  bool stopped_ = false;
};

Status check_best_first(const Context& context) { return require_factorizations(context.space, "gbfs"); }

Result<std::unique_ptr<Tuner>> make_best_first_tuner(const Context& context) {
  TRY(check_best_first(context));
  return std::make_unique<BestFirstTuner>(context);
}

}  // namespace

Declaration gbfs_tuner() {
  return {.name = "gbfs",
          .summary = "greedy best-first search over moves of prime factors",
          .source = "Zhang et al. 2019, G-BFS, as OpEvo's authors implemented it",
          .default_batch = 5,
          .hyperparameters = settings_of<GbfsSettings>().declarations(),
          .make = make_best_first_tuner,
          .fits = check_best_first,
          .series = {{.name = "expanded_fitness",
                      .title = "Performance of the expanded neighbour",
                      .unit = trial::SeriesUnit::Fitness,
                      .meaning = "The performance of the configuration whose neighbour the trial is (G-BFS, "
                                 "one of OpEvo's baselines)."}},
          .starts_with_best = true,
          .random_phase = [](const SettingValues& /*settings*/, std::int64_t /*trial_budget*/) {
            return std::int64_t{1};
          }};
}

}  // namespace kernelscape::tuner
