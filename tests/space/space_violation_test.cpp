#include <QTest>
#include <cmath>
#include <limits>

#include "core/space/violation.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_violation_test {

namespace {

/** One knob of these numbers, and constraints on its element. */
struct OneKnob {
  std::vector<space::Knob> knobs;
  space::ConstraintSystem system;
  space::VariableId x = 0;

  explicit OneKnob(const std::vector<std::int64_t>& values)
      : knobs{*space::Knob::ordinal("x", {values.begin(), values.end()})}, x(system.add_element("x", 0, 0)) {}

  double violation_of(std::uint32_t index) const {
    return space::violations_of(system, system.evaluate(knobs, {{index}})).back();
  }
};

}  // namespace

class SpaceViolationTest : public QObject {
  Q_OBJECT

 private slots:
  void above_zero_exactly_where_violated_and_finite() {
    base::Random random(testing::random_seed());
    for (int repeat = 0; repeat < 200; ++repeat) {
      const testing::RandomSystem drawn = testing::random_system(random);
      testing::for_each_configuration(drawn.knobs, [&](const space::Configuration& one) {
        const space::Evaluation evaluation = drawn.system.evaluate(drawn.knobs, one);
        const std::vector<double> violations = space::violations_of(drawn.system, evaluation);
        std::vector<std::size_t> violated;
        for (std::size_t i = 0; i < violations.size(); ++i) {
          QVERIFY(std::isfinite(violations[i]) && violations[i] >= 0);
          if (violations[i] > 0) violated.push_back(i);
        }
        QCOMPARE(violated, evaluation.violated);
      });
    }
  }

  void bounds_lists_and_equalities_are_as_far_as_they_are_missed() {
    OneKnob knob({3, 8, 20});
    knob.system.add({space::LeConstraint{knob.x, knob.system.add_constant("most", 7)}, ""});
    QCOMPARE(knob.violation_of(0), 0.0);
    QCOMPARE(knob.violation_of(1), 1.0);
    QCOMPARE(knob.violation_of(2), 13.0);
    knob.system.add({space::InConstraint{knob.x, {2, 12, 30}}, ""});
    QCOMPARE(knob.violation_of(0), 1.0);
    QCOMPARE(knob.violation_of(1), 4.0);
    QCOMPARE(knob.violation_of(2), 8.0);
    knob.system.add(
        {space::ProdConstraint{knob.system.add_constant("sixty-four", 64), {knob.x, knob.x}}, ""});
    QCOMPARE(knob.violation_of(0), 55.0);
    QCOMPARE(knob.violation_of(1), 0.0);
    knob.system.add({space::SelectConstraint{knob.x, knob.x, {knob.x, knob.x, knob.x, knob.x}}, ""});
    QCOMPARE(knob.violation_of(0), 0.0);
    QCOMPARE(knob.violation_of(2), 17.0);
  }

  void the_ends_of_numbers_are_finitely_far() {
    OneKnob knob({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
    const space::VariableId least =
        knob.system.add_constant("least", std::numeric_limits<std::int64_t>::min());
    knob.system.add({space::EqConstraint{least, knob.x}, ""});
    QCOMPARE(knob.violation_of(0), 0.0);
    QCOMPARE(knob.violation_of(1), std::exp2(64.0));
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceViolationTest)

}  // namespace kernelscape::space_violation_test
#include "space_violation_test.moc"
