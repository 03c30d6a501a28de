#include <QtTest>
#include <ranges>
#include <set>
#include <thread>

#include "core/space/solver_model.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/space/tied_levels.h"
#include "tests/test_program.h"

namespace kernelscape::space_solver_model_test {
using namespace kernelscape::testing;

namespace {

constexpr space::SolverLimits plenty{1'000'000};

/** Powers of two up to 2048, as many knobs as there are names, and their product. */
struct Powers {
  std::vector<space::Knob> knobs;
  space::ConstraintSystem system;
  space::VariableId product;

  explicit Powers(int count) {
    std::vector<space::KnobValue> values;
    for (int e = 0; e <= 11; ++e) values.emplace_back(std::int64_t{1} << e);
    space::ProdConstraint rule;
    for (int i = 0; i < count; ++i) {
      knobs.push_back(*space::Knob::ordinal("p" + std::to_string(i), values));
      rule.factors.push_back(system.add_element("p" + std::to_string(i), static_cast<std::uint32_t>(i), 0));
    }
    product = rule.result = system.add_derived("product");
    system.add({rule, ""});
  }
};

const space::Configuration* found(const Result<space::Solution>& solution) {
  return solution ? std::get_if<space::Configuration>(&*solution) : nullptr;
}

bool proven(const Result<space::Solution>& solution) {
  return solution && std::holds_alternative<space::NoSolution>(*solution) &&
         std::get<space::NoSolution>(*solution) == space::NoSolution::Proven;
}

Result<space::Solution> solve_once(const std::vector<space::Knob>& knobs,
                                   const space::ConstraintSystem& system, std::uint64_t seed,
                                   const space::SolverHints& hints = {},
                                   const space::SolverLimits& limits = plenty) {
  return space::SolverModel(knobs, system).solve({}, hints, base::Random(seed), limits);
}

space::SolverHints hints_of(const space::Configuration& configuration) {
  return {configuration.indices.begin(), configuration.indices.end()};
}

/** Some configurations of few knobs; all, if they are few. */
std::vector<space::Configuration> some_configurations(const std::vector<space::Knob>& knobs,
                                                      base::Random& random) {
  std::vector<space::Configuration> all;
  for_each_configuration(knobs, [&](const space::Configuration& one) { all.push_back(one); });
  random.shuffle(std::span(all));
  all.resize(std::min<std::size_t>(all.size(), 60));
  return all;
}

/** Lists of values for some variables, one of each list from this configuration. */
std::vector<space::InConstraint> lists_around(const RandomSystem& drawn,
                                              const space::Configuration& configuration,
                                              const space::Configuration& other, base::Random& random) {
  const std::vector<std::int64_t> own = reference_evaluation(drawn, configuration).values;
  const std::vector<std::int64_t> others = reference_evaluation(drawn, other).values;
  std::vector<space::InConstraint> lists;
  for (std::size_t count = 1 + random.below(5); count > 0; --count) {
    const auto variable = static_cast<space::VariableId>(random.below(own.size()));
    // In any order, and some twice.
    lists.push_back({variable, {others[variable], own[variable]}});
  }
  return lists;
}

bool holds(const space::InConstraint& list, const std::vector<std::int64_t>& values) {
  return std::ranges::count(list.values, values[list.variable]) > 0;
}

}  // namespace

class SpaceSolverModelTest : public QObject {
  Q_OBJECT

 private slots:
  void solutions_are_exactly_the_members_data() {
    QTest::addColumn<bool>("wide");
    QTest::newRow("small numbers") << false;
    QTest::newRow("numbers around and beyond 2^31") << true;
  }

  void solutions_are_exactly_the_members() {
    QFETCH(bool, wide);
    base::Random random(random_seed());
    int solvable = 0;
    int unsolvable = 0;
    for (int i = 0; i < 300; ++i) {
      const RandomSystem drawn = random_system(random, wide);
      const space::SolverModel model(drawn.knobs, drawn.system);
      const bool exists = !solutions_of(drawn).empty();
      (exists ? solvable : unsolvable) += 1;
      // Whatever is a member is the solution nearest to itself; nothing else ever is one.
      for (const space::Configuration& hinted : some_configurations(drawn.knobs, random)) {
        const auto solution = model.solve({}, hints_of(hinted), base::Random(random.bits()), plenty);
        QVERIFY2(exists ? found(solution) != nullptr : proven(solution),
                 qPrintable(QString("system %1").arg(i)));
        if (!exists) break;
        QVERIFY(reference_evaluation(drawn, *found(solution)).violated.empty());
        if (reference_evaluation(drawn, hinted).violated.empty()) QCOMPARE(*found(solution), hinted);
      }
    }
    QVERIFY(solvable > 30 && unsolvable > 30);
  }

