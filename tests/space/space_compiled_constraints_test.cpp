#include <QtTest>
#include <limits>

#include "core/base/random.h"
#include "core/space/compiled_constraints.h"
#include "core/space/search_space.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_compiled_constraints_test {
using namespace kernelscape::testing;

namespace {

base::Random printed_random(std::uint64_t seed) {
  qInfo("seed %llu", static_cast<unsigned long long>(seed));
  return base::Random(seed);
}

/** Over constants alone, so that values are chosen freely. */
const std::vector<space::Knob>& no_choice() {
  static const std::vector<space::Knob> knobs{
      *space::Knob::categorical("k", {space::KnobValue(std::int64_t{1})})};
  return knobs;
}

std::vector<space::VariableId> add_constants(space::ConstraintSystem& system,
                                             const std::vector<std::int64_t>& values) {
  std::vector<space::VariableId> ids;
  for (const std::int64_t value : values) ids.push_back(system.add_constant("c", value));
  return ids;
}

}  // namespace

class SpaceCompiledConstraintsTest : public QObject {
  Q_OBJECT

 private slots:
  void verdicts_are_those_of_the_reference() {
    base::Random random = printed_random(7117);
    std::size_t satisfied = 0;
    std::size_t violated = 0;
    for (int i = 0; i < 600; ++i) {
      const RandomSystem drawn = random_system(random);
      const space::CompiledConstraints compiled(drawn.system);
      for (int j = 0; j < 30; ++j) {
        space::Configuration configuration;
        for (const space::Knob& knob : drawn.knobs)
          configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
        const bool expected = reference_evaluation(drawn, configuration).violated.empty();
        QCOMPARE(compiled.satisfied(drawn.knobs, configuration), expected);
        QCOMPARE(drawn.system.satisfied(drawn.knobs, configuration), expected);
        (expected ? satisfied : violated) += 1;
      }
    }
    QVERIFY(satisfied > 500 && violated > 500);
  }

  void every_configuration_of_small_spaces_gets_its_verdict() {
    base::Random random = printed_random(7118);
    for (int i = 0; i < 40; ++i) {
      const RandomSystem drawn = random_system(random, false);
      const space::CompiledConstraints compiled(drawn.system);
      std::uint64_t members = 0;
      for_each_configuration(drawn.knobs, [&](const space::Configuration& configuration) {
        const bool expected = drawn.system.evaluate(drawn.knobs, configuration).violated.empty();
        members += expected ? 1U : 0U;
        if (compiled.satisfied(drawn.knobs, configuration) != expected)
          QFAIL(qPrintable(QString("system %1 disagrees").arg(i)));
      });
      const Result<space::SearchSpace> space = space::SearchSpace::make(drawn.knobs, drawn.system);
      QVERIFY(space);
      if (const auto count = space->member_count()) QVERIFY(*count == members);
    }
  }

  void expressions_saturate_alike() {
    base::Random random = printed_random(7119);
    for (int i = 0; i < 4000; ++i) {
      space::ConstraintSystem system;
      std::vector<std::int64_t> values;
      for (int v = 0; v < 4; ++v) values.push_back(extreme_number(random));
      const std::vector<space::VariableId> ids = add_constants(system, values);
      const space::Expression expression = random_expression(random, ids.size(), 4);
      // The expression's own value, not its truth alone, is compared.
      const std::int64_t value = reference_value(expression, values);
      for (const std::int64_t bound :
           {value, clamp_to_64(base::int128{value} - 1), clamp_to_64(base::int128{value} + 1)}) {
        space::ConstraintSystem equal = system;
        equal.add(
            {space::ExpressionConstraint{{space::Expression::Kind::Equal,
                                          0,
                                          0,
                                          {expression, {space::Expression::Kind::Constant, bound, 0, {}}}}},
             ""});
        QVERIFY(equal.validate());
        QCOMPARE(space::CompiledConstraints(equal).satisfied(no_choice(), {{0}}), value == bound);
      }
    }
  }

  void products_and_sums_of_any_size_are_exact_before_they_saturate() {
    base::Random random = printed_random(7120);
    for (int i = 0; i < 2000; ++i) {
      space::ConstraintSystem system;
      std::vector<std::int64_t> values;
      for (std::uint64_t count = random.below(6); count > 0; --count)
        values.push_back(extreme_number(random));
      const std::vector<space::VariableId> ids = add_constants(system, values);
      const bool product = random.chance(0.5);
      base::int128 sum = 0;
      for (const std::int64_t value : values) sum += value;
      const std::int64_t expected = product ? reference_product(values) : clamp_to_64(sum);
      const std::int64_t claimed = random.chance(0.5) ? expected : extreme_number(random);
      const space::VariableId result = system.add_constant("claimed", claimed);
      if (product)
        system.add({space::ProdConstraint{result, ids}, ""});
      else
        system.add({space::SumConstraint{result, ids}, ""});
      QCOMPARE(space::CompiledConstraints(system).satisfied(no_choice(), {{0}}), claimed == expected);
    }
  }

  void a_selector_outside_is_a_violation_even_where_nobody_asks_for_the_result() {
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t selector :
         {-highest - 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, highest}) {
      space::ConstraintSystem system;
      const std::vector<space::VariableId> ids = add_constants(system, {selector, 5, 6});
      system.add({space::SelectConstraint{system.add_derived("chosen"), ids[0], {ids[1], ids[2]}}, ""});
      QCOMPARE(space::CompiledConstraints(system).satisfied(no_choice(), {{0}}),
               selector == 0 || selector == 1);
    }
  }

  void nothing_to_violate_is_always_satisfied() {
    QVERIFY(space::CompiledConstraints().satisfied(no_choice(), {{0}}));
    space::ConstraintSystem definitions;
    const std::vector<space::VariableId> ids = add_constants(definitions, {3, 4});
    definitions.add({space::ProdConstraint{definitions.add_derived("p"), ids}, ""});
    QVERIFY(space::CompiledConstraints(definitions).satisfied(no_choice(), {{0}}));
  }

  void long_chains_of_definitions_are_compiled() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 64, 2)};
    space::ConstraintSystem system;
    space::VariableId last = system.add_element("e", 0, 1);
    const space::VariableId first = last;
    for (int i = 0; i < 5000; ++i) {
      const space::VariableId next = system.add_derived("d");
      system.add({space::SumConstraint{next, {last, first}}, ""});
      last = next;
    }
    system.add({space::LeConstraint{last, system.add_constant("most", 5001 * 8)}, ""});
    const space::CompiledConstraints compiled(system);
    for (std::uint32_t index = 0; index < knobs[0].count(); ++index)
      QCOMPARE(compiled.satisfied(knobs, {{index}}), knobs[0].element(index, 1) <= 8);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceCompiledConstraintsTest)

}  // namespace kernelscape::space_compiled_constraints_test
#include "space_compiled_constraints_test.moc"
