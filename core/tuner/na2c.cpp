#include <fmt/format.h>

#include <algorithm>

#include "core/surrogate/actor_critic.h"
#include "core/surrogate/adam.h"
#include "core/tuner/factorization_moves.h"
#include "core/tuner/population.h"
#include "core/tuner/typed_settings.h"

namespace kernelscape::tuner {
namespace {

/// The published code walks forever around a best state whose neighbourhood is known.
constexpr int max_fruitless_walks = 100;
/// 128 MiB, three times with Adam's moments.
constexpr std::size_t max_parameters = std::size_t{1} << 24;

struct Na2cSettings {
  std::size_t states = 6;
  std::int64_t steps = 3;
  std::size_t hidden = 128;
  double learning_rate = 1e-3;
  double random_move_share = 0.1;
  surrogate::ActorCriticLoss loss = {};
  bool relative_reward = false;

  static SettingsOf<Na2cSettings> table() {
    const std::string published = "NNI, N_A2C";
    return SettingsOf<Na2cSettings>()
        .add("states", &Na2cSettings::states, 1, 100'000, "configurations",
             "number of new states between two steps of the network", published + " (n_states)")
        .add("steps", &Na2cSettings::steps, 1, 100'000, "moves",
             "tau: number of moves of a walk from the best state", published + " (n_steps)")
        .add("hidden", &Na2cSettings::hidden, 1, 100'000, "units",
             "size of the layer that policy and critic share", published + " (hidden_size)")
        .add("learning_rate", &Na2cSettings::learning_rate, 1e-9, 10, "", "learning rate of Adam",
             published + " (lr)")
        .add("random_action_share", &Na2cSettings::random_move_share, 0, 1, "of the moves",
             "share of moves that are drawn uniformly, not by the policy", published)
        .choice("policy_sign", submember(&Na2cSettings::loss, &surrogate::ActorCriticLoss::sign),
                {{"ascent", surrogate::PolicySign::Ascent}, {"published", surrogate::PolicySign::Published}},
                "moves that become more probable: those with a positive advantage, or (published) with a "
                "negative one",
                "ours; " + published + ": published")
        .add("detached_advantage",
             submember(&Na2cSettings::loss, &surrogate::ActorCriticLoss::detached_advantage),
             "whether the policy's term does not train the critic, as in A2C; in the published code it does",
             "ours; " + published + ": false")
        .choice("reward", &Na2cSettings::relative_reward, {{"raw", false}, {"relative", true}},
                "fitness, or its share of the best so far", published + ": raw");
  }
};

/** The step of a walk that led to a new state. */
struct WalkStep {
  std::vector<double> state;  ///< before the move
  std::size_t move = 0;
  double value = 0;        ///< the critic's value of the state before the move
  double probability = 0;  ///< the policy's probability of the move
};

surrogate::ActorCriticShape network_shape(const Context& context, const Na2cSettings& settings) {
  const space::Configuration any{std::vector<std::uint32_t>(context.space.knobs().size(), 0)};
  // Without moves there are no walks, and the network is never used.
  return {.inputs = std::max<std::size_t>(1, factor_shares(context.space, any).size()),
          .hidden = settings.hidden,
          .actions = std::max<std::size_t>(1, factorization_moves(context.space).size())};
}

/**
 * N-A2C: short walks from the best state so far, by a policy that learns from the fitness of the states that
 * they found. After each batch of new states the network takes one step. It only learns from moves that led
 * to a new state, because nothing was measured for the others (published). Unlike the published code, this
 * implementation measures the start, so that no worse state becomes the best; it ends a walk once the batch
 * is full; and it uses random members if walks find nothing new.
 */
class ActorCriticTuner final : public Tuner {
 public:
  explicit ActorCriticTuner(const Context& context)
      : space_(context.space),
        moves_(factorization_moves(context.space)),
        settings_(read_settings<Na2cSettings>(context.settings)),
        random_(context.random.fork("walks")),
        visited_(context.space, context.random.fork("random members")),
        network_(network_shape(context, settings_), context.random.fork("network")),
        optimizer_(network_.parameters().size(), {.learning_rate = settings_.learning_rate}),
        start_(take_start(context, visited_)) {}

  Result<Proposal> propose(std::size_t n) override {
    if (batch_.exhausted()) {
      learn();
      batch_ = Generation(collect());
    }
    return next_proposal(batch_, n, visited_);
  }

  void observe(std::span<const trial::Observation> observations) override {
    for (const trial::Observation& observation : observations) {
      if (observation.fitness > best_.fitness) best_ = observation;
    }
    batch_.observe(observations);
  }

  std::vector<trial::SeriesValue> series(std::size_t position) const override {
    const std::size_t candidate = batch_.number_of(position);
    if (candidate >= origins_.size() || !origins_[candidate]) return {};
    std::vector<trial::SeriesValue> values{{"predicted_value", origins_[candidate]->value},
                                           {"action_probability", origins_[candidate]->probability}};
    drawn_.report(values);
    return values;
  }