  void extra_lists_hold_for_any_variable_data() { solutions_are_exactly_the_members_data(); }

  void extra_lists_hold_for_any_variable() {
    QFETCH(bool, wide);
    base::Random random(random_seed());
    int lists_with_solution = 0;
    int lists_without = 0;
    for (int i = 0; i < 300; ++i) {
      const RandomSystem drawn = random_system(random, wide);
      const std::vector<space::Configuration> members = solutions_of(drawn);
      if (members.empty()) continue;
      const space::SolverModel model(drawn.knobs, drawn.system);
      // A child of two members, then values that nothing has in common.
      const space::Configuration& first = members[random.below(members.size())];
      const space::Configuration& second = members[random.below(members.size())];
      const std::vector<space::InConstraint> child = lists_around(drawn, first, second, random);
      QCOMPARE(*found(model.solve(child, hints_of(first), base::Random(random.bits()), plenty)), first);
      std::vector<space::InConstraint> torn = child;
      for (space::InConstraint& list : torn)
        if (random.chance(0.5)) list.values = some_numbers(random, 2, wide);
      for (const auto& lists : {child, torn}) {
        const bool exists = std::ranges::any_of(members, [&](const space::Configuration& member) {
          const auto values = reference_evaluation(drawn, member).values;
          return std::ranges::all_of(lists,
                                     [&](const space::InConstraint& list) { return holds(list, values); });
        });
        const auto solution = model.solve(lists, {}, base::Random(random.bits()), plenty);
        QVERIFY2(exists ? found(solution) != nullptr : proven(solution),
                 qPrintable(QString("system %1").arg(i)));
        (exists ? lists_with_solution : lists_without) += 1;
        if (!exists) continue;
        const space::Evaluation evaluation = reference_evaluation(drawn, *found(solution));
        QVERIFY(evaluation.violated.empty());
        for (const space::InConstraint& list : lists) QVERIFY(holds(list, evaluation.values));
      }
    }
    QVERIFY(lists_with_solution > 30 && lists_without > 30);
  }

  void lists_of_what_has_too_many_values_to_be_listed() {
    // A million different products, most of them beyond 2^31.
    std::vector<space::Knob> knobs;
    space::ConstraintSystem system;
    space::ProdConstraint rule{0, {}};
    std::int64_t next = 1000;
    for (std::uint32_t i = 0; i < 5; ++i) {
      std::vector<space::KnobValue> values;
      for (int j = 0; j < 16; ++j, next += 7) values.emplace_back(next);
      knobs.push_back(*space::Knob::ordinal("k" + std::to_string(i), values));
      rule.factors.push_back(system.add_element(knobs.back().name(), i, 0));
    }
    rule.result = system.add_derived("product");
    system.add({rule, ""});
    const space::SolverModel model(knobs, system);
    const space::Configuration wanted{{3, 1, 4, 15, 9}};
    const std::int64_t product = system.evaluate(knobs, wanted).values[rule.result];
    const std::vector<space::InConstraint> list{{rule.result, {product, 5}}};
    const auto solution = model.solve(list, hints_of(wanted), base::Random(1), plenty);
    QCOMPARE(*found(solution), wanted);
    const std::vector<space::InConstraint> never{{rule.result, {3, 5}}};
    QVERIFY(proven(model.solve(never, {}, base::Random(1), plenty)));
  }

