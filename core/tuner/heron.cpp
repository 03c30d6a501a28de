#include <utility>

#include "core/tuner/constrained_search.h"
#include "core/tuner/declaration.h"
#include "core/tuner/key_variables.h"

namespace kernelscape {
namespace {

enum class KeyChoice : std::uint8_t {
  Scored,  ///< what the cost model splits on most
  Random   ///< any, drawn anew for each child
};

/** CGA, Heron's constraint-based crossover and mutation (Algorithm 3): children are solutions of the space's
 * CSP with the parents' values of key variables. */
class ConstraintBreeding final : public Breeding {
 public:
  ConstraintBreeding(KeyChoice choice, const SettingValues& settings, SplitScore score)
      : choice_(choice),
        key_share_(settings.real("key_share")),
        least_keys_(static_cast<std::size_t>(settings.integer("least_keys"))),
        score_(score) {}

  Status begin_round(const BreedingTools& tools) override {
    const VariableColumns columns(tools.space.csp(), tools.model.columns());
    keys_ = columns.ranked(tools.model.column_scores(score_));
    keys_.resize(key_variable_count(key_share_, least_keys_, keys_.size()));
    if (choice_ == KeyChoice::Random) variables_ = columns.variables();
    return {};
  }

  Result<std::vector<Configuration>> breed(std::span<const Individual> parents, std::size_t count,
                                           const BreedingTools& tools) override {
    std::vector<std::vector<std::int64_t>> values;
    for (const Individual& parent : parents) values.push_back(tools.space.values_of(parent.configuration));
    std::vector<Configuration> children;
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
  /** As many as before, of all variables. */
  void draw_keys(Random& random) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::swap(variables_[i], variables_[i + random.below(variables_.size() - i)]);
      keys_[i] = variables_[i];
    }
  }

  /** Both parents are solutions: a search that is given up goes on from their values, at last from one. */
  static Result<Configuration> solve(std::span<const InConstraint> extra, const Configuration& first,
                                     const Configuration& second, const BreedingTools& tools) {
    const Solution solution = TRY(tools.space.solve(extra, {}, tools.random));
    const auto* child = std::get_if<Configuration>(&solution);
    tools.drawn.count(child != nullptr);
    if (child != nullptr) return *child;
    SolverHints hints = hints_of(first);
    for (std::size_t knob = 0; knob < hints.size(); ++knob)
      if (tools.random.chance(0.5)) hints[knob] = second.indices[knob];
    const Solution hinted = TRY(tools.space.solve(extra, hints, tools.random));
    const auto* later = std::get_if<Configuration>(&hinted);
    return later != nullptr ? *later : first;
  }

  KeyChoice choice_;
  double key_share_;
  std::size_t least_keys_;
  SplitScore score_;
  std::vector<VariableId> keys_;       ///< of the round, or of the last child
  std::vector<VariableId> variables_;  ///< of which random keys are drawn
};

HyperparameterDeclaration key_share_setting(std::string documentation) {
  return real_setting("key_share", 0.14, 0, 1, "of the variables that the model splits on",
                      std::move(documentation), "Heron's artifact (crossover_key_ratio)");
}

HyperparameterDeclaration least_keys_setting() {
  return integer_setting("least_keys", 4, 0, 10'000, "variables",
                         "as many are keys where the share is less: of few variables it would leave a child "
                         "nothing of its parents",
                         "ours: the paper's spaces have hundreds of variables; 0 is the artifact");
}

}  // namespace

TunerDeclaration heron_tuner() {
  return constrained_search_tuner(
      {.name = "heron",
       .summary = "genetic algorithm on constraints, whose children a solver finds (CGA)",
       .source = "Heron, section 5, Algorithms 2 and 3",
       .drawn = "children of heron, as its solver gives them",
       .settings =
           {key_share_setting("key variables, rounded down: a child has a parent's value of each but one"),
            least_keys_setting(),
            choice_setting("key_score", {"count", "gain"},
                           "what makes a variable a key: splits on it in the model, or their mean gain",
                           "Heron's artifact; gain: Heron, section 5.1")},
       .make_breeding = [](const SettingValues& settings) -> std::unique_ptr<Breeding> {
         const SplitScore score = settings.text("key_score") == "gain" ? SplitScore::Gain : SplitScore::Count;
         return std::make_unique<ConstraintBreeding>(KeyChoice::Scored, settings, score);
       }});
}

TunerDeclaration cga_1_tuner() {
  return constrained_search_tuner(
      {.name = "cga-1",
       .summary = "heron with random key variables, to compare",
       .source = "Heron, section 7.4, CGA-1",
       .drawn = "children of cga-1, as its solver gives them",
       .settings = {key_share_setting(
                        "key variables, rounded down: as many as heron's, drawn anew for each child"),
                    least_keys_setting()},
       .make_breeding = [](const SettingValues& settings) -> std::unique_ptr<Breeding> {
         return std::make_unique<ConstraintBreeding>(KeyChoice::Random, settings, SplitScore::Count);
       }});
}

}  // namespace kernelscape
