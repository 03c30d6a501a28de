#include <QtTest>
#include <set>

#include "core/space/csp.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_csp_test {
using namespace kernelscape::testing;

namespace {

space::Configuration random_indices(const std::vector<space::Knob>& knobs, base::Random& random) {
  space::Configuration configuration;
  for (const space::Knob& knob : knobs)
    configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  return configuration;
}

std::vector<std::int64_t> values_of(const space::CompiledVariables& compiled,
                                    const std::vector<space::Knob>& knobs,
                                    const space::Configuration& configuration) {
  // What stood there before must not shine through.
  std::vector<std::int64_t> values(compiled.count(), 4711);
  compiled.compute(knobs, configuration, values);
  return values;
}

std::size_t element_count(const std::vector<space::Knob>& knobs) {
  std::size_t count = 0;
  for (const space::Knob& knob : knobs) count += static_cast<std::size_t>(knob.element_count());
  return count;
}

/** A tile of 12 in two parts and a switch; twice the inner factor is at most 12. */
space::SearchSpace small_space() {
  std::vector<space::Knob> knobs{
      *space::Knob::factorization("tile", 12, 2),
      *space::Knob::categorical("fast", {space::KnobValue(false), space::KnobValue(true)})};
  space::ConstraintSystem system;
  const space::VariableId two = system.add_constant("2", 2);
  const space::VariableId inner = system.add_element("inner", 0, 1);
  const space::VariableId bytes = system.add_derived("bytes");
  const space::VariableId most = system.add_constant("most", 12);
  system.add({space::ProdConstraint{bytes, {two, inner}}, "bytes of a tile"});
  system.add({space::LeConstraint{bytes, most}, "room"});
  return *space::SearchSpace::make(std::move(knobs), std::move(system));
}

}  // namespace

class SpaceCspTest : public QObject {
  Q_OBJECT

 private slots:
  void elements_come_first_then_what_was_declared() {
    const space::ConstraintSystem csp = space::csp_of(small_space());
    std::vector<std::string> names;
    for (const space::Variable& variable : csp.variables()) names.push_back(variable.name);
    QCOMPARE(names, (std::vector<std::string>{"tile.0", "inner", "fast", "2", "bytes", "most"}));
    QVERIFY(csp.variables()[0].element == (space::KnobElement{0, 0}));
    QVERIFY(csp.variables()[1].element == (space::KnobElement{0, 1}));
    QVERIFY(csp.variables()[2].element == (space::KnobElement{1, 0}));
    QCOMPARE(csp.constraints().size(), std::size_t{2});
    QCOMPARE(csp.describe(1), small_space().constraints().describe(1));
  }

  void members_of_a_list_have_elements_alone() {
    const space::SearchSpace listed =
        *space::SearchSpace::make_explicit(small_space().knobs(), {{{0, 0}}, {{2, 1}}});
    const space::ConstraintSystem csp = space::csp_of(listed);
    QCOMPARE(csp.variables().size(), std::size_t{3});
    QVERIFY(csp.empty());
    QCOMPARE(space::csp_of(listed.knobs(), small_space().constraints()), space::csp_of(small_space()));
  }

  void it_says_the_same_as_the_space() {
    base::Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const RandomSystem drawn = random_system(random);
      const space::ConstraintSystem csp = space::csp_of(drawn.knobs, drawn.system);
      QVERIFY(csp.validate(drawn.knobs));
      const std::size_t elements = element_count(drawn.knobs);
      std::set<std::pair<std::uint32_t, int>> places;
      for (std::size_t id = 0; id < csp.variables().size(); ++id) {
        QCOMPARE(csp.variables()[id].element.has_value(), id < elements);
        if (id < elements)
          places.emplace(csp.variables()[id].element->knob, csp.variables()[id].element->position);
      }
      QCOMPARE(places.size(), elements);
      for (int j = 0; j < 10; ++j) {
        const space::Configuration one = random_indices(drawn.knobs, random);
        QCOMPARE(csp.evaluate(drawn.knobs, one).violated, reference_evaluation(drawn, one).violated);
      }
    }
  }

  void compiled_values_are_those_of_the_reference() {
    base::Random random(random_seed());
    for (int i = 0; i < 400; ++i) {
      const RandomSystem drawn = random_system(random);
      const space::CompiledVariables compiled(drawn.system);
      QCOMPARE(compiled.count(), drawn.system.variables().size());
      const space::ConstraintSystem csp = space::csp_of(drawn.knobs, drawn.system);
      const space::CompiledVariables whole(csp);
      for (int j = 0; j < 10; ++j) {
        const space::Configuration one = random_indices(drawn.knobs, random);
        QCOMPARE(values_of(compiled, drawn.knobs, one), reference_evaluation(drawn, one).values);
        QCOMPARE(values_of(whole, drawn.knobs, one), csp.evaluate(drawn.knobs, one).values);
      }
    }
  }

  void what_no_check_needs_has_its_value() {
    std::vector<space::Knob> knobs{*space::Knob::ordinal(
        "width", {space::KnobValue(std::int64_t{3}), space::KnobValue(std::int64_t{5})})};
    space::ConstraintSystem system;
    const space::VariableId width = system.add_element("width", 0, 0);
    const space::VariableId square = system.add_derived("square");
    const space::VariableId never = system.add_derived("never");
    system.add({space::ProdConstraint{square, {width, width}}, "nothing asks for it"});
    const space::CompiledVariables compiled(system);
    QCOMPARE(values_of(compiled, knobs, {{1}})[square], std::int64_t{25});
    QCOMPARE(values_of(compiled, knobs, {{1}})[never], std::int64_t{0});
    QCOMPARE(space::CompiledVariables().count(), std::size_t{0});
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceCspTest)

}  // namespace kernelscape::space_csp_test
#include "space_csp_test.moc"
