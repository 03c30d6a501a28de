#include <algorithm>
#include <functional>
#include <limits>

#include "core/space/topology.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/// Maximum number of attempts: an infeasible child is bred again, a known child is mutated again; then the
/// child is random.
constexpr int max_tries = 100;

/** A configuration and the number of walk steps that led to it. */
struct Child {
  space::Configuration configuration;
  std::int64_t walk_steps = 0;  ///< steps over all knobs
};

/**
 * The first places of the priority queue of Algorithm 1: best first, equal ones in the order of their trials.
 * Fitness never changes, so a trial that drops out of these places is never a parent again.
 */
class Parents {
 public:
  explicit Parents(std::size_t size) : size_(size) {}

  void add(const trial::Observation& observation) {
    ranked_.insert(
        std::ranges::upper_bound(ranked_, observation.fitness, std::greater{}, &trial::Observation::fitness),
        observation);
    if (ranked_.size() > size_) ranked_.pop_back();
    fitness_.clear();
    for (const trial::Observation& parent : ranked_) fitness_.push_back(parent.fitness);
  }

  /** Returns true if the best has at least this fitness. */
  bool reach(double fitness) const { return !fitness_.empty() && fitness_.front() >= fitness; }

  /**
   * Returns a child in which each parameter comes from a separately drawn parent, in proportion to fitness
   * (OpEvo, section 4.2, equation 2).
   */
  space::Configuration recombined(base::Random& random) const {
    space::Configuration child = ranked_.front().configuration;
    for (std::size_t knob = 0; knob < child.indices.size(); ++knob)
      child.indices[knob] = ranked_[random.weighted(fitness_)].configuration.indices[knob];
    return child;
  }

 private:
  std::size_t size_;
  std::vector<trial::Observation> ranked_;
  std::vector<double> fitness_;  ///< fitness of the ranked trials
};

struct OpEvoSettings {
  std::size_t parents = 8;
  std::size_t offspring = 8;
  double mutation_rate = 0.5;
  double min_fitness = 1e-3;
  bool walks_inside = false;

  static SettingsOf<OpEvoSettings> table() {
    const std::string experiments = "OpEvo's experiments; the published code's own default is 20";
    return SettingsOf<OpEvoSettings>()
        .add("parents", &OpEvoSettings::parents, 1, 100'000, "configurations",
             "lambda: number of the best observed configurations, from which children inherit", experiments)
        .add("offspring", &OpEvoSettings::offspring, 1, 100'000, "configurations",
             "rho: number of children per generation", experiments)
        .add("mutation_rate", &OpEvoSettings::mutation_rate, 0.01, space::max_walk_rate, "",
             "q: probability of one more step in a knob's random walk", "OpEvo's experiments and section 4.3")
        .add("least_fitness", &OpEvoSettings::min_fitness, 0, 1e6, "GFLOP/s",
             "candidates are random until one reaches this performance; without a FLOP count, until one is "
             "valid",
             "OpEvo's published code")
        .choice("outside", &OpEvoSettings::walks_inside, {{"redraw", false}, {"stay", true}},
                "handling of an infeasible child: it is bred again, or its walks take no step that leaves "
                "the space",
                "ours: all configurations of the paper's spaces are feasible");
  }
};

/**
 * Returns the threshold on fitness. A threshold in GFLOP/s has no meaning for 1/seconds: in that case any
 * valid trial is enough.
 */
double min_fitness_of(const Context& context, double threshold) {
  if (context.task.flops() > 0) return threshold;
  return std::min(threshold, std::numeric_limits<double>::denorm_min());
}

/**
 * OpEvo, Algorithm 1. The first `parents` candidates are random, or half of them the best of the history;
 * then generations of `offspring` are recombined from the best of all observed and mutated by q-random walks.
 * In a constrained space walks may end outside. Under inequalities, such as a GPU's limits, two thirds to
 * nine tenths of the children are members, and breeding the others again finds children as good as those of
 * walks inside the space. If two knobs have to agree, no step of a single one stays inside: so breeding again
 * is the default.
 */
class OpEvoTuner final : public Tuner {
 public:
  explicit OpEvoTuner(const Context& context)
      : space_(context.space),
        settings_(read_settings<OpEvoSettings>(context.settings)),
        min_fitness_(min_fitness_of(context, settings_.min_fitness)),
        random_(context.random.fork("genetic operators")),
        visited_(context.space, context.random.fork("random members")),
        parents_(settings_.parents),
        generation_(initial_population(context, visited_, settings_.parents)) {}

