#include <QtTest>
#include <map>
#include <set>

#include "core/space/solver.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

using namespace kernelscape;
using namespace kernelscape::testing;

namespace {

constexpr SolverLimits plenty{1'000'000};

/** Powers of two up to 2048, as many knobs as there are names, and their product. */
struct Powers {
  std::vector<Knob> knobs;
  ConstraintSystem system;
  VariableId product;

  explicit Powers(int count) {
    std::vector<KnobValue> values;
    for (int e = 0; e <= 11; ++e) values.emplace_back(std::int64_t{1} << e);
    ProdConstraint rule;
    for (int i = 0; i < count; ++i) {
      knobs.push_back(*Knob::ordinal("p" + std::to_string(i), values));
      rule.factors.push_back(system.add_element("p" + std::to_string(i), static_cast<std::uint32_t>(i), 0));
    }
    product = rule.result = system.add_derived("product");
    system.add({rule, ""});
  }
};

const Configuration* found(const Result<Solution>& solution) {
  return solution ? std::get_if<Configuration>(&*solution) : nullptr;
}

bool proven(const Result<Solution>& solution) {
  return solution && std::holds_alternative<NoSolution>(*solution) &&
         std::get<NoSolution>(*solution) == NoSolution::Proven;
}

}  // namespace

class SpaceSolverTest : public QObject {
  Q_OBJECT

 private slots:
  void agrees_with_brute_force_data() {
    QTest::addColumn<bool>("wide");
    QTest::newRow("small numbers") << false;
    QTest::newRow("numbers around and beyond 2^31") << true;
  }

