#include <utility>

#include "core/tuner/constrained_search.h"
#include "core/tuner/key_variables.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

enum class KeyChoice : std::uint8_t {
  Scored,  ///< variables on which the cost model splits most often
  Random   ///< any variables, drawn again for each child
};

/** Settings of the number of key variables. */
struct KeySettings {
  double key_share = 0.14;
  std::size_t min_keys = 4;

  static SettingsOf<KeySettings> table(const std::string& keys) {
    return SettingsOf<KeySettings>()
        .add("key_share", &KeySettings::key_share, 0, 1, "of the variables that the model splits on", keys,
             "Heron's artifact (crossover_key_ratio)")
        .add("least_keys", &KeySettings::min_keys, 0, 10'000, "variables",
             "minimum number of key variables, if the share gives fewer: with too few, a child would inherit "
             "nothing from its parents",
             "ours: the paper's spaces have hundreds of variables; 0 as in the artifact");
  }
};

struct HeronSettings {
  KeySettings keys = {};
  surrogate::SplitScore key_score = surrogate::SplitScore::Count;

  static SettingsOf<HeronSettings> table() {
    return SettingsOf<HeronSettings>()
        .group(&HeronSettings::keys,
               KeySettings::table(
                   "share of key variables, rounded down: a child has a parent's value of each except one"))
        .choice(
            "key_score", &HeronSettings::key_score,
            {{"count", surrogate::SplitScore::Count}, {"gain", surrogate::SplitScore::Gain}},
            "score that makes a variable a key: the number of splits on it in the model, or their mean gain",
            "Heron's artifact; gain: Heron, section 5.1");
  }
};

/** CGA, Heron's constraint-based crossover and mutation (Algorithm 3): children are solutions of the space's
 * CSP with the parents' values of key variables. */
class ConstraintBreeding final : public Breeding {
 public:
  ConstraintBreeding(KeyChoice choice, const KeySettings& keys, surrogate::SplitScore score)
      : choice_(choice), settings_(keys), score_(score) {}

  Status begin_round(const BreedingTools& tools) override {
    const VariableColumns columns(tools.space.csp(), tools.model.columns());
    keys_ = columns.ranked(tools.model.column_scores(score_));
    keys_.resize(key_variable_count(settings_.key_share, settings_.min_keys, keys_.size()));
    if (choice_ == KeyChoice::Random) variables_ = columns.variables();
    return {};
  }

  Result<std::vector<space::Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                                  const BreedingTools& tools) override {
    std::vector<std::vector<std::int64_t>> values;
    for (const Individual& parent : parents) values.push_back(tools.space.values_of(parent.configuration));
    std::vector<space::Configuration> children;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = tools.random.below(parents.size());
      const std::size_t second = tools.random.below(parents.size());
      if (choice_ == KeyChoice::Random) draw_keys(tools.random);
      const std::size_t left_out = keys_.empty() ? 0 : tools.random.below(keys_.size());
      const auto extra = crossover_constraints(keys_, left_out, values[first], values[second]);
      children.push_back(
          TRY(solve(extra, parents[first].configuration, parents[second].configuration, tools)));
    }
    return children;
  }

 private:
  /** Draws the same number of keys from all variables. */
  void draw_keys(base::Random& random) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::swap(variables_[i], variables_[i + random.below(variables_.size() - i)]);
      keys_[i] = variables_[i];
    }
  }

  /**
   * Solves the constraints. Both parents are solutions: if the solver gives up, the search continues from
   * their values, finally from those of one parent.
   */
  static Result<space::Configuration> solve(std::span<const space::InConstraint> extra,
                                            const space::Configuration& first,
                                            const space::Configuration& second, const BreedingTools& tools) {
    const space::Solution solution = TRY(tools.space.solve(extra, {}, tools.random));
    const auto* child = std::get_if<space::Configuration>(&solution);
    tools.drawn.count(child != nullptr);
    if (child != nullptr) return *child;
    space::SolverHints hints = hints_of(first);
    for (std::size_t knob = 0; knob < hints.size(); ++knob)
      if (tools.random.chance(0.5)) hints[knob] = second.indices[knob];
    const space::Solution hinted = TRY(tools.space.solve(extra, hints, tools.random));
    const auto* later = std::get_if<space::Configuration>(&hinted);
    return later != nullptr ? *later : first;
  }

  KeyChoice choice_;
  KeySettings settings_;
  surrogate::SplitScore score_;
  std::vector<space::VariableId> keys_;       ///< key variables of the round, or of the last child
  std::vector<space::VariableId> variables_;  ///< variables from which random keys are drawn
};

}  // namespace

Declaration heron_tuner() {
  return constrained_search_tuner(
      {.name = "heron",
       .summary = "constraint-based genetic algorithm, whose children are found by a solver (CGA)",
       .source = "Heron, section 5, Algorithms 2 and 3",
       .drawn = "children of heron, as its solver finds them",
       .settings = settings_of<HeronSettings>().declarations(),
       .make_breeding = [](const SettingValues& values) -> std::unique_ptr<Breeding> {
         const auto settings = read_settings<HeronSettings>(values);
         return std::make_unique<ConstraintBreeding>(KeyChoice::Scored, settings.keys, settings.key_score);
       }});
}

Declaration cga_1_tuner() {
  const auto keys = KeySettings::table(
      "share of key variables, rounded down: as many as in heron, drawn again for each child");
  return constrained_search_tuner(
      {.name = "cga-1",
       .summary = "heron with random key variables, for comparison",
       .source = "Heron, section 7.4, CGA-1",
       .drawn = "children of cga-1, as its solver finds them",
       .settings = keys.declarations(),
       .make_breeding = [keys](const SettingValues& values) -> std::unique_ptr<Breeding> {
         return std::make_unique<ConstraintBreeding>(KeyChoice::Random, keys.read(values),
                                                     surrogate::SplitScore::Count);
       }});
}

}  // namespace kernelscape::tuner
