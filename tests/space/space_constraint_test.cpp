#include <QtTest>
#include <limits>

#include "core/base/random.h"
#include "core/space/saturating.h"
#include "core/space/value_range.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_constraint_test {
using namespace kernelscape::testing;

namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

/** A system over constants alone, so that values are chosen freely. */
std::int64_t product_of(const std::vector<std::int64_t>& factors) {
  space::ConstraintSystem system;
  space::ProdConstraint rule;
  for (const std::int64_t factor : factors) rule.factors.push_back(system.add_constant("c", factor));
  rule.result = system.add_derived("p");
  system.add({rule, ""});
  const std::vector<space::Knob> knobs{*space::Knob::categorical("k", {space::KnobValue(std::int64_t{1})})};
  return system.evaluate(knobs, {{0}}).values[rule.result];
}

space::Expression leaf(space::VariableId id) { return {space::Expression::Kind::Variable, 0, id, {}}; }
space::Expression number(std::int64_t value) { return {space::Expression::Kind::Constant, value, 0, {}}; }
space::Expression node(space::Expression::Kind kind, std::vector<space::Expression> operands) {
  return {kind, 0, 0, std::move(operands)};
}

}  // namespace

class SpaceConstraintTest : public QObject {
  Q_OBJECT

 private slots:
  void evaluation_agrees_with_the_reference() {
    const std::uint64_t seed = 4242;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    std::size_t satisfied = 0;
    std::size_t violated = 0;
    for (int i = 0; i < 400; ++i) {
      const RandomSystem drawn = random_system(random);
      QVERIFY2(drawn.system.validate(drawn.knobs), qPrintable(QString("system %1").arg(i)));
      for (int j = 0; j < 20; ++j) {
        space::Configuration configuration;
        for (const space::Knob& knob : drawn.knobs)
          configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
        const space::Evaluation evaluation = drawn.system.evaluate(drawn.knobs, configuration);
        const space::Evaluation expected = reference_evaluation(drawn, configuration);
        QCOMPARE(evaluation.values, expected.values);
        QCOMPARE(evaluation.violated, expected.violated);
        QCOMPARE(drawn.system.satisfied(drawn.knobs, configuration), expected.violated.empty());
        (expected.violated.empty() ? satisfied : violated) += 1;
      }
    }
    QVERIFY(satisfied > 200 && violated > 200);
  }

