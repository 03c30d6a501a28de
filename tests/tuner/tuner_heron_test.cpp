#include <algorithm>
#include <cmath>
#include <set>

#include "core/tuner/constrained_search.h"
#include "core/tuner/key_variables.h"
#include "tests/space/random_systems.h"
#include "tests/space/tied_levels.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_heron_test {
using namespace kernelscape::tuner_fixture;

namespace {

using Texts = std::map<std::string, std::string>;

const std::vector<std::string> constrained_tuners{"heron", "cga-1",      "ga-1",     "ga-2",
                                                  "ga-3",  "heron-rand", "heron-sa", "heron-ga"};

/** Returns true if all children of the tuner come from the solver. */
bool draws_members_alone(const std::string& tuner) {
  return tuner == "heron" || tuner == "cga-1" || tuner == "heron-rand";
}

/** Small rounds, so that many of them take no time. */
Texts small_rounds(const std::string& tuner) {
  Texts settings{{"population", "30"}, {"offspring", "30"}};
  if (tuner.starts_with("ga-") || tuner == "heron-sa" || tuner == "heron-ga")
    settings["feasible_samples"] = "50";
  return settings;
}

void every_constrained_tuner() {
  QTest::addColumn<QString>("tuner");
  for (const std::string& tuner : constrained_tuners)
    QTest::addRow("%s", tuner.c_str()) << QString::fromStdString(tuner);
}

/** Levels whose product is a number: one in some hundred of the knobs' product are members. */
space::SearchSpace levels_space() {
  testing::TiedLevels levels(1024, 4);
  return *space::SearchSpace::make(levels.knobs, levels.system);
}

/** The best is where the first level is 16 and the second one 4. */
double level_fitness(const space::Configuration& configuration) {
  const double first = static_cast<double>(configuration.indices[0]) - 4;
  const double second = static_cast<double>(configuration.indices[1]) - 2;
  return 100 * std::exp(-0.1 * (first * first + second * second)) + configuration.indices[2];
}

std::optional<double> value_of(const tuner::Tuner& tuner, std::size_t position, const std::string& series) {
  for (const trial::SeriesValue& value : tuner.series(position))
    if (value.series == series) return value.value;
  return std::nullopt;
}

space::SearchSpace contradicting_space() {
  testing::TiedLevels levels(64, 3);
  levels.system.add({space::InConstraint{levels.levels[0], {64}}, "all in the first"});
  levels.system.add({space::InConstraint{levels.levels[1], {2, 4}}, "some in the second"});
  levels.system.add({space::InConstraint{levels.levels[2], {1, 2, 4}}, "no matter"});
  return *space::SearchSpace::make(levels.knobs, levels.system);
}

}  // namespace

class TunerHeronTest : public QObject {
  Q_OBJECT

 private slots:
  void roulette_draws_each_once_in_proportion() {
    base::Random random(printed_seed());
    const std::vector<double> values{5, 6, 8};  // weights 0, 1 and 3 over the least
    int first_drawn = 0;
    for (int repeat = 0; repeat < 4000; ++repeat) {
      const std::vector<std::size_t> drawn = tuner::draw_by_roulette(values, 5, random);
      QCOMPARE(std::set<std::size_t>(drawn.begin(), drawn.end()), (std::set<std::size_t>{0, 1, 2}));
      QCOMPARE(drawn.back(), std::size_t{0});
      first_drawn += drawn.front() == 2 ? 1 : 0;
    }
    QVERIFY2(std::abs(first_drawn - 3000) < 170, qPrintable(QString::number(first_drawn)));  // six deviations
    QCOMPARE(tuner::draw_by_roulette(values, 2, random).size(), std::size_t{2});
    QVERIFY(tuner::draw_by_roulette({}, 2, random).empty());
    QCOMPARE(tuner::draw_by_roulette(std::vector<double>(9, 1.0), 9, random).size(), std::size_t{9});
  }