  void independent_levels_are_never_guessed_wrong_data() {
    QTest::addColumn<qint64>("number");
    QTest::addColumn<int>("levels");
    QTest::newRow("powers of two") << qint64{4096} << 7;
    QTest::newRow("many divisors") << qint64{5040} << 4;
    QTest::newRow("products beyond 2^31") << qint64{1'000'000'000} << 3;
  }

  void independent_levels_are_never_guessed_wrong() {
    QFETCH(qint64, number);
    QFETCH(int, levels);
    const TiedLevels tied(number, levels);
    const space::SolverModel model(tied.knobs, tied.system);
    // Bounds alone would leave 3 beside 7 and 1024: a node per level is enough only where each value that is
    // left is part of a solution.
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto solution =
          model.solve({}, {}, base::Random(seed), {.nodes = static_cast<std::uint64_t>(levels)});
      QVERIFY(found(solution));
      std::int64_t product = 1;
      for (const std::int64_t factor :
           tied.system.evaluate(tied.knobs, *found(solution)).values | std::views::take(levels))
        product *= factor;
      QCOMPARE(product, number);
    }
  }

  void solutions_differ_and_leave_out_no_value() {
    TiedLevels tied(360, 4);
    const auto most = tied.system.add_constant("most", 40);
    const auto inner = tied.system.add_derived("inner");
    tied.system.add({space::ProdConstraint{inner, {tied.levels[2], tied.levels[3]}}, ""});
    tied.system.add({space::LeConstraint{inner, most}, "inner tiles fit"});
    std::set<std::pair<space::VariableId, std::int64_t>> of_members;
    std::size_t members = 0;
    for_each_configuration(tied.knobs, [&](const space::Configuration& one) {
      const space::Evaluation evaluation = tied.system.evaluate(tied.knobs, one);
      if (!evaluation.violated.empty()) return;
      ++members;
      for (space::VariableId id = 0; id < evaluation.values.size(); ++id)
        of_members.emplace(id, evaluation.values[id]);
    });
    const space::SolverModel model(tied.knobs, tied.system);
    std::set<std::pair<space::VariableId, std::int64_t>> of_solutions;
    std::set<space::Configuration> different;
    base::Random random(random_seed());
    const std::size_t solutions = members / 10;
    for (std::size_t i = 0; i < 20 * solutions; ++i) {
      const auto solution = model.solve({}, {}, base::Random(random.bits()), plenty);
      QVERIFY(found(solution));
      if (i < solutions) different.insert(*found(solution));
      const space::Evaluation evaluation = tied.system.evaluate(tied.knobs, *found(solution));
      for (space::VariableId id = 0; id < evaluation.values.size(); ++id)
        of_solutions.emplace(id, evaluation.values[id]);
    }
    QVERIFY2(different.size() > solutions * 8 / 10,
             qPrintable(QString("%1 of %2").arg(different.size()).arg(solutions)));
    QVERIFY(of_solutions == of_members);
  }

  void many_threads_get_what_one_gets() {
    const TiedLevels tied(5040, 5);
    const space::SolverModel model(tied.knobs, tied.system);
    const std::vector<space::InConstraint> lists{{tied.levels[1], {1, 2, 3, 7}}, {tied.levels[3], {4, 5, 6}}};
    constexpr std::uint64_t seeds = 100;
    const auto solutions = [&] {
      std::vector<space::Configuration> all;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto solution = model.solve(lists, {}, base::Random(seed), plenty);
        all.push_back(found(solution) != nullptr ? *found(solution) : space::Configuration{});
      }
      return all;
    };
    const std::vector<space::Configuration> alone = solutions();
    std::vector<std::vector<space::Configuration>> together(4);
    {
      std::vector<std::jthread> threads;
      for (auto& own : together) threads.emplace_back([&] { own = solutions(); });
    }
    for (const auto& own : together) QVERIFY(own == alone);
  }

  void products_on_both_sides_of_two_to_31_data() {
    QTest::addColumn<qint64>("bound");
    for (const qint64 bound : {(1LL << 31) - 3, (1LL << 31) - 2, (1LL << 31) - 1, 1LL << 31, (1LL << 32) + 1,
                               (1LL << 33) - 1, 1LL << 33, 1LL << 40, 1LL})
      QTest::addRow("%lld", bound) << bound;
  }

