#include <QtTest>

#include "core/space/csp_features.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_csp_features_test {
using namespace kernelscape::testing;

namespace {

/** Of all variables but constants, by the system itself. */
std::vector<float> expected_row(const space::ConstraintSystem& csp, const std::vector<space::Knob>& knobs,
                                const space::Configuration& configuration) {
  const space::Evaluation evaluation = csp.evaluate(knobs, configuration);
  std::vector<float> row;
  for (std::size_t id = 0; id < csp.variables().size(); ++id)
    if (!csp.variables()[id].constant) row.push_back(static_cast<float>(evaluation.values[id]));
  return row;
}

/** The area of two sides, at most 20, is a limit and no membership. */
space::ConstraintSystem area_limit() {
  space::ConstraintSystem limits;
  const space::VariableId width = limits.add_element("width", 0, 0);
  const space::VariableId height = limits.add_element("height", 1, 0);
  const space::VariableId area = limits.add_derived("area");
  limits.add({space::ProdConstraint{area, {width, height}}, "area"});
  limits.add({space::LeConstraint{area, limits.add_constant("most", 20)}, "room"});
  return limits;
}

std::vector<space::Knob> sides() {
  const std::vector<space::KnobValue> lengths{space::KnobValue(std::int64_t{2}),
                                              space::KnobValue(std::int64_t{9})};
  return {*space::Knob::ordinal("width", lengths), *space::Knob::ordinal("height", lengths)};
}

}  // namespace

class SpaceCspFeaturesTest : public QObject {
  Q_OBJECT

 private slots:
  void rows_are_the_values_of_all_variables_but_constants() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const RandomSystem drawn = random_system(random);
      const auto space = space::SearchSpace::make(drawn.knobs, drawn.system);
      QVERIFY(space);
      const space::CspFeatures features(*space);
      QCOMPARE(features.name(), std::string("csp"));
      const space::ConstraintSystem csp = space::csp_of(*space);
      std::vector<std::string> names;
      for (const space::Variable& variable : csp.variables())
        if (!variable.constant) names.push_back(variable.name);
      QCOMPARE(features.names(), names);
      for (int j = 0; j < 10; ++j) {
        space::Configuration one;
        for (const space::Knob& knob : drawn.knobs)
          one.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
        QCOMPARE(features.compute(one), expected_row(csp, drawn.knobs, one));
      }
    }
  }

  void limits_are_features_respected_or_not() {
    const space::SearchSpace plain = *space::SearchSpace::make(sides());
    const space::CspFeatures features(plain, area_limit());
    QCOMPARE(features.names(), (std::vector<std::string>{"width", "height", "area"}));
    // Over the limit, and a member.
    QCOMPARE(features.compute({{1, 1}}), (std::vector<float>{9, 9, 81}));
    const space::CspFeatures respected(*plain.restricted_by(area_limit()));
    QCOMPARE(respected.names(), features.names());
    QCOMPARE(respected.compute({{0, 1}}), features.compute({{0, 1}}));
    QCOMPARE(space::CspFeatures(plain).names(), (std::vector<std::string>{"width", "height"}));
  }

  void listed_members_have_elements_and_limits() {
    const space::SearchSpace listed = *space::SearchSpace::make_explicit(sides(), {{{0, 0}}, {{1, 0}}});
    QCOMPARE(space::CspFeatures(listed).names(), (std::vector<std::string>{"width", "height"}));
    const space::CspFeatures features(listed, area_limit());
    QCOMPARE(features.compute({{1, 0}}), (std::vector<float>{9, 2, 18}));
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceCspFeaturesTest)

}  // namespace kernelscape::space_csp_features_test
#include "space_csp_features_test.moc"