  void agrees_with_brute_force() {
    QFETCH(bool, wide);
    const std::uint64_t seed = wide ? 31337 : 1717;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed);
    int solvable = 0;
    int unsolvable = 0;
    for (int i = 0; i < 500; ++i) {
      const RandomSystem drawn = random_system(random, wide);
      bool exists = false;
      for_each_configuration(drawn.knobs, [&](const Configuration& configuration) {
        exists = exists || reference_evaluation(drawn, configuration).violated.empty();
      });
      const auto solution = solve(drawn.knobs, drawn.system, {}, {}, Random(random.bits()), plenty);
      if (!solution) QFAIL(qPrintable(QString("system %1: %2").arg(i).arg(solution.error().message.c_str())));
      if (const Configuration* configuration = found(solution))
        QVERIFY(reference_evaluation(drawn, *configuration).violated.empty());
      else
        QVERIFY2(proven(solution), qPrintable(QString("system %1 gave up").arg(i)));
      QCOMPARE(found(solution) != nullptr, exists);
      (exists ? solvable : unsolvable) += 1;
    }
    QVERIFY(solvable > 50 && unsolvable > 50);
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
      const VariableId most = powers.system.add_constant("bound", bound);
      powers.system.add(from_below ? Constraint{LeConstraint{most, powers.product}, "at least"}
                                   : Constraint{LeConstraint{powers.product, most}, "at most"});
      QVERIFY(check_solvable(powers.knobs, powers.system));
      bool exists = false;
      for_each_configuration(powers.knobs, [&](const Configuration& configuration) {
        exists = exists || powers.system.satisfied(powers.knobs, configuration);
      });
      // The largest configuration that is allowed has to be reachable, not just some small one.
      SolverHints hints(3, 11);
      const auto solution = solve(powers.knobs, powers.system, {}, hints, Random(5), plenty);
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
      const VariableId wide = system.add_constant("wide", target);
      const VariableId zero = system.add_constant("zero", 0);
      const VariableId derived = system.add_derived("derived");
      using enum Expression::Kind;
      const auto leaf = [](VariableId id) { return Expression{Variable, 0, id, {}}; };
      switch (kind) {
        case 0:
          system.add({EqConstraint{powers.product, wide}, ""});
          break;
        case 1:
          system.add({InConstraint{powers.product, {3, target}}, ""});
          break;
        case 2:
          system.add({SumConstraint{derived, {powers.product, wide, zero}}, ""});
          system.add({InConstraint{derived, {2 * target}}, ""});
          break;
        case 3:
          system.add({SelectConstraint{derived, zero, {powers.product, zero}}, ""});
          system.add({EqConstraint{derived, wide}, ""});
          break;
        case 4:
          system.add({ExpressionConstraint{{Equal, 0, 0, {leaf(powers.product), leaf(wide)}}}, ""});
          break;
        default:
          system.add({ProdConstraint{derived, {powers.product, zero}}, ""});  // 0, but made of a wide one
          system.add({LeConstraint{derived, zero}, ""});
          system.add({EqConstraint{powers.product, wide}, ""});
      }
      const auto solution =
          solve(powers.knobs, system, {}, {}, Random(static_cast<std::uint64_t>(kind)), plenty);
      QVERIFY2(found(solution), qPrintable(QString("kind %1").arg(kind)));
      QVERIFY(system.satisfied(powers.knobs, *found(solution)));
      QCOMPARE(system.evaluate(powers.knobs, *found(solution)).values[powers.product], target);
    }
  }

  void knobs_with_huge_values_are_solved() {
    const std::vector<Knob> knobs{
        *Knob::ordinal("huge", {KnobValue(std::int64_t{-1} << 62), KnobValue(std::int64_t{5}),
                                KnobValue(std::int64_t{1} << 62)}),
        *Knob::factorization("tile", 1LL << 34, 2)};
    ConstraintSystem system;
    const auto huge = system.add_element("huge", 0, 0);
    const auto tile = system.add_element("tile.1", 1, 1);
    const auto product = system.add_derived("product");
    system.add({ProdConstraint{product, {huge, tile, tile}}, ""});
    system.add(
        {LeConstraint{product, system.add_constant("low", std::numeric_limits<std::int64_t>::min())}, ""});
    system.add({LeConstraint{system.add_constant("wide", 1LL << 33), tile}, ""});
    const auto solution = solve(knobs, system, {}, {}, Random(1), plenty);
    QVERIFY(found(solution));
    QCOMPARE(found(solution)->indices[0], 0U);
    QVERIFY(knobs[1].element(found(solution)->indices[1], 1) >= 1LL << 33);
  }

  void is_deterministic_and_varied() {
    Powers powers(4);
    powers.system.add({LeConstraint{powers.product, powers.system.add_constant("most", 4096)}, ""});
    std::set<std::vector<std::uint32_t>> different;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto once = solve(powers.knobs, powers.system, {}, {}, Random(seed), plenty);
      const auto again = solve(powers.knobs, powers.system, {}, {}, Random(seed), plenty);
      QVERIFY(found(once) && found(again));
      QCOMPARE(*found(once), *found(again));
      different.insert(found(once)->indices);
    }
    QVERIFY(different.size() > 25);
  }

  void hints_are_followed_where_they_can_be() {
    Powers powers(3);
    powers.system.add({LeConstraint{powers.product, powers.system.add_constant("most", 64)}, ""});
    SolverHints hints{3, std::nullopt, 2};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto solution = solve(powers.knobs, powers.system, {}, hints, Random(seed), plenty);
      QVERIFY(found(solution));
      QCOMPARE(found(solution)->indices[0], 3U);
      QCOMPARE(found(solution)->indices[2], 2U);
    }
    // Out of reach, out of range, or longer than there are knobs: a hint is never more than a hint.
    const auto solution =
        solve(powers.knobs, powers.system, {}, {11, 4'000'000'000U, 11, 1, 1}, Random(3), plenty);
    QVERIFY(found(solution) && powers.system.satisfied(powers.knobs, *found(solution)));
  }

  void extra_constraints_hold_too() {
    Powers powers(3);
    const auto target = powers.system.add_constant("target", 1LL << 20);
    const auto solution = solve(powers.knobs, powers.system, {{EqConstraint{powers.product, target}, ""}}, {},
                                Random(8), plenty);
    QVERIFY(found(solution));
    QCOMPARE(powers.system.evaluate(powers.knobs, *found(solution)).values[powers.product],
             std::int64_t{1} << 20);
    QVERIFY(proven(solve(powers.knobs, powers.system, {{InConstraint{powers.product, {3, 5, 7}}, ""}}, {},
                         Random(8), plenty)));
    QVERIFY(!solve(powers.knobs, powers.system, {{LeConstraint{99, 0}, "nowhere"}}, {}, Random(8), plenty));
  }

  void gives_up_at_the_node_limit() {
    // A hash of six knobs that no range tells anything about: only trying all would show that it has no
    // solution.
    std::vector<Knob> knobs;
    ConstraintSystem system;
    using enum Expression::Kind;
    Expression hash{Constant, 1, 0, {}};
    for (std::uint32_t i = 0; i < 6; ++i) {
      knobs.push_back(*Knob::factorization("tile" + std::to_string(i), 5040, 2));
      const auto id = system.add_element(knobs.back().name(), i, 1);
      hash = {Modulo,
              0,
              0,
              {{Add, 0, 0, {{Multiply, 0, 0, {hash, {Constant, 7919, 0, {}}}}, {Variable, 0, id, {}}}},
               {Constant, 2'000'003, 0, {}}}};
    }
    system.add(
        {ExpressionConstraint{
             {Equal,
              0,
              0,
              {{Modulo, 0, 0, {{Multiply, 0, 0, {hash, {Constant, 2, 0, {}}}}, {Constant, 4'000'006, 0, {}}}},
               {Constant, 1, 0, {}}}}},
         ""});
    const auto solution = solve(knobs, system, {}, {}, Random(1), {20});
    QVERIFY(solution && std::holds_alternative<NoSolution>(*solution));
    QCOMPARE(std::get<NoSolution>(*solution), NoSolution::NodeLimit);
    QCOMPARE(std::get<NoSolution>(*solve(knobs, system, {}, {}, Random(1), {0})), NoSolution::NodeLimit);
  }

  void a_system_without_constraints_is_free() {
    const std::vector<Knob> knobs{*Knob::factorization("tile", 64, 4)};
    std::set<std::uint32_t> values;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto solution = solve(knobs, {}, {}, {}, Random(seed), plenty);
      QVERIFY(found(solution));
      values.insert(found(solution)->indices[0]);
    }
    QVERIFY(values.size() > 40);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceSolverTest)
#include "space_solver_test.moc"