  void ranges_contain_every_value() {
    const std::uint64_t seed = 99;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t count = 3;
      space::ConstraintSystem system;
      for (std::size_t v = 0; v < count; ++v) system.add_constant("x", 0);
      const space::Constraint constraint{space::ExpressionConstraint{random_expression(random, count, 3)},
                                         ""};
      std::vector<space::ValueRange> ranges;
      for (std::size_t v = 0; v < count; ++v) {
        const std::int64_t low = extreme_number(random);
        const auto span = static_cast<std::int64_t>(random.below(6));
        ranges.push_back({low, space::saturate(base::int128{low} + span)});
      }
      const space::Truth truth = space::truth_of(constraint, false, ranges);
      for (int j = 0; j < 30; ++j) {
        std::vector<std::int64_t> values;
        std::vector<space::ValueRange> points;
        for (const space::ValueRange& range : ranges) {
          const auto width = static_cast<std::uint64_t>(range.high - range.low);
          values.push_back(range.low + static_cast<std::int64_t>(random.below(width + 1)));
          points.push_back({values.back(), values.back()});
        }
        const bool holds =
            reference_value(std::get<space::ExpressionConstraint>(constraint.rule).condition, values) != 0;
        QVERIFY(truth == space::Truth::Unknown || (truth == space::Truth::True) == holds);
        QVERIFY(space::truth_of(constraint, false, points) ==
                (holds ? space::Truth::True : space::Truth::False));
      }
    }
  }

  void products_saturate_exactly() {
    QCOMPARE(product_of({}), std::int64_t{1});
    QCOMPARE(product_of({highest, highest, 0}), std::int64_t{0});
    QCOMPARE(product_of({highest, highest, highest, highest}), highest);
    QCOMPARE(product_of({highest, highest, highest, -1}), lowest);
    QCOMPARE(product_of({lowest, lowest, lowest}), lowest);
    QCOMPARE(product_of({lowest, -1}), highest);
    QCOMPARE(product_of({lowest, 1}), lowest);
    QCOMPARE(product_of({std::int64_t{1} << 62, 2}), highest);
    QCOMPARE(product_of({-(std::int64_t{1} << 62), 2}), lowest);
    QCOMPARE(product_of({2048, 2048, 2048}), std::int64_t{1} << 33);
  }

  void division_rounds_down_as_pythons() {
    QCOMPARE(space::floor_divide(7, 2), std::int64_t{3});
    QCOMPARE(space::floor_divide(-7, 2), std::int64_t{-4});
    QCOMPARE(space::floor_divide(7, -2), std::int64_t{-4});
    QCOMPARE(space::floor_divide(-7, -2), std::int64_t{3});
    QCOMPARE(space::floor_modulo(-7, 2), std::int64_t{1});
    QCOMPARE(space::floor_modulo(7, -2), std::int64_t{-1});
    QCOMPARE(space::floor_divide(lowest, -1), highest);
    QCOMPARE(space::floor_modulo(lowest, -1), std::int64_t{0});
    QCOMPARE(space::floor_divide(5, 0), std::int64_t{0});
    QCOMPARE(space::floor_modulo(5, 0), std::int64_t{0});
  }

  void messages_name_reason_and_values() {
    space::ConstraintSystem system;
    const space::VariableId f = system.add_element("tile_f.2", 0, 1);
    const space::VariableId y = system.add_element("tile_y.2", 1, 1);
    const space::VariableId most = system.add_constant("max_threads", 4);
    const space::VariableId threads = system.add_derived("threads");
    system.add({space::ProdConstraint{threads, {f, y}}, ""});
    system.add({space::LeConstraint{threads, most}, "threads per block"});
    system.add({space::InConstraint{f, {1, 2, 4}}, ""});
    system.add({space::SelectConstraint{threads, y, {f, most}}, "position"});
    using enum space::Expression::Kind;
    system.add({space::ExpressionConstraint{
                    node(Or, {node(Equal, {leaf(f), number(0)}),
                              node(NotEqual, {node(Modulo, {leaf(y), number(2)}), number(0)})})},
                "padding"});
    system.add({space::ProdConstraint{threads, {f, f}}, ""});
    system.add({space::SumConstraint{threads, {f, most, f}}, ""});
    system.add({space::EqConstraint{f, y}, ""});
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile_f", 8, 2),
                                         *space::Knob::factorization("tile_y", 4, 2)};
    const space::Evaluation evaluation = system.evaluate(knobs, {{3, 1}});
    QCOMPARE(evaluation.violated, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7}));
    const auto explain = [&](std::size_t i) { return system.explain(i, evaluation); };
    QCOMPARE(system.describe(0), std::string("threads = tile_f.2 * tile_y.2"));
    QCOMPARE(system.describe(1), std::string("threads <= 4"));
    QCOMPARE(explain(1), std::string("threads per block: threads = 16 is not <= 4"));
    QCOMPARE(system.describe(2), std::string("tile_f.2 in {1, 2, 4}"));
    QCOMPARE(explain(2), std::string("tile_f.2 = 8 is not in {1, 2, 4}"));
    QCOMPARE(system.describe(3), std::string("threads = [tile_f.2, 4][tile_y.2]"));
    QCOMPARE(explain(3), std::string("position: tile_y.2 = 2 does not choose among 2 values"));
    QCOMPARE(system.describe(4), std::string("tile_f.2 == 0 or tile_y.2 % 2 != 0"));
    QCOMPARE(explain(4), std::string("padding: not true: tile_f.2 == 0 or tile_y.2 % 2 != 0 where "
                                     "tile_f.2 = 8, tile_y.2 = 2"));
    QCOMPARE(explain(5), std::string("threads = 16 is not equal to tile_f.2 * tile_f.2 = 8 * 8"));
    QCOMPARE(system.describe(6), std::string("threads = tile_f.2 + 4 + tile_f.2"));
    QCOMPARE(explain(7), std::string("tile_f.2 = 8 is not equal to tile_y.2 = 2"));
  }

  void text_of_expressions_keeps_their_structure_data() {
    using enum space::Expression::Kind;
    QTest::addColumn<space::Expression>("expression");
    QTest::addColumn<QString>("text");
    const space::Expression a = leaf(0);
    const space::Expression b = leaf(1);
    const space::Expression c = leaf(2);
    const auto row = [](const char* text, space::Expression expression) {
      QTest::newRow(text) << std::move(expression) << QString(text);
    };
    row("a - (b - c)", node(Subtract, {a, node(Subtract, {b, c})}));
    row("a - b - c", node(Subtract, {node(Subtract, {a, b}), c}));
    row("a * (b // c)", node(Multiply, {a, node(Divide, {b, c})}));
    row("a * b * c", node(Multiply, {a, b, c}));
    row("(a + b) * c", node(Multiply, {node(Add, {a, b}), c}));
    row("(a < b) == (b < c)", node(Equal, {node(Less, {a, b}), node(Less, {b, c})}));
    row("not (a or b) and c", node(And, {node(Not, {node(Or, {a, b})}), c}));
    row("not a == b", node(Not, {node(Equal, {a, b})}));
    row("-(a + b) % min(a, max(b, c))",
        node(Modulo, {node(Negate, {node(Add, {a, b})}), node(Minimum, {a, node(Maximum, {b, c})})}));
    row("a <= 3 or b != c", node(Or, {node(LessEqual, {a, number(3)}), node(NotEqual, {b, c})}));
  }

  void text_of_expressions_keeps_their_structure() {
    QFETCH(space::Expression, expression);
    QFETCH(QString, text);
    space::ConstraintSystem system;
    for (const char* name : {"a", "b", "c"}) system.add_derived(name);
    system.add({space::ExpressionConstraint{expression}, ""});
    QCOMPARE(QString::fromStdString(system.describe(0)), text);
  }

  void invalid_systems_are_named() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 8, 2)};
    const auto error_of = [&](auto build) {
      space::ConstraintSystem system;
      build(system);
      const Status status = system.validate(knobs);
      return status ? std::string() : status.error().message;
    };
    const auto contains = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) { s.add_element("e", 1, 0); }), "knob 1"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) { s.add_element("e", 0, 2); }), "element 2"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) { s.add_element("e", 0, -1); }), "element -1"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) {
                       const auto e = s.add_element("e", 0, 0);
                       const auto later = s.add_derived("later");
                       s.add({space::LeConstraint{later, e}, "order"});
                       s.add({space::ProdConstraint{later, {e}}, ""});
                     }),
                     "\"later\""));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) {
                       const auto self = s.add_derived("self");
                       s.add({space::ProdConstraint{self, {self}}, "circle"});
                     }),
                     "circle"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) { s.add({space::LeConstraint{0, 7}, ""}); }),
                     "no variable"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) {
                       s.add({space::ExpressionConstraint{node(space::Expression::Kind::Divide, {number(1)})},
                              "half"});
                     }),
                     "half"));
    QVERIFY(contains(error_of([](space::ConstraintSystem& s) {
                       space::Expression deep = number(1);
                       for (int i = 0; i < 1000; ++i) deep = node(space::Expression::Kind::Not, {deep});
                       s.add({space::ExpressionConstraint{deep}, ""});
                     }),
                     "deep"));
  }

  void appended_systems_keep_their_own_derived_variables() {
    const std::vector<space::Knob> knobs{*space::Knob::factorization("tile", 64, 2)};
    const auto bounded = [](std::int64_t factor, std::int64_t most) {
      space::ConstraintSystem system;
      const auto e = system.add_element("tile.1", 0, 1);
      const auto scaled = system.add_derived("scaled");
      system.add({space::ProdConstraint{scaled, {e, system.add_constant("factor", factor)}}, ""});
      system.add({space::LeConstraint{scaled, system.add_constant("most", most)}, ""});
      return system;
    };
    space::ConstraintSystem both = bounded(4, 64);
    both.append(bounded(1, 8));
    QVERIFY(both.validate(knobs));
    QCOMPARE(both.variables().size(), std::size_t{7});  // tile.1 is shared
    for (std::uint32_t index = 0; index < knobs[0].count(); ++index)
      QCOMPARE(both.satisfied(knobs, {{index}}), knobs[0].element(index, 1) <= 8);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceConstraintTest)

}  // namespace kernelscape::space_constraint_test
#include "space_constraint_test.moc"