  void key_variables_are_the_highest_scores_that_are_variables() {
    space::ConstraintSystem csp;
    const space::VariableId a = csp.add_element("a", 0, 0);
    const space::VariableId b = csp.add_element("b", 1, 0);
    csp.add_constant("limit", 3);
    const space::VariableId sum = csp.add_derived("sum");
    csp.add({space::SumConstraint{sum, {a, b}}, ""});
    const space::VariableId other = csp.add_derived("sum");
    csp.add({space::SumConstraint{other, {a, a}}, ""});
    const std::vector<std::string> names{"a", "b", "limit", "elsewhere", "sum", "sum"};
    const tuner::VariableColumns columns(csp, names);
    QCOMPARE(columns.variables(), (std::vector<space::VariableId>{a, b, sum, other}));
    QCOMPARE(columns.ranked(std::vector<double>{2, 0, 9, 9, 5, 2}),
             (std::vector<space::VariableId>{sum, a, other}));
    QVERIFY(columns.ranked(std::vector<double>(6, 0.0)).empty());
    QCOMPARE(tuner::key_variable_count(0.14, 4, 50), std::size_t{7});
    QCOMPARE(tuner::key_variable_count(0.14, 0, 7), std::size_t{0});
    QCOMPARE(tuner::key_variable_count(0.14, 4, 7), std::size_t{4});
    QCOMPARE(tuner::key_variable_count(0.14, 4, 3), std::size_t{3});
    QCOMPARE(tuner::key_variable_count(1, 4, 7), std::size_t{7});
  }

  void a_child_has_a_parents_value_of_every_key_but_one() {
    base::Random random(printed_seed());
    const tuner::SolvedSpace space(levels_space(), {});
    for (int repeat = 0; repeat < 200; ++repeat) {
      const auto member = [&] { return std::get<space::Configuration>(*space.solve({}, {}, random)); };
      const std::vector<std::int64_t> first = space.values_of(member());
      const std::vector<std::int64_t> second = space.values_of(member());
      const std::vector<space::VariableId> keys{3, 0, 1};
      const std::size_t left_out = random.below(keys.size() + 1);
      const std::vector<space::InConstraint> extra =
          tuner::crossover_constraints(keys, left_out, first, second);
      QCOMPARE(extra.size(), left_out < keys.size() ? std::size_t{2} : std::size_t{3});
      const space::Configuration child = std::get<space::Configuration>(*space.solve(extra, {}, random));
      QVERIFY(space.space().contains(child));
      const std::vector<std::int64_t> values = space.values_of(child);
      for (std::size_t i = 0; i < keys.size(); ++i)
        QVERIFY(i == left_out || values[keys[i]] == first[keys[i]] || values[keys[i]] == second[keys[i]]);
    }
  }