 private:
  /** Takes one training step on all transitions of the batch. */
  void learn() {
    std::vector<surrogate::Transition> transitions;
    for (std::size_t i = 0; i < batch_.observed().size(); ++i) {
      if (!origins_[i]) continue;
      transitions.push_back(
          {std::move(origins_[i]->state), origins_[i]->move, reward_of(batch_.observed()[i].fitness)});
    }
    if (transitions.empty()) return;
    optimizer_.step(network_.parameters(), network_.gradient(transitions, settings_.loss));
  }

  double reward_of(double fitness) const {
    if (!settings_.relative_reward) return fitness;
    return best_.fitness > 0 ? fitness / best_.fitness : 0;
  }

  /** Collects candidates: first the start, then new states that walks reach, then random members. */
  std::vector<space::Configuration> collect() {
    origins_.clear();
    drawn_ = {};
    std::vector<space::Configuration> batch;
    if (start_) {
      best_.configuration = *start_;
      batch.push_back(std::move(*start_));
      origins_.emplace_back();
      start_.reset();
    }
    for (int fruitless = 0;
         can_walk() && batch.size() < settings_.states && fruitless < max_fruitless_walks;) {
      const std::size_t before = batch.size();
      walk(batch);
      fruitless = batch.size() == before ? fruitless + 1 : 0;
    }
    visited_.fill(batch, settings_.states);
    origins_.resize(batch.size());
    return batch;
  }

  /** Returns false in a space without moves or members. */
  bool can_walk() const { return !moves_.empty() && !best_.configuration.indices.empty(); }

  /**
   * Walks from the best state. An illegal move, or one that leaves the space, keeps the state; known states
   * are passed through.
   */
  void walk(std::vector<space::Configuration>& batch) {
    space::Configuration state = best_.configuration;
    for (std::int64_t step = 0; step < settings_.steps && batch.size() < settings_.states; ++step) {
      std::vector<double> shares = factor_shares(space_, state);
      const surrogate::ActorCriticOutput output = network_.evaluate(shares);
      const std::size_t move = random_.chance(settings_.random_move_share) ? random_.below(moves_.size())
                                                                           : random_.weighted(output.policy);
      auto next = apply_move(space_, state, moves_[move]);
      if (!next) continue;
      const bool member = space_.contains(*next);
      drawn_.count(member);
      if (!member) continue;
      if (visited_.insert(*next)) {
        batch.push_back(*next);
        origins_.emplace_back(WalkStep{std::move(shares), move, output.value, output.policy[move]});
      }
      state = std::move(*next);
    }
  }

  space::SearchSpace space_;
  std::vector<FactorizationMove> moves_;
  Na2cSettings settings_;
  base::Random random_;
  Visited visited_;
  surrogate::ActorCritic network_;
  surrogate::Adam optimizer_;
  std::optional<space::Configuration> start_;  ///< until it is proposed
  trial::Observation best_;
  Generation batch_;
  /// steps to the batch's states; nullopt for a state that no walk reached
  std::vector<std::optional<WalkStep>> origins_;
  DrawnChildren drawn_;  ///< the moves of the batch's walks
};

Status check_actor_critic(const Context& context) {
  TRY(require_factorizations(context.space, "na2c"));
  const surrogate::ActorCriticShape shape =
      network_shape(context, read_settings<Na2cSettings>(context.settings));
  if (shape.parameter_count() > max_parameters) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("tuner na2c: {} hidden units for {} factors and {} moves need {} parameters, more than "
                    "the limit of {}",
                    shape.hidden, shape.inputs, shape.actions, shape.parameter_count(), max_parameters),
        "decrease the setting hidden, or split loops into fewer parts");
  }
  return {};
}

Result<std::unique_ptr<Tuner>> make_actor_critic_tuner(const Context& context) {
  TRY(check_actor_critic(context));
  return std::make_unique<ActorCriticTuner>(context);
}

std::vector<trial::SeriesDescription> actor_critic_series() {
  return {{.name = "predicted_value",
           .title = "Predicted reward",
           .relation = trial::SeriesRelation::Ranking,
           .meaning = "The critic's prediction for a move from the configuration before the trial. The "
                      "reward is the performance or, by a setting, its share of the best so far, so only the "
                      "order can be compared (N-A2C, one of OpEvo's baselines)."},
          {.name = "action_probability",
           .title = "Probability of the chosen move",
           .unit = trial::SeriesUnit::Share,
           .meaning = "The probability that the policy gave to the move that led to the trial (N-A2C, one of "
                      "OpEvo's baselines)."},
          member_share_series("moves of prime factors that na2c's walks try, if the factor has the prime")};
}

}  // namespace

Declaration na2c_tuner() {
  return {
      .name = "na2c",
      .summary = "short walks over moves of prime factors by a policy that learns (advantage actor-critic)",
      .source = "Zhang et al. 2019, N-A2C, as OpEvo's authors implemented it",
      .default_batch = 6,
      .hyperparameters = settings_of<Na2cSettings>().declarations(),
      .make = make_actor_critic_tuner,
      .fits = check_actor_critic,
      .series = actor_critic_series(),
      .starts_with_best = true,
      // Before the first batch is measured, there is no best state to walk from, and the network is
      // untrained.
      .random_phase = integer_of<Na2cSettings>(&Na2cSettings::states)};
}

}  // namespace kernelscape::tuner
