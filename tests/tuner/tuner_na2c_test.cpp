#include <cmath>

#include "core/surrogate/actor_critic.h"
#include "core/surrogate/adam.h"
#include "core/tuner/factorization_moves.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_na2c_test {
using namespace kernelscape::tuner_fixture;

namespace {

space::SearchSpace three_knobs() {
  return *space::SearchSpace::make({*space::Knob::factorization("k", 64, 3),
                                    *space::Knob::factorization("x", 60, 3),
                                    *space::Knob::factorization("y", 32, 4)});
}

/** The states that at most `steps` moves lead to. */
std::set<space::Configuration> within(const space::SearchSpace& space, const space::Configuration& from,
                                      int steps) {
  std::set<space::Configuration> reached{from};
  for (int step = 0; step < steps; ++step) {
    std::set<space::Configuration> next = reached;
    for (const space::Configuration& state : reached) next.merge(one_move_away(space, state));
    reached = std::move(next);
  }
  return reached;
}

/**
 * The network of a tuner whose walks are one move long: each candidate's state before is the best so far, and
 * its action the move between the two.
 */
class ReferenceNetwork {
 public:
  ReferenceNetwork(const tuner::Context& context, bool ascent, bool detached, bool relative)
      : space_(context.space),
        moves_(tuner::factorization_moves(space_)),
        loss_{ascent ? surrogate::PolicySign::Ascent : surrogate::PolicySign::Published, detached},
        relative_(relative),
        network_({tuner::factor_shares(space_, space_.at(0)).size(), 128, moves_.size()},
                 context.random.fork("network")),
        adam_(network_.parameters().size(), {}) {}

  std::size_t move_to(const space::Configuration& candidate) const {
    for (std::size_t move = 0; move < moves_.size(); ++move) {
      if (tuner::apply_move(space_, best_.configuration, moves_[move]) == candidate) return move;
    }
    throw std::logic_error("more than one move away");
  }

  surrogate::ActorCriticOutput output() const {
    return network_.evaluate(tuner::factor_shares(space_, best_.configuration));
  }

  void begin(const space::Configuration& start) { best_.configuration = start; }

  /** @param walked whether a walk led there, which teaches */
  void learn(const std::vector<trial::Observation>& observations, const std::vector<bool>& walked) {
    std::vector<surrogate::Transition> transitions;
    const std::vector<double> state = tuner::factor_shares(space_, best_.configuration);
    for (std::size_t i = 0; i < observations.size(); ++i) {
      if (!walked[i]) continue;
      transitions.push_back({state, move_to(observations[i].configuration), observations[i].fitness});
    }
    for (const trial::Observation& observation : observations) {
      if (observation.fitness > best_.fitness) best_ = observation;
    }
    for (surrogate::Transition& transition : transitions) {
      if (relative_) transition.reward = best_.fitness > 0 ? transition.reward / best_.fitness : 0;
    }
    if (!transitions.empty()) adam_.step(network_.parameters(), network_.gradient(transitions, loss_));
  }

 private:
  space::SearchSpace space_;
  std::vector<tuner::FactorizationMove> moves_;
  surrogate::ActorCriticLoss loss_;
  bool relative_;
  surrogate::ActorCritic network_;
  surrogate::Adam adam_;
  trial::Observation best_;
};

}  // namespace

class TunerNa2cTest : public QObject {
  Q_OBJECT

