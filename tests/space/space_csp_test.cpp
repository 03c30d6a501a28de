#include <QtTest>
#include <set>

#include "core/space/csp.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_csp_test {
using namespace kernelscape::testing;

namespace {

Configuration random_indices(const std::vector<Knob>& knobs, Random& random) {
  Configuration configuration;
  for (const Knob& knob : knobs)
    configuration.indices.push_back(static_cast<std::uint32_t>(random.below(knob.count())));
  return configuration;
}

std::vector<std::int64_t> values_of(const CompiledVariables& compiled, const std::vector<Knob>& knobs,
                                    const Configuration& configuration) {
  // What stood there before must not shine through.
  std::vector<std::int64_t> values(compiled.count(), 4711);
  compiled.compute(knobs, configuration, values);
  return values;
}

std::size_t element_count(const std::vector<Knob>& knobs) {
  std::size_t count = 0;
  for (const Knob& knob : knobs) count += static_cast<std::size_t>(knob.element_count());
  return count;
}

/** A tile of 12 in two parts and a switch; twice the inner factor is at most 12. */
SearchSpace small_space() {
  std::vector<Knob> knobs{*Knob::factorization("tile", 12, 2),
                          *Knob::categorical("fast", {KnobValue(false), KnobValue(true)})};
  ConstraintSystem system;
  const VariableId two = system.add_constant("2", 2);
  const VariableId inner = system.add_element("inner", 0, 1);
  const VariableId bytes = system.add_derived("bytes");
  const VariableId most = system.add_constant("most", 12);
  system.add({ProdConstraint{bytes, {two, inner}}, "bytes of a tile"});
  system.add({LeConstraint{bytes, most}, "room"});
  return *SearchSpace::make(std::move(knobs), std::move(system));
}

}  // namespace

class SpaceCspTest : public QObject {
  Q_OBJECT

 private slots:
  void elements_come_first_then_what_was_declared() {
    const ConstraintSystem csp = csp_of(small_space());
    std::vector<std::string> names;
    for (const Variable& variable : csp.variables()) names.push_back(variable.name);
    QCOMPARE(names, (std::vector<std::string>{"tile.0", "inner", "fast", "2", "bytes", "most"}));
    QVERIFY(csp.variables()[0].element == (KnobElement{0, 0}));
    QVERIFY(csp.variables()[1].element == (KnobElement{0, 1}));
    QVERIFY(csp.variables()[2].element == (KnobElement{1, 0}));
    QCOMPARE(csp.constraints().size(), std::size_t{2});
    QCOMPARE(csp.describe(1), small_space().constraints().describe(1));
  }

  void members_of_a_list_have_elements_alone() {
    const SearchSpace listed = *SearchSpace::make_explicit(small_space().knobs(), {{{0, 0}}, {{2, 1}}});
    const ConstraintSystem csp = csp_of(listed);
    QCOMPARE(csp.variables().size(), std::size_t{3});
    QVERIFY(csp.empty());
    QCOMPARE(csp_of(listed.knobs(), small_space().constraints()), csp_of(small_space()));
  }

  void it_says_the_same_as_the_space() {
    Random random(random_seed());
    for (int i = 0; i < 200; ++i) {
      const RandomSystem drawn = random_system(random);
      const ConstraintSystem csp = csp_of(drawn.knobs, drawn.system);
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
        const Configuration one = random_indices(drawn.knobs, random);
        QCOMPARE(csp.evaluate(drawn.knobs, one).violated, reference_evaluation(drawn, one).violated);
      }
    }
  }

  void compiled_values_are_those_of_the_reference() {
    Random random(random_seed());
    for (int i = 0; i < 400; ++i) {
      const RandomSystem drawn = random_system(random);
      const CompiledVariables compiled(drawn.system);
      QCOMPARE(compiled.count(), drawn.system.variables().size());
      const ConstraintSystem csp = csp_of(drawn.knobs, drawn.system);
      const CompiledVariables whole(csp);
      for (int j = 0; j < 10; ++j) {
        const Configuration one = random_indices(drawn.knobs, random);
        QCOMPARE(values_of(compiled, drawn.knobs, one), reference_evaluation(drawn, one).values);
        QCOMPARE(values_of(whole, drawn.knobs, one), csp.evaluate(drawn.knobs, one).values);
      }
    }
  }

  void what_no_check_needs_has_its_value() {
    std::vector<Knob> knobs{
        *Knob::ordinal("width", {KnobValue(std::int64_t{3}), KnobValue(std::int64_t{5})})};
    ConstraintSystem system;
    const VariableId width = system.add_element("width", 0, 0);
    const VariableId square = system.add_derived("square");
    const VariableId never = system.add_derived("never");
    system.add({ProdConstraint{square, {width, width}}, "nothing asks for it"});
    const CompiledVariables compiled(system);
    QCOMPARE(values_of(compiled, knobs, {{1}})[square], std::int64_t{25});
    QCOMPARE(values_of(compiled, knobs, {{1}})[never], std::int64_t{0});
    QCOMPARE(CompiledVariables().count(), std::size_t{0});
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceCspTest)

}  // namespace kernelscape::space_csp_test
#include "space_csp_test.moc"