  void solutions_of_random_systems_satisfy_what_is_asked() {
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 100; ++repeat) {
      const testing::RandomSystem drawn = testing::random_system(random);
      const std::vector<space::Configuration> members = testing::solutions_of(drawn);
      if (members.empty()) continue;
      const space::SearchSpace constrained = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const space::SearchSpace listed = *space::SearchSpace::make_explicit(drawn.knobs, members);
      for (const space::SearchSpace& one : {constrained, listed}) {
        const tuner::SolvedSpace space(one, {.nodes = 1'000'000});
        const auto id = static_cast<space::VariableId>(random.below(space.csp().variables().size()));
        const space::Configuration& parent = members[random.below(members.size())];
        const std::int64_t wanted = space.values_of(parent)[id];
        const std::vector<space::InConstraint> extra{{id, {wanted}}};
        const auto found = std::get<space::Configuration>(*space.solve(extra, {}, random));
        QVERIFY(one.contains(found));
        QCOMPARE(space.values_of(found)[id], wanted);
        QVERIFY(std::get<space::Configuration>(*space.solve({}, tuner::hints_of(parent), random)) == parent);
        QVERIFY(space.violations_of(parent).empty());
        if (id < static_cast<space::VariableId>(drawn.knobs.size())) {
          const std::vector<space::InConstraint> nothing{{id, {}}};
          QVERIFY(*space.solve(nothing, {}, random) == space::Solution(space::NoSolution::Proven));
        }
      }
    }
  }

  void rounds_are_handed_out_in_pieces_data() { every_constrained_tuner(); }
  void rounds_are_handed_out_in_pieces() {
    QFETCH(QString, tuner);
    const auto made = make_tuner(
        tuner.toStdString(),
        make_context(tuner.toStdString(), levels_space(), printed_seed(), small_rounds(tuner.toStdString())));
    std::vector<std::size_t> sizes;
    for (int piece = 0; piece < 6; ++piece) {
      const auto candidates = propose(*made, 12);
      sizes.push_back(candidates.size());
      // The first of the second round is the best prediction.
      if (piece <= 3) QCOMPARE(value_of(*made, 0, "predicted_score").has_value(), piece == 3);
      made->observe(measure(candidates, level_fitness));
    }
    QCOMPARE(sizes, (std::vector<std::size_t>{12, 12, 8, 12, 12, 8}));
  }

  void nineteen_are_the_best_predictions_and_thirteen_are_drawn() {
    const auto tuner = make_tuner("heron", make_context("heron", levels_space(), printed_seed()));
    tuner->observe(measure(propose(*tuner, 32), level_fitness));
    const auto round = propose(*tuner, 32);
    QCOMPARE(round.size(), std::size_t{32});
    std::vector<double> scores;
    for (std::size_t i = 0; i < 32; ++i) scores.push_back(value_of(*tuner, i, "predicted_score").value());
    QVERIFY(std::ranges::is_sorted(scores.begin(), scores.begin() + 19, std::greater{}));
    for (std::size_t i = 19; i < 32; ++i) QVERIFY(scores[i] <= scores[18]);
  }

  void only_new_members_are_proposed_data() { every_constrained_tuner(); }
  void only_new_members_are_proposed() {
    QFETCH(QString, tuner);
    base::Random random(printed_seed());
    for (int repeat = 0; repeat < 12; ++repeat) {
      const testing::RandomSystem drawn = testing::random_system(random, false);
      std::vector<space::Configuration> members = testing::solutions_of(drawn);
      if (members.empty()) continue;
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const auto made = make_tuner(
          tuner.toStdString(),
          make_context(tuner.toStdString(), space, random.bits(), small_rounds(tuner.toStdString())));
      auto proposed = run_tuner(*made, rough_fitness, 300, always(32));
      QCOMPARE(proposed.size(), std::min<std::size_t>(300, members.size()));
      for (const space::Configuration& candidate : proposed) QVERIFY(space.contains(candidate));
      QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(), proposed.size());
    }
  }

  void heron_draws_members_alone_and_plain_children_leave_the_space() {
    const std::uint64_t seed = printed_seed();
    for (const std::string& tuner : constrained_tuners) {
      const auto made = make_tuner(tuner, make_context(tuner, levels_space(), seed, small_rounds(tuner)));
      made->observe(measure(propose(*made, 32), level_fitness));
      QVERIFY(!value_of(*made, 0, "member_share"));
      QVERIFY(!propose(*made, 32).empty());
      const double share = value_of(*made, 0, "member_share").value();
      if (draws_members_alone(tuner))
        QCOMPARE(share, 1.0);
      else
        QVERIFY2(share < 0.9, tuner.c_str());
    }
  }

  void rivals_have_the_settings_of_a_round() {
    const tuner::Declaration& heron = **tuner::find_tuner("heron");
    for (const std::string& name : constrained_tuners) {
      const tuner::Declaration& rival = **tuner::find_tuner(name);
      QVERIFY(rival.enforces_limits);
      QCOMPARE(rival.default_batch, heron.default_batch);
      for (const tuner::HyperparameterDeclaration& setting : heron.hyperparameters) {
        if (setting.name.starts_with("key_") || setting.name == "least_keys") continue;
        const auto found =
            std::ranges::find(rival.hyperparameters, setting.name, &tuner::HyperparameterDeclaration::name);
        QVERIFY2(found != rival.hyperparameters.end(), (name + " " + setting.name).c_str());
        QVERIFY(found->default_value == setting.default_value &&
                found->documentation == setting.documentation);
      }
    }
    for (const tuner::Declaration& tuner : tuner::tuner_registry())
      QCOMPARE(tuner.enforces_limits, std::ranges::count(constrained_tuners, tuner.name) == 1);
  }

  void the_model_learns_the_same_whatever_explores_it() {
    const std::uint64_t seed = printed_seed();
    std::vector<space::Configuration> first_round;
    std::vector<space::Configuration> best;
    std::vector<double> scores;
    for (const std::string& name : constrained_tuners) {
      // Without generations the rounds differ only in what is drawn by roulette. All random solutions are
      // in the population, and stochastic ranking sorts them completely.
      Texts settings = small_rounds(name);
      settings["generations"] = "0";
      settings["population"] = "200";
      if (name == "ga-1") settings["ranking_sweeps"] = "1000";
      const auto tuner = make_tuner(name, make_context(name, levels_space(), seed, settings));
      const auto random = propose(*tuner, 32);
      tuner->observe(measure(random, level_fitness));
      const auto ranked = propose(*tuner, 19);
      std::vector<double> predictions;
      for (std::size_t i = 0; i < ranked.size(); ++i)
        predictions.push_back(value_of(*tuner, i, "predicted_score").value());
      if (name == "heron") {
        first_round = random;
        best = ranked;
        scores = predictions;
      }
      QVERIFY2(random == first_round, name.c_str());
      QVERIFY2(ranked == best, name.c_str());
      QVERIFY2(predictions == scores, name.c_str());
    }
  }

  void rounds_predict_the_same_for_the_same_configuration() {
    const std::uint64_t seed = printed_seed();
    std::map<space::Configuration, double> known;
    std::size_t shared = 0;
    for (const std::string& name : constrained_tuners) {
      const auto tuner = make_tuner(name, make_context(name, levels_space(), seed, small_rounds(name)));
      tuner->observe(measure(propose(*tuner, 32), level_fitness));
      const auto round = propose(*tuner, 32);
      for (std::size_t i = 0; i < round.size(); ++i) {
        const std::optional<double> score = value_of(*tuner, i, "predicted_score");
        if (!score) continue;
        const auto [place, is_new] = known.emplace(round[i], *score);
        QCOMPARE(place->second, *score);
        shared += is_new ? 0 : 1;
      }
    }
    QVERIFY(shared > 0);
  }

  void chains_of_heron_sa_move_uphill_or_by_temperature() {
    // Ordinals without constraints: every neighbour is a member.
    const std::uint64_t seed = printed_seed();
    const space::SearchSpace space = plain_space({9, 9, 9});
    const auto fitness = [](const space::Configuration& one) {
      return 1.0 + one.indices[0] + one.indices[1] + one.indices[2];
    };
    const auto proposals = [&](Texts settings) {
      settings.merge(small_rounds("heron-sa"));
      const auto tuner = make_tuner("heron-sa", make_context("heron-sa", space, seed, settings));
      return run_tuner(*tuner, fitness, 160, always(32));
    };
    const auto greedy = proposals({});
    QVERIFY(proposals({}) == greedy);
    QVERIFY(proposals({{"acceptance", "annealing"}}) != greedy);
    // At a temperature of 0 annealing draws nothing, and accepts what the greedy chain does.
    QVERIFY(proposals({{"acceptance", "annealing"}, {"temperature", "0"}}) == greedy);
    const auto total = [&](const std::vector<space::Configuration>& proposed) {
      double sum = 0;
      for (const space::Configuration& one : proposed) sum += fitness(one);
      return sum;
    };
    const auto random = make_tuner("random", make_context("random", space, seed));
    QVERIFY(total(greedy) > 1.1 * total(run_tuner(*random, fitness, 160, always(32))));
  }

  void failed_trials_teach_nothing() {
    const auto tuner =
        make_tuner("heron", make_context("heron", levels_space(), printed_seed(), small_rounds("heron")));
    for (int batch = 0; batch < 3; ++batch) {
      const auto candidates = propose(*tuner, 32);
      QCOMPARE(candidates.size(), std::size_t{32});
      QVERIFY(!value_of(*tuner, 0, "predicted_score"));
      tuner->observe(measure(candidates, [](const space::Configuration&) { return 0.0; }));
    }
  }

  void slow_kernels_are_distinguished_as_fast_ones_are() {
    // Over a second each: the logarithms of their speeds are below 0.
    const std::uint64_t seed = printed_seed();
    testing::TiedLevels levels(65'536, 4);
    const space::SearchSpace space = *space::SearchSpace::make(levels.knobs, levels.system);
    const auto slow = [](const space::Configuration& one) { return 1e-5 * level_fitness(one); };
    const auto total = [&](const std::string& tuner) {
      double sum = 0;
      for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {
        const auto made = make_tuner(tuner, make_context(tuner, space, seed + repeat));
        for (const space::Configuration& candidate : run_tuner(*made, slow, 128, always(32)))
          sum += level_fitness(candidate);
      }
      return sum;
    };
    const double heron = total("heron");
    const double random = total("random");
    QVERIFY2(heron > 1.3 * random, qPrintable(QString("%1 %2").arg(heron).arg(random)));
  }

  void a_warm_start_plans_with_the_history() {
    const space::SearchSpace space = levels_space();
    tuner::Context context = make_context("heron", space, printed_seed(), small_rounds("heron"));
    context.history =
        measure(propose(*make_tuner("random", make_context("random", space, 7)), 60), level_fitness);
    const auto warm = make_tuner("heron", context);
    QVERIFY(!propose(*warm, 1).empty());
    QVERIFY(value_of(*warm, 0, "predicted_score").has_value());
    context.settings =
        *tuner::parse_settings(**tuner::find_tuner("heron"), {{"learn_from_history", "false"}});
    const auto cold = make_tuner("heron", context);
    QVERIFY(!propose(*cold, 1).empty());
    QVERIFY(!value_of(*cold, 0, "predicted_score"));
  }

  void rows_of_other_columns_are_not_learnt() {
    const space::SearchSpace space = levels_space();
    tuner::Context context = make_context("heron", space, printed_seed(), small_rounds("heron"));
    context.history =
        measure(propose(*make_tuner("random", make_context("random", space, 7)), 40), level_fitness);
    context.history_features.assign(40, std::vector<float>(4, 1.0F));
    context.history_columns = {"a", "b", "c", "d"};
    const auto tuner = make_tuner("heron", context);
    QVERIFY(!propose(*tuner, 1).empty());
    QVERIFY(!value_of(*tuner, 0, "predicted_score"));
  }

  void what_contradicts_each_other_is_named_data() { every_constrained_tuner(); }
  void what_contradicts_each_other_is_named() {
    QFETCH(QString, tuner);
    const auto made = (*tuner::find_tuner(tuner.toStdString()))
                          ->make(make_context(tuner.toStdString(), contradicting_space(), 1));
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::InvalidArgument);
    const QString message = QString::fromStdString(made.error().message);
    QVERIFY2(message.contains("all in the first") && message.contains("some in the second") &&
                 !message.contains("no matter"),
             qPrintable(message));
    QVERIFY(!made.error().hint.empty());
  }

  void a_search_that_is_given_up_is_no_dead_end() {
    // One value is never enough: all members come from the walk through the space.
    testing::TiedLevels levels(64, 3);
    const space::SearchSpace space = *space::SearchSpace::make(levels.knobs, levels.system);
    for (const std::string& name : constrained_tuners) {
      Texts settings = small_rounds(name);
      settings["solver_nodes"] = "1";
      const auto tuner = make_tuner(name, make_context(name, space, printed_seed(), settings));
      const auto proposed = run_tuner(*tuner, level_fitness, 1000, always(32));
      QCOMPARE(std::set<space::Configuration>(proposed.begin(), proposed.end()).size(),
               all_members(space).size());
    }
  }

  void a_space_without_constraints_is_reported_and_searched() {
    for (const std::string& name : constrained_tuners) {
      const tuner::Declaration& declaration = **tuner::find_tuner(name);
      QVERIFY(!declaration.notice(make_context(name, plain_space({4, 4}), 1)).empty());
      QVERIFY(declaration.notice(make_context(name, levels_space(), 1)).empty());
      const auto tuner = make_tuner(name, make_context(name, plain_space({9, 9, 9}), 1, small_rounds(name)));
      QCOMPARE(run_tuner(*tuner, rough_fitness, 100, always(20)).size(), std::size_t{100});
    }
  }
};

KERNELSCAPE_PLAIN_TEST(TunerHeronTest)

}  // namespace kernelscape::tuner_heron_test
#include "tuner_heron_test.moc"
