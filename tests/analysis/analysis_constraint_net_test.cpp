#include <QTest>
#include <algorithm>
#include <set>

#include "core/analysis/landscape/constraint_net.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::analysis_constraint_net_test {

namespace {

/** Variables that a rule names, its left side too, without constants. */
std::set<space::VariableId> named_by(const space::ConstraintSystem& system, std::size_t constraint) {
  std::set<space::VariableId> named;
  for (const space::VariableId id : space::operands(system.constraints()[constraint])) named.insert(id);
  if (const auto left = space::left_side(system.constraints()[constraint])) named.insert(*left);
  std::erase_if(named, [&](space::VariableId id) { return system.variables()[id].constant.has_value(); });
  return named;
}

}  // namespace

class ConstraintNetTest : public QObject {
  Q_OBJECT

 private slots:
  void every_rule_is_joined_to_what_it_names() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      const testing::RandomSystem drawn = testing::random_system(random);
      const space::ConstraintSystem& system = drawn.system;
      const analysis::ConstraintNet net = analysis::make_constraint_net(drawn.knobs.size(), system);
      std::set<std::pair<std::size_t, std::size_t>> expected;
      for (std::size_t i = 0; i < system.constraints().size(); ++i)
        for (const space::VariableId id : named_by(system, i)) {
          const std::size_t rule = net.of_constraint[i];
          const std::size_t variable = net.of_variable[id];
          QVERIFY(rule < net.nodes.size() && variable < net.nodes.size());
          if (rule != variable) expected.emplace(std::min(rule, variable), std::max(rule, variable));
        }
      const auto edges = net.edges();
      QVERIFY(std::ranges::equal(edges, expected));
    }
  }

  void knobs_are_the_rim_and_definitions_their_variables() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      const testing::RandomSystem drawn = testing::random_system(random);
      const analysis::ConstraintNet net = analysis::make_constraint_net(drawn.knobs.size(), drawn.system);
      for (space::VariableId id = 0; id < drawn.system.variables().size(); ++id) {
        const space::Variable& variable = drawn.system.variables()[id];
        QCOMPARE(net.of_variable[id] == net.nodes.size(), variable.constant.has_value());
        if (variable.constant) continue;
        QVERIFY(net.nodes[net.of_variable[id]].variable == id);
        QCOMPARE(net.of_variable[id] < net.rim, variable.element.has_value());
      }
      for (std::size_t i = 0; i < drawn.system.constraints().size(); ++i) {
        const analysis::ConstraintNode& node = net.nodes[net.of_constraint[i]];
        QVERIFY(net.of_constraint[i] >= net.rim && node.constraint == i);
        QCOMPARE(node.variable.has_value(), static_cast<bool>(drawn.defines[i]));
      }
      std::uint32_t last = 0;
      for (std::size_t node = 0; node < net.rim; ++node) {
        QVERIFY(net.nodes[node].knob && *net.nodes[node].knob >= last);
        last = *net.nodes[node].knob;
      }
    }
  }

  void a_knob_that_no_variable_names_has_a_place() {
    space::ConstraintSystem system;
    const space::VariableId element = system.add_element("b", 1, 0);
    system.add({space::InConstraint{element, {1, 2}}, ""});
    const analysis::ConstraintNet net = analysis::make_constraint_net(3, system);
    QCOMPARE(net.rim, std::size_t{3});
    QVERIFY(!net.nodes[0].variable && net.nodes[0].knob == 0U);
    QVERIFY(net.nodes[1].variable == element && net.nodes[1].neighbours == std::vector<std::size_t>{3});
    QVERIFY(!net.nodes[2].variable && net.nodes[2].neighbours.empty());
  }
};

KERNELSCAPE_PLAIN_TEST(ConstraintNetTest)

}  // namespace kernelscape::analysis_constraint_net_test
#include "analysis_constraint_net_test.moc"