 private slots:
  void batches_are_walks_from_the_best() {
    base::Random random(printed_seed());
    const space::SearchSpace space = three_knobs();
    for (const int steps : {1, 3}) {
      const auto tuner =
          make_tuner("na2c", make_context("na2c", space, random.bits(), {{"steps", std::to_string(steps)}}));
      std::set<space::Configuration> visited;
      trial::Observation best;
      for (int batch = 0; batch < 30; ++batch) {
        const auto candidates = propose(*tuner, 100);
        QCOMPARE(candidates.size(), std::size_t{6});
        if (batch == 0) {
          QCOMPARE(space.describe(candidates[0]), std::string("k=[64, 1, 1] x=[60, 1, 1] y=[32, 1, 1, 1]"));
          QVERIFY(tuner->series(0).empty());
          best.configuration = candidates[0];
        }
        const std::set<space::Configuration> near = within(space, best.configuration, steps);
        std::set<space::Configuration> known = visited;
        known.insert(candidates.begin(), candidates.end());
        for (std::size_t i = batch == 0 ? 1 : 0; i < candidates.size(); ++i) {
          if (tuner->series(i).empty()) {
            // A random member: walks found nothing a hundred times. Then nearly all around is known.
            std::size_t unknown = 0;
            for (const space::Configuration& state : near) unknown += known.contains(state) ? 0U : 1U;
            QVERIFY(4 * unknown < near.size());
            continue;
          }
          QVERIFY(near.contains(candidates[i]));
        }
        const auto observations = measure(candidates, rough_fitness);
        tuner->observe(observations);
        visited = known;
        for (const trial::Observation& observation : observations) {
          if (observation.fitness > best.fitness) best = observation;
        }
      }
    }
  }

  void errors_do_not_move_the_search() {
    const space::SearchSpace space = three_knobs();
    const auto tuner = make_tuner("na2c", make_context("na2c", space, printed_seed()));
    const auto candidates = run_tuner(*tuner, [](const space::Configuration&) { return 0; }, 60, always(6));
    const std::set<space::Configuration> near = within(space, candidates.front(), 3);
    for (const space::Configuration& candidate : candidates) QVERIFY(near.contains(candidate));
  }