  void products_on_both_sides_of_two_to_31() {
    QFETCH(qint64, bound);
    for (const bool from_below : {false, true}) {
      Powers powers(3);
      const space::VariableId most = powers.system.add_constant("bound", bound);
      powers.system.add(from_below ? space::Constraint{space::LeConstraint{most, powers.product}, "at least"}
                                   : space::Constraint{space::LeConstraint{powers.product, most}, "at most"});
      bool exists = false;
      for_each_configuration(powers.knobs, [&](const space::Configuration& configuration) {
        exists = exists || powers.system.satisfied(powers.knobs, configuration);
      });
      // The largest configuration that is allowed has to be reachable, not just some small one.
      space::SolverHints hints(3, 11);
      const auto solution = solve_once(powers.knobs, powers.system, 5, hints);
      QCOMPARE(found(solution) != nullptr, exists);
      if (!exists) continue;
      QVERIFY(powers.system.satisfied(powers.knobs, *found(solution)));
      if (!from_below && bound >= (1LL << 33))
        QCOMPARE(found(solution)->indices, (std::vector<std::uint32_t>{11, 11, 11}));
    }
  }

  void wide_values_in_every_kind_of_constraint() {
    // Each of these has a solution only beyond 2^31, where Gecode's integers end.
    const std::int64_t target = std::int64_t{1} << 33;
    for (int kind = 0; kind < 6; ++kind) {
      Powers powers(4);
      auto& system = powers.system;
      const space::VariableId wide = system.add_constant("wide", target);
      const space::VariableId zero = system.add_constant("zero", 0);
      const space::VariableId derived = system.add_derived("derived");
      using enum space::Expression::Kind;
      const auto leaf = [](space::VariableId id) { return space::Expression{Variable, 0, id, {}}; };
      switch (kind) {
        case 0:
          system.add({space::EqConstraint{powers.product, wide}, ""});
          break;
        case 1:
          system.add({space::InConstraint{powers.product, {3, target}}, ""});
          break;
        case 2:
          system.add({space::SumConstraint{derived, {powers.product, wide, zero}}, ""});
          system.add({space::InConstraint{derived, {2 * target}}, ""});
          break;
        case 3:
          system.add({space::SelectConstraint{derived, zero, {powers.product, zero}}, ""});
          system.add({space::EqConstraint{derived, wide}, ""});
          break;
        case 4:
          system.add({space::ExpressionConstraint{{Equal, 0, 0, {leaf(powers.product), leaf(wide)}}}, ""});
          break;
        default:
          system.add(
              {space::ProdConstraint{derived, {powers.product, zero}}, ""});  // 0, but made of a wide one
          system.add({space::LeConstraint{derived, zero}, ""});
          system.add({space::EqConstraint{powers.product, wide}, ""});
      }
      const auto solution = solve_once(powers.knobs, system, static_cast<std::uint64_t>(kind));
      QVERIFY2(found(solution), qPrintable(QString("kind %1").arg(kind)));
      QVERIFY(system.satisfied(powers.knobs, *found(solution)));
      QCOMPARE(system.evaluate(powers.knobs, *found(solution)).values[powers.product], target);
    }
  }

  void knobs_with_huge_values_are_solved() {
    const std::vector<space::Knob> knobs{
        *space::Knob::ordinal("huge",
                              {space::KnobValue(std::int64_t{-1} << 62), space::KnobValue(std::int64_t{5}),
                               space::KnobValue(std::int64_t{1} << 62)}),
        *space::Knob::factorization("tile", 1LL << 34, 2)};
    space::ConstraintSystem system;
    const auto huge = system.add_element("huge", 0, 0);
    const auto tile = system.add_element("tile.1", 1, 1);
    const auto product = system.add_derived("product");
    system.add({space::ProdConstraint{product, {huge, tile, tile}}, ""});
    system.add(
        {space::LeConstraint{product, system.add_constant("low", std::numeric_limits<std::int64_t>::min())},
         ""});
    system.add({space::LeConstraint{system.add_constant("wide", 1LL << 33), tile}, ""});
    const auto solution = solve_once(knobs, system, 1);
    QVERIFY(found(solution));
    QCOMPARE(found(solution)->indices[0], 0U);
    QVERIFY(knobs[1].element(found(solution)->indices[1], 1) >= 1LL << 33);
  }