  Result<Proposal> propose(std::size_t n) override {
    if (generation_.exhausted()) breed_generation();
    return next_proposal(generation_, n, visited_);
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) parents_.add(observation);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::size_t candidate = generation_.number_of(position);
    if (candidate >= walk_steps_.size() || !walk_steps_[candidate]) return {};
    std::vector<trial::SeriesValue> values{{"walk_steps", static_cast<double>(*walk_steps_[candidate])}};
    drawn_.report(values);
    return values;
  }

 private:
  void breed_generation() {
    const bool from_parents = parents_.reach(min_fitness_);
    std::vector<space::Configuration> offspring;
    walk_steps_.clear();
    drawn_ = {};
    while (offspring.size() < settings_.offspring) {
      if (auto child = from_parents ? take_child() : std::nullopt) {
        offspring.push_back(std::move(child->configuration));
        walk_steps_.emplace_back(child->walk_steps);
      } else if (auto stranger = visited_.take_random()) {
        offspring.push_back(std::move(*stranger));
        walk_steps_.emplace_back(std::nullopt);
      } else {
        break;
      }
    }
    generation_ = Generation(std::move(offspring));
  }

  /** Takes a child. A known child is mutated further until it is new (OpEvo, section 4.4). */
  std::optional<Child> take_child() {
    std::optional<Child> child = breed();
    for (int attempt = 0; child && attempt < max_tries; ++attempt) {
      if (visited_.insert(child->configuration)) return child;
      Child mutated = *child;
      mutate(mutated);
      if (space_.contains(mutated.configuration)) child = std::move(mutated);
    }
    return std::nullopt;
  }

  /** Breeds a member; nullopt after too many attempts. */
  std::optional<Child> breed() {
    for (int attempt = 0; attempt < max_tries; ++attempt) {
      Child child{parents_.recombined(random_)};
      // Walks that stay inside the space must start inside it.
      const bool walks = !settings_.walks_inside || space_.contains(child.configuration);
      if (walks) mutate(child);
      const bool member = walks && space_.contains(child.configuration);
      if (attempt == 0) drawn_.count(member);
      if (member) return child;
    }
    return std::nullopt;
  }

  /** Mutates all knobs by one random walk each (OpEvo, section 4.3), one after the other. */
  void mutate(Child& child) {
    std::vector<std::uint32_t>& indices = child.configuration.indices;
    for (std::size_t knob = 0; knob < indices.size(); ++knob) {
      const double rate = settings_.mutation_rate;
      const space::WalkEnd end =
          settings_.walks_inside
              ? space::q_random_member_walk(space_, child.configuration, knob, rate, random_)
              : space::q_random_walk(space_.knobs()[knob], indices[knob], rate, random_);
      indices[knob] = end.index;
      child.walk_steps += end.steps;
    }
  }

  space::SearchSpace space_;
  OpEvoSettings settings_;
  double min_fitness_;
  base::Random random_;
  Visited visited_;
  Parents parents_;
  Generation generation_;
  /// steps for each candidate of the generation; nullopt for a random candidate
  std::vector<std::optional<std::int64_t>> walk_steps_;
  DrawnChildren drawn_;  ///< for the generation
};

}  // namespace

Declaration opevo_tuner() {
  return {.name = "opevo",
          .summary = "evolutionary search whose mutation is a random walk over each knob's neighbours",
          .source = "OpEvo, section 4, Algorithm 1",
          .default_batch = 8,
          .hyperparameters = settings_of<OpEvoSettings>().declarations(),
          .make = [](const Context& context) -> Result<std::unique_ptr<Tuner>> {
            return std::make_unique<OpEvoTuner>(context);
          },
          .series = {{.name = "walk_steps",
                      .title = "Steps of the random walk",
                      .meaning =
                          "The number of steps of the q-random walk from the parent to the trial (OpEvo)."},
                     member_share_series("children of a generation of opevo")},
          .starts_with_best = true,
          .random_phase = integer_of<OpEvoSettings>(&OpEvoSettings::parents)};
}

}  // namespace kernelscape::tuner