  void network_learns_from_each_batch_data() {
    QTest::addColumn<bool>("ascent");
    QTest::addColumn<bool>("detached");
    QTest::addColumn<bool>("relative");
    for (int row = 0; row < 8; ++row) {
      QTest::addRow("%d", row) << ((row & 1) == 0) << ((row & 2) == 0) << ((row & 4) != 0);
    }
  }
  void network_learns_from_each_batch() {
    QFETCH(bool, ascent);
    QFETCH(bool, detached);
    QFETCH(bool, relative);
    const space::SearchSpace space = three_knobs();
    const tuner::Context context = make_context("na2c", space, printed_seed(),
                                                {{"steps", "1"},
                                                 {"policy_sign", ascent ? "ascent" : "published"},
                                                 {"detached_advantage", detached ? "true" : "false"},
                                                 {"reward", relative ? "relative" : "raw"}});
    const auto tuner = make_tuner("na2c", context);
    ReferenceNetwork reference(context, ascent, detached, relative);
    int compared = 0;
    for (int batch = 0; batch < 12; ++batch) {
      const auto candidates = propose(*tuner, 6);
      if (batch == 0) reference.begin(candidates[0]);
      std::vector<bool> walked;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto series = tuner->series(i);
        walked.push_back(!series.empty());
        if (series.empty()) continue;
        const surrogate::ActorCriticOutput expected = reference.output();
        QCOMPARE(series.size(), std::size_t{3});
        QCOMPARE(series[0].series, std::string("predicted_value"));
        QCOMPARE(series[0].value, expected.value);
        QCOMPARE(series[1].series, std::string("action_probability"));
        QCOMPARE(series[1].value, expected.policy[reference.move_to(candidates[i])]);
        QCOMPARE(series[2].series, std::string("member_share"));
        ++compared;
      }
      const auto observations = measure(candidates, [&](const space::Configuration& candidate) {
        return 100 * batch + rough_fitness(candidate) / 10;  // each batch has a new best
      });
      tuner->observe(observations);
      reference.learn(observations, walked);
    }
    QVERIFY2(compared > 30, qPrintable(QString::number(compared)));  // of 72, some random members
  }

  void random_moves_are_uniform() {
    const space::SearchSpace space = three_knobs();
    const std::uint64_t seed = printed_seed();
    std::map<space::Configuration, int> counts;
    constexpr int repeats = 3000;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto tuner = make_tuner(
          "na2c",
          make_context("na2c", space, seed + repeat,
                       {{"states", "2"}, {"steps", "1"}, {"hidden", "1"}, {"random_action_share", "1"}}));
      ++counts[propose(*tuner, 2).at(1)];
    }
    // Of k 2, of x 3 primes to 2 positions, of y 3.
    QCOMPARE(counts.size(), std::size_t{2 + 6 + 3});
    const double share = 1.0 / 11;
    for (const auto& [candidate, count] : counts)
      QVERIFY(std::abs(count - repeats * share) < 6 * std::sqrt(repeats * share * (1 - share)));
  }

  void policy_draws_by_its_probabilities() {
    // The first move from the start, among the legal ones, over many seeds: as often as its probability says.
    const space::SearchSpace space = three_knobs();
    const std::uint64_t seed = printed_seed();
    std::map<space::Configuration, double> expected;
    std::map<space::Configuration, int> counts;
    constexpr int repeats = 3000;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const tuner::Context context = make_context(
          "na2c", space, seed + repeat, {{"states", "2"}, {"steps", "1"}, {"random_action_share", "0"}});
      const auto candidates = propose(*make_tuner("na2c", context), 2);
      ++counts[candidates[1]];
      ReferenceNetwork reference(context, true, true, false);
      reference.begin(candidates[0]);
      double legal = 0;
      for (const space::Configuration& next : one_move_away(space, candidates[0]))
        legal += reference.output().policy[reference.move_to(next)];
      for (const space::Configuration& next : one_move_away(space, candidates[0]))
        expected[next] += reference.output().policy[reference.move_to(next)] / legal;
    }
    for (const auto& [next, count] : expected)
      QVERIFY2(std::abs(counts[next] - count) < 6 * std::sqrt(count), qPrintable(QString::number(count)));
  }

  void members_that_no_walk_reaches_are_visited_too() {
    const auto tuner =
        make_tuner("na2c", make_context("na2c", explicit_space(two_part_knobs({7, 5, 9})), printed_seed()));
    const auto candidates = propose(*tuner, 6);
    QCOMPARE(std::set<space::Configuration>(candidates.begin(), candidates.end()).size(), std::size_t{5});
    for (std::size_t i = 0; i < candidates.size(); ++i) QVERIFY(tuner->series(i).empty());
  }

  void pieces_do_not_change_the_search() {
    const std::uint64_t seed = printed_seed();
    const auto run_in = [&](std::size_t n) {
      return run_tuner(*make_tuner("na2c", make_context("na2c", three_knobs(), seed)), rough_fitness, 150,
                       always(n));
    };
    const auto whole = run_in(6);
    QCOMPARE(whole.size(), std::size_t{150});
    QVERIFY(whole == run_in(1));
    QVERIFY(whole == run_in(4));
  }

  void settings_change_the_search() {
    const std::uint64_t seed = printed_seed();
    const auto run = [&](const std::map<std::string, std::string>& settings) {
      return run_tuner(*make_tuner("na2c", make_context("na2c", three_knobs(), seed, settings)),
                       rough_fitness, 300, always(6));
    };
    const auto defaults = run({});
    QVERIFY(defaults == run({{"policy_sign", "ascent"}, {"detached_advantage", "true"}, {"reward", "raw"}}));
    QVERIFY(defaults != run({{"learning_rate", "0.1"}}));
    QVERIFY(defaults != run({{"hidden", "64"}}));
    QVERIFY(defaults != run({{"random_action_share", "0.5"}}));
  }

  void networks_without_bounds_are_refused() {
    const space::SearchSpace space = *space::SearchSpace::make(
        {*space::Knob::factorization("a", 2, 64), *space::Knob::factorization("b", 2, 64)});
    const auto made =
        (*tuner::find_tuner("na2c"))->make(make_context("na2c", space, 1, {{"hidden", "5000"}}));
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::InvalidArgument);
    const QString message = QString::fromStdString(made.error().message);
    QVERIFY2(message.contains("na2c") && message.contains("5000 hidden units"), qPrintable(message));
    QVERIFY(QString::fromStdString(made.error().hint).contains("hidden"));
  }
};

KERNELSCAPE_PLAIN_TEST(TunerNa2cTest)

}  // namespace kernelscape::tuner_na2c_test
#include "tuner_na2c_test.moc"