  void is_deterministic_and_varied() {
    Powers powers(4);
    powers.system.add({space::LeConstraint{powers.product, powers.system.add_constant("most", 4096)}, ""});
    std::set<std::vector<std::uint32_t>> different;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto once = solve_once(powers.knobs, powers.system, seed);
      const auto again = solve_once(powers.knobs, powers.system, seed);
      QVERIFY(found(once) && found(again));
      QCOMPARE(*found(once), *found(again));
      different.insert(found(once)->indices);
    }
    QVERIFY(different.size() > 25);
  }

  void hints_are_followed_where_they_can_be() {
    Powers powers(3);
    powers.system.add({space::LeConstraint{powers.product, powers.system.add_constant("most", 64)}, ""});
    space::SolverHints hints{3, std::nullopt, 2};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto solution = solve_once(powers.knobs, powers.system, seed, hints);
      QVERIFY(found(solution));
      QCOMPARE(found(solution)->indices[0], 3U);
      QCOMPARE(found(solution)->indices[2], 2U);
    }
    // Out of reach, out of range, or longer than there are knobs: a hint is never more than a hint.
    const auto solution = solve_once(powers.knobs, powers.system, 3, {11, 4'000'000'000U, 11, 1, 1});
    QVERIFY(found(solution) && powers.system.satisfied(powers.knobs, *found(solution)));
  }

  void a_list_of_no_variable_is_an_error() {
    const Powers powers(3);
    const std::vector<space::InConstraint> list{{99, {1}}};
    const auto refused =
        space::SolverModel(powers.knobs, powers.system).solve(list, {}, base::Random(8), plenty);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.contains("99"));
  }

  void gives_up_at_the_node_limit() {
    // A hash of six knobs that no range tells anything about: only trying all would show that it has no
    // solution.
    std::vector<space::Knob> knobs;
    space::ConstraintSystem system;
    using enum space::Expression::Kind;
    space::Expression hash{Constant, 1, 0, {}};
    for (std::uint32_t i = 0; i < 6; ++i) {
      knobs.push_back(*space::Knob::factorization("tile" + std::to_string(i), 5040, 2));
      const auto id = system.add_element(knobs.back().name(), i, 1);
      hash = {Modulo,
              0,
              0,
              {{Add, 0, 0, {{Multiply, 0, 0, {hash, {Constant, 7919, 0, {}}}}, {Variable, 0, id, {}}}},
               {Constant, 2'000'003, 0, {}}}};
    }
    system.add(
        {space::ExpressionConstraint{
             {Equal,
              0,
              0,
              {{Modulo, 0, 0, {{Multiply, 0, 0, {hash, {Constant, 2, 0, {}}}}, {Constant, 4'000'006, 0, {}}}},
               {Constant, 1, 0, {}}}}},
         ""});
    const space::SolverModel model(knobs, system);
    const auto solution = model.solve({}, {}, base::Random(1), {20});
    QVERIFY(solution && std::holds_alternative<space::NoSolution>(*solution));
    QCOMPARE(std::get<space::NoSolution>(*solution), space::NoSolution::NodeLimit);
    QCOMPARE(std::get<space::NoSolution>(*model.solve({}, {}, base::Random(1), {0})),
             space::NoSolution::NodeLimit);
  }

  void what_closes_in_by_one_at_a_time_is_given_up() {
    // Ranges tell of 4,000,000 sums that they are less than themselves, and take 2^31 steps for it.
    std::vector<space::KnobValue> values;
    for (std::int64_t i = 0; i < 2000; ++i) values.emplace_back(i * 500'000);
    const std::vector<space::Knob> knobs{*space::Knob::ordinal("a", values),
                                         *space::Knob::ordinal("b", values)};
    space::ConstraintSystem system;
    const std::vector<space::VariableId> terms{system.add_element("a", 0, 0), system.add_element("b", 1, 0)};
    const auto sum = system.add_derived("sum");
    const auto more = system.add_derived("more");
    system.add({space::SumConstraint{sum, terms}, ""});
    system.add({space::SumConstraint{more, {sum, system.add_constant("one", 1)}}, ""});
    system.add({space::LeConstraint{more, sum}, "never"});
    const auto solution = solve_once(knobs, system, 1);
    QVERIFY(solution && *solution == space::Solution(space::NoSolution::NodeLimit));
  }

  void a_system_without_constraints_is_free() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 64, 4)};
    const space::ConstraintSystem system;
    std::set<std::uint32_t> values;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto solution = solve_once(knobs, system, seed);
      QVERIFY(found(solution));
      values.insert(found(solution)->indices[0]);
    }
    QVERIFY(values.size() > 40);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceSolverModelTest)

}  // namespace kernelscape::space_solver_model_test
#include "space_solver_model_test.moc"
